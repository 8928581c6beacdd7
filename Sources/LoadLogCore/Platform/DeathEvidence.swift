import Foundation

/// The words in which ``DeathJudge`` gives its reasons: short plain English, no full stop.
struct DeathEvidence {
  enum Death: Equatable {
    case gone
    case zombie
    case replaced(later: Bool)
  }

  /// "pid 3102", or "pid 3102 (bash, inferred)".
  let subject: String
  private let host: String

  init(owner: Owner) {
    let words =
      switch owner.kind {
      case .given: [owner.app]
      case .inferred: [owner.app, "inferred"]
      case .library, .detached, .remote: [String]()
      }
    let known = words.filter { !$0.isEmpty }.joined(separator: ", ")
    subject = "pid \(owner.process.pid)" + (known.isEmpty ? "" : " (\(known))")
    host = owner.host
  }

  var noBoot: String { "the boot it ran on is not known" }
  var unknownMachine: String { "the machine it ran on is not known" + hostInParentheses }
  var otherMachine: String { "it runs on another machine" + hostInParentheses }
  var otherNamespace: String { "its process is in another pid namespace" }
  var unknownNamespace: String { "its pid namespace is not known" }
  var otherTimeNamespace: String { "its process is in another time namespace" }
  var hidden: String { "\(subject) cannot be seen from here" }
  var unknownStart: String { "\(subject) cannot be distinguished from a later process" }
  var released: String { "\(subject) lives, but its lock was released" }
  var lockIsFree: String { "the lock of \(subject) is free" }

  func death(_ death: Death, lockIsFree: Bool) -> String {
    let fact =
      switch death {
      case .gone: "\(subject) is gone"
      case .zombie: "\(subject) is a zombie"
      case .replaced(later: true): "\(subject) is now another process (started later)"
      case .replaced(later: false): "\(subject) is now another process (started at another time)"
      }
    return lockIsFree ? fact + " and its lock is free" : fact
  }

  /// "the machine restarted at 02:12, before any finish"; with the day if it was not today.
  static func restart(now: LoadInstant?, in timeZone: TimeZone) -> String {
    guard let now else { return "the machine restarted, before any finish" }
    let (booted, overflow) = now.wall.subtractingReportingOverflow(now.boot / 1000)
    guard !overflow else { return "the machine restarted, before any finish" }
    let (boot, today) = (civil(booted, in: timeZone), civil(now.wall, in: timeZone))
    return "the machine restarted \(day(boot, today))at \(clock(boot)), before any finish"
  }

  private var hostInParentheses: String { host.isEmpty ? "" : " (host \(host))" }

  private static func civil(_ wall: Int64, in timeZone: TimeZone) -> CivilTime {
    let offset = Int64(timeZone.secondsFromGMT(for: Date(microseconds: wall)))
    return CivilTime(seconds: CivilTime.floorDivide(wall, by: 1_000_000).quotient + offset)
  }

  /// "", "on 18 Nov " or "on 18 Nov 2024 ".
  private static func day(_ boot: CivilTime, _ today: CivilTime) -> String {
    guard boot.dayNumber != today.dayNumber else { return "" }
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    return "on \(boot.day) \(months[Int(boot.month) - 1]) " + (boot.year == today.year ? "" : "\(boot.year) ")
  }

  private static func clock(_ time: CivilTime) -> String {
    let twoDigits = { (number: Int64) in String("0\(number)".suffix(2)) }
    return twoDigits(time.hour) + ":" + twoDigits(time.minute)
  }
}
