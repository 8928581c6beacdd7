#if Fleet
  import Foundation
  import LoadLogCore
  import LoadLogFleet
  import LoadLogSQLite
  @testable import Oracle
  import Testing

  /// Plays random schedules to a host of a fleet, which ships before each question, and to the plain model, and compares
  /// what the fleet answers. `OracleTests` does so with stores.
  @Suite struct FleetOracleTests {
    /// The database of all schedules: each has a host of its own there.
    private static let address = Result { try PostgresBench().address }
    private static let shards: UInt64 = 4

    @Test(.timeLimit(.minutes(10)), arguments: 0..<shards)
    func theFleetAgreesWithThePlainModel(shard: UInt64) throws {
      let address = try Self.address.get()
      var played = 0
      for seed in UInt64(1)...160 where seed % Self.shards == shard {
        let schedule = ScheduleMaker.schedule(seed: seed)
        guard schedule.isOfOneHost else { continue }
        played += 1
        let shipped = schedule.shipped
        guard let difference = shipped.firstDifference(try Self.subject(address)) else { continue }
        Issue.record("seed \(seed): \(difference)")
        let shrunk = try shipped.shrunk(tries: 200) { try Self.subject(address) }
        let rest = shrunk.firstDifference(try Self.subject(address)) ?? "gone when played again"
        Issue.record("seed \(seed), shortened: \(rest)\n\(shrunk)")
        return
      }
      #expect(played > 5)
    }

    private static func subject(_ address: FleetAddress) throws -> StoreSubject {
      var settings = StoreOutbox.Settings()
      (settings.name, settings.loads) = (UUID().uuidString, .all)
      let options = FleetReaderOptions(hosts: [FeedPattern(settings.name ?? "")])
      return try StoreSubject { [settings] path, processes, clock in
        ShippedReader(
          sync: FleetSync(storeAt: path, settings: settings, processes: processes, clock: clock) {
            PostgresDestination(address)
          }, fleet: FleetReader(address, options, clock: clock))
      }
    }
  }

  extension Schedule {
    /// Whether all happens on one machine, and nothing there is unknown: a fleet says of such loads that they run.
    fileprivate var isOfOneHost: Bool {
      var places: [Place] = []
      for step in steps {
        switch step {
        case .open(_, let owner, _):
          guard owner.kind != .detached else { return false }
          places.append(owner.place)
        case .ask(let question): places.append(question.place)
        default: break
        }
      }
      return places.allSatisfy { place in
        (place.machine, place.pids, place.times) == (places[0].machine, places[0].pids, places[0].times)
      }
    }

    /// The schedule with what a sync does before each question: it records the verdicts of dead owners. The windows of
    /// questions are whole days, because a fleet counts no parts of them.
    fileprivate var shipped: Schedule {
      var shipped = self
      shipped.ignored = [
        "approximate", "busy", "overrunning", "peak_depth", "p50", "p90", "p95", "p99", "quantiles",
      ]
      shipped.steps = steps.enumerated().flatMap { index, step -> [Step] in
        guard case .ask(var question) = step else { return [step] }
        question.since = question.since.map { UTCDay(of: $0).start }
        question.until = question.until.map { UTCDay(of: $0).start }
        let number = 10_000 + index
        let judge = PlainModel.Owner(kind: .library, place: question.place, process: number, lock: .held)
        return [.open(number, judge, at: question.at), .ask(question)]
      }
      return shipped
    }
  }
#endif
