#if Fleet && !canImport(Darwin)
  import Testing

  /// A point of a round at which a sync is killed.
  enum CrashPoint: String, CaseIterable, Codable, CustomTestStringConvertible {
    case making = "before the store commits a batch"
    case made = "after the store has committed a batch, before it is sent"
    case sending = "while a batch is sent"
    case writing = "while the rows of a batch are written"
    case written = "after the last row of a batch is written, before it is committed"
    case committing = "while a batch is committed"
    case arrived = "after a batch is committed, before the store notes that"
    case noting = "while the store notes that a batch has arrived"
    case noted = "before the store commits that a batch has arrived"
    case known = "after the store has committed that a batch has arrived"
    case resolving = "while a sync notes that the batch of an earlier one has arrived"
    case heartbeat = "while nothing waits and only the lease is renewed"

    var testDescription: String { rawValue }
  }

  extension CrashPoint {
    enum Place {
      /// The store is about to run the last of these statements, or has run it.
      case store(StatementTrap.Side, [String])
      /// A trigger holds up the database.
      case held(by: String)
    }

    /// Runs only when a batch is made.
    private static let insertion = "INSERT INTO fleet_attempt"
    /// Runs only when the store notes that a batch has arrived, before it writes the new position.
    private static let deletion = "DELETE FROM unshipped WHERE attempt"

    /// What is under way at the point.
    var place: Place {
      switch self {
      case .making: .store(.before, [Self.insertion, "COMMIT"])
      case .made: .store(.after, [Self.insertion, "COMMIT"])
      case .sending: .held(by: "TRIGGER hold AFTER UPDATE ON host")
      case .writing: .held(by: "TRIGGER hold AFTER INSERT ON summary")
      case .written: .held(by: "TRIGGER hold AFTER INSERT ON session")
      case .committing:
        .held(
          by: "CONSTRAINT TRIGGER hold AFTER INSERT ON session DEFERRABLE INITIALLY DEFERRED FOR EACH ROW")
      case .arrived: .store(.before, [Self.insertion, "BEGIN"])
      case .noting: .store(.after, [Self.deletion])
      case .noted, .resolving: .store(.before, [Self.deletion, "COMMIT"])
      case .known: .store(.after, [Self.deletion, "COMMIT"])
      case .heartbeat: .held(by: "TRIGGER hold AFTER UPDATE ON host")
      }
    }

    /// Which batches there may be after the kill, if the first one is known to have arrived.
    var batches: [NewestBatches] {
      let (lost, arrived) = (
        NewestBatches(made: 2, arrived: 1, known: 1), NewestBatches(made: 2, arrived: 2, known: 1)
      )
      return switch self {
      case .making, .heartbeat: [NewestBatches(made: 1, arrived: 1, known: 1)]
      case .made, .sending: [lost]
      // The COMMIT of a small batch may be on its way by then.
      case .writing, .written: [lost, arrived]
      case .committing, .arrived, .noting, .noted, .resolving: [arrived]
      case .known: [NewestBatches(made: 2, arrived: 2, known: 2)]
      }
    }

    /// Lets this process be killed at the point.
    ///
    /// - Parameter fleet: the address of the database.
    func arm(fleet: String) {
      switch place {
      case .store(let side, let statements): StatementTrap.set(side, statements)
      case .held: Hold.killThisProcess(whenItHoldsUp: fleet)
      }
    }
  }

  /// The numbers of the newest batches of a store.
  struct NewestBatches: Equatable {
    /// Of those that the store has made.
    var made: Int64
    /// Of those that the database has.
    var arrived: Int64
    /// Of those of which the store knows that the database has them.
    var known: Int64
  }
#endif
