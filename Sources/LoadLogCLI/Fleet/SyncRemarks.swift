import LoadLog
import LoadLogReports
import LoadLogText
import Synchronization

/// What `sync` says of its rounds: a failure once until it changes or ends, and after the first round which name the host
/// has, and whether others have it. If the fleet cannot say this then, it is asked again after the next two rounds.
final class SyncRemarks: Sendable {
  private struct State {
    /// What the last round failed with, and since when rounds fail, by the boot clock.
    var failure: (text: String, since: Int64)?
    /// The name that the store shipped under before the first round; nil if it did not, or once it was said.
    var nameBefore: String?
    /// After how many more rounds the fleet may be asked which hosts have the name. Few: a database that does not answer may
    /// be overloaded.
    var questionsLeft = 3
  }

  private let path: String
  private let fleet: any FleetConnection
  private let isNewHost: Bool
  private let isQuiet: Bool
  private let namesRounds: Bool
  private let state: Mutex<State>
  /// How long each host of the fleet's address may take to answer, and then the fleet to say which hosts have the name of
  /// this one. The next round waits for both.
  private static let patience = Duration.seconds(5)

  /// - Parameters:
  ///   - path: the store.
  ///   - fleet: the database that it ships to.
  ///   - isNewHost: whether the store ships as a host that the fleet does not know yet.
  ///   - isQuiet: whether only failures are said.
  ///   - namesRounds: whether what each round shipped is said.
  init(
    _ path: String, _ fleet: any FleetConnection, isNewHost: Bool, isQuiet: Bool, namesRounds: Bool
  ) {
    self.path = path
    self.fleet = fleet
    self.isNewHost = isNewHost
    self.isQuiet = isQuiet
    self.namesRounds = namesRounds
    state = Mutex(State(nameBefore: isNewHost ? nil : Self.name(of: path)))
  }

  /// Says how a round ended.
  ///
  /// - Parameter isEnding: whether a signal ends the sync: then nothing is asked that its end would wait for.
  func note(_ round: Result<(loads: Int, rows: Int), LoadLogError>, isEnding: Bool) {
    let now = BootClock().now().boot
    state.withLock { state in
      switch round {
      case .success(let round):
        if let failure = state.failure, !isQuiet {
          Output.note("shipping again after \(DurationText.elapsed(now - failure.since)).")
        }
        state.failure = nil
        if namesRounds { Output.note(text(round)) }
        if state.questionsLeft > 0, !isQuiet {
          let isDone = noteName(&state.nameBefore, isEnding: isEnding)
          state.questionsLeft = isDone ? 0 : state.questionsLeft - 1
        }
      case .failure(let error):
        let text = error.description
        if text != state.failure?.text { Output.note(text) }
        state.failure = (text, state.failure?.since ?? now)
      }
    }
  }

  private func text(_ round: (loads: Int, rows: Int)) -> String {
    guard round.rows > 0 else { return "nothing new for \(fleet.name)." }
    func count(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
    return "shipped \(count(round.rows, "row")), \(count(round.loads, "load")), to \(fleet.name)."
  }

  /// Says that the host has a new name, and that another one has it, too.
  ///
  /// - Parameter before: the name that it had; nil afterwards.
  /// - Returns: false if the fleet did not say which hosts have the name, and may do so later.
  private func noteName(_ before: inout String?, isEnding: Bool) -> Bool {
    guard let name = Self.name(of: path), name != before else { return true }
    let shown = VisibleText.line(name)
    if let before { Output.note("this host was \(VisibleText.line(before)), and is \(shown) now.") }
    before = nil
    guard !isEnding else { return true }
    let hosts: [FleetHost]
    do throws(LoadLogError) {
      hosts = try self.hosts()
    } catch {
      // The round has succeeded, whatever this question finds.
      return error.code != .busy && error.code != .fleetUnreachable
    }
    let count = hosts.count { $0.name == name && $0.state != .retired }
    if count > 1 {
      Output.note(
        "\(count) hosts of the fleet are called \(shown). Retire those that no longer exist (loadlog fleet hosts lists them), "
          + "or give this one another --name.")
    }
    return true
  }

  private func hosts() throws(LoadLogError) -> [FleetHost] {
    let reader = try fleet.reader(FleetReaderOptions(deadline: Self.patience))
    try reader.connect()
    return try reader.fleetHosts(countingLoads: false).hosts
  }

  /// The name that a store ships under; nil if it does not ship, or cannot say so.
  private static func name(of path: String) -> String? {
    try? SQLiteLoadReader(at: path).shipping()?.host
  }
}
