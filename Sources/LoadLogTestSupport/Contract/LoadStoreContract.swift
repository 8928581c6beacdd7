public import LoadLogCore
public import Testing

/// Test cases for every implementation of `LoadStore`.
///
///     @Test(arguments: LoadStoreContract.cases)
///     func keepsTheContract(_ test: LoadStoreContract.Case) throws {
///       let place = try TemporaryStore()
///       try test.run { world in
///         .sqlite(at: place.url, processes: world.processes, locks: world.locks, clock: world.clock)
///       }
///     }
///
/// A failure is reported at the line of the expectation in the contract.
public enum LoadStoreContract {
  /// The simulated environment of a store.
  public struct World: Sendable {
    /// The process table, including the process that opens the store.
    public let processes: ManualProcessTable
    /// The locks of other owners.
    public let locks: ManualLocks
    /// The clocks.
    public let clock: ManualClock
  }

  /// Returns a provider for one store. A case calls it once for each process that opens the store.
  public typealias MakeProvider = (World) throws -> LoadStoreProvider

  /// What some stores cannot do.
  public enum Capability: Sendable, Hashable {
    /// Several processes use the store at the same time.
    case sharing
    /// The store drops old loads.
    case pruning
    /// The store knows when loads were open: busy time and peak depth.
    case busy
    /// The store knows every start and duration, not only histograms by UTC day, and its reader shares its clocks.
    case exactTimes
    /// The reader knows at once how long a load was on screens.
    case details
    /// The reader answers for one host, not for a fleet of them.
    case oneHost
  }

  /// A test case of the contract.
  public struct Case: Sendable, CustomTestStringConvertible {
    /// The rule that the case checks.
    public let rule: String
    /// What the store must be able to do; nil if every store must be.
    public let capability: Capability?
    let body: @Sendable (ContractBench) throws -> Void

    init(
      _ rule: String, needs capability: Capability? = nil,
      _ body: @escaping @Sendable (ContractBench) throws -> Void
    ) {
      self.rule = rule
      self.capability = capability
      self.body = body
    }

    /// The rule that the case checks.
    public var testDescription: String { rule }

    /// Runs the case with a new, empty store.
    public func run(_ makeProvider: @escaping MakeProvider) throws {
      try withExtendedLifetime(ContractBench(makeProvider)) { try body($0) }
    }
  }

  /// All cases.
  public static let cases =
    states + unmatched + counts + shown + dates + expectations + deaths + numbers + summaries + questions
    + writing

  /// The cases for a store that lacks some capabilities.
  public static func cases(without capabilities: Set<Capability>) -> [Case] {
    cases.filter { test in test.capability.map { !capabilities.contains($0) } ?? true }
  }
}
