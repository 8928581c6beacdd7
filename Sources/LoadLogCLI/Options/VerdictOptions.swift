import ArgumentParser
import LoadLog

/// The verdict that the caller gives a load.
struct VerdictOptions: ParsableArguments {
  /// The outcomes that have a flag.
  enum Outcome: String, EnumerableFlag {
    case succeeded, unchanged, failed, cancelled

    static func help(for value: Outcome) -> ArgumentHelp? {
      switch value {
      case .succeeded: "The load succeeded."
      case .unchanged: "The load succeeded, and there was nothing new."
      case .failed: "The load failed."
      case .cancelled: "The load was given up on purpose."
      }
    }
  }

  @Flag(exclusivity: .exclusive) var outcome: Outcome?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "A command's exit code, such as $? in a trap: 0 is succeeded, any other failed.", valueName: "code"))
  var exit: Int32?

  @Option(parsing: .unconditional, help: ArgumentHelp("Why the load ended this way.", valueName: "text"))
  var reason: String?

  func validate() throws {
    if let outcome, exit != nil {
      throw ValidationError("--exit and --\(outcome.rawValue) cannot be combined.")
    }
    if let exit, exit < 0 { throw ValidationError("--exit must not be negative.") }
  }

  /// The verdict; `silent` is its state if no option names one.
  func verdict(silent: SessionState) -> Verdict? {
    if let exit { return ChildEnd.exited(exit).verdict(remark: reason) }
    let told = outcome.flatMap { SessionState(rawValue: $0.rawValue) }
    return Verdict(state: told ?? silent, reason: reason)
  }
}
