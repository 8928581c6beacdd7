public import LoadLogCore
public import Testing

/// What every `LoadStore` must do, whatever it keeps its rows in: a table of tests.
///
///     @Test(arguments: LoadStoreContract.cases)
///     func keepsTheContract(_ test: LoadStoreContract.Case) throws {
///       let place = try TemporaryStore()
///       try test.run { world in
///         .sqlite(at: place.url, processes: world.processes, locks: world.locks, clock: world.clock)
///       }
///     }
///
/// Failures are reported at the line of the contract that does not hold.
public enum LoadStoreContract {
  /// What a store sees of the world outside; it is all made by the test.
  public struct World: Sendable {
    /// The process that opens the store, and what it sees of others.
    public let processes: ManualProcessTable
    /// The locks of other owners.
    public let locks: ManualLocks
    /// The clocks.
    public let clock: ManualClock
  }

  /// Gives a provider for one place. A case calls it once for each process that opens the store there.
  public typealias MakeProvider = (World) throws -> LoadStoreProvider

  /// One rule of the contract.
  public struct Case: Sendable, CustomTestStringConvertible {
    /// The rule.
    public let rule: String
    /// Several processes open the store: a store in the memory of one process cannot pass.
    public let needsSharing: Bool
    let body: @Sendable (ContractBench) throws -> Void

    init(
      _ rule: String, needsSharing: Bool = false, _ body: @escaping @Sendable (ContractBench) throws -> Void
    ) {
      self.rule = rule
      self.needsSharing = needsSharing
      self.body = body
    }

    /// The rule.
    public var testDescription: String { rule }

    /// Tries the rule on a new, empty place.
    public func run(_ makeProvider: @escaping MakeProvider) throws {
      try withExtendedLifetime(ContractBench(makeProvider)) { try body($0) }
    }
  }

  /// All rules.
  public static let cases =
    states + unmatched + counts + shown + dates + deaths + numbers + summaries + questions + writing

  /// The rules that a store in the memory of one process can keep.
  public static let casesOfOneProcess = cases.filter { !$0.needsSharing }
}
