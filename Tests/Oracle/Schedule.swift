/// A reading of both clocks: wall time in microseconds since 1970, time since boot in nanoseconds.
struct Moment: Hashable, Sendable {
  var wall: Int64, boot: Int64
}

/// Where a process runs: a machine (empty if it has no id), a boot, a pid namespace and a time namespace.
struct Place: Hashable, Sendable {
  var machine: String, boot: String, pids: Int64, times: Int64
}

/// An event of an owner, with its number among the events of this owner.
struct Happening: Sendable {
  enum Act: Sendable {
    case start(Int, String)
    case finish(Int, PlainModel.State, String?)
    case heard(Int, String, PlainModel.State, String?)
    case push(String)
    case pop(String, PlainModel.State, String?)
    case reset([String]?)
    case abandon(Int)
    case update(Int)
    case adopt(String, Int64)
    case acknowledge([PlainModel.Trouble]?)
    case close
  }
  var number: Int64, act: Act, at: Moment, site: String?
}

/// A call of `status`: the place, the time and the filter.
struct Question: Sendable {
  var place: Place, at: Moment
  var since: Int64?, until: Int64?
  var feeds: [String] = []
  var limit: Int64?

  var isAboutEverything: Bool { since == nil && until == nil && feeds.isEmpty }

  func contains(_ wall: Int64) -> Bool { wall >= since ?? .min && wall < until ?? .max }
}

/// A value of an answer.
enum Figure: Hashable, Sendable {
  case null, whole(Int64), real(Double), text(String)

  init(_ value: Int64?) { self = value.map(Figure.whole) ?? .null }
  init(_ value: Int) { self = .whole(Int64(value)) }

  /// Whether both values are equal, apart from rounding of quantiles.
  func agrees(with other: Figure) -> Bool {
    guard case .real(let mine) = self, case .real(let theirs) = other else { return self == other }
    return abs(mine - theirs) <= 1e-9 * max(abs(mine), abs(theirs))
  }
}

/// A step of a schedule.
enum Step: Sendable {
  /// An owner opens or reopens the store.
  case open(Int, PlainModel.Owner, at: Moment)
  case commit(Int, [Happening])
  /// A process ends, and its owners with it.
  case fate(process: Int, PlainModel.Fate)
  /// An owner's lock is released or replaced.
  case lock(owner: Int, PlainModel.Owner.Lock)
  /// An owner records the verdicts of dead owners.
  case judge(Int, at: Moment)
  case ask(Question)
}

/// The steps of a simulation; the same seed makes the same schedule.
struct Schedule: Sendable {
  var seed: UInt64
  var steps: [Step]
  /// The last words of figures that the subject does not know.
  var ignored: Set<String> = []
}

extension Schedule: CustomStringConvertible {
  var description: String {
    steps.enumerated().map { "  \($0): \($1)" }.joined(separator: "\n")
  }
}

extension Step: CustomStringConvertible {
  var description: String {
    switch self {
    case .open(let who, let owner, let at):
      "owner \(who) opens: \(owner.kind), process \(owner.process), lock \(owner.lock), \(owner.place) \(at)"
    case .commit(let who, let events):
      "owner \(who) commits" + events.map { "\n       \($0)" }.joined()
    case .fate(let process, let fate): "process \(process) is \(fate)"
    case .lock(let who, let lock): "lock of owner \(who) is \(lock)"
    case .judge(let who, let at): "owner \(who) judges \(at)"
    case .ask(let question):
      "ask from \(question.place) \(question.at), since \(question.since.text), until \(question.until.text)"
        + ", feeds \(question.feeds), limit \(question.limit.text)"
    }
  }
}

extension Happening: CustomStringConvertible {
  var description: String { "#\(number) \(act) \(at)" + (site.map { " at \($0)" } ?? "") }
}

extension PlainModel.State: CustomDebugStringConvertible {
  var debugDescription: String { ".\(rawValue)" }
}

extension Moment: CustomStringConvertible {
  var description: String { "wall \(wall) boot \(boot)" }
}

extension Place: CustomStringConvertible {
  var description: String { "machine \"\(machine)\" boot \(boot) pids \(pids) times \(times)" }
}

extension Figure: CustomStringConvertible {
  var description: String {
    switch self {
    case .null: "null"
    case .whole(let value): "\(value)"
    case .real(let value): "\(value)"
    case .text(let value): "\"\(value)\""
    }
  }
}

extension Int64? {
  fileprivate var text: String { map { "\($0)" } ?? "–" }
}
