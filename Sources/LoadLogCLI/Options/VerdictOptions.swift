import ArgumentParser
import LoadLog

/// How a load went, as its finisher tells it.
struct VerdictOptions: ParsableArguments {
  /// The outcomes that have a flag.
  enum Outcome: String, EnumerableFlag {
    case succeeded, unchanged, failed, cancelled

    static func help(for value: Outcome) -> ArgumentHelp? {
      switch value {
      case .succeeded: "It worked."
      case .unchanged: "It worked, and there was nothing new."
      case .failed: "It did not work."
      case .cancelled: "It was given up on purpose."
      }
    }
  }

  @Flag(exclusivity: .exclusive) var outcome: Outcome?

  @Option(
    help: ArgumentHelp("A command's exit code: 0 succeeded, else failed; $? in a trap.", valueName: "code"))
  var exit: Int32?

  @Option(parsing: .unconditional, help: ArgumentHelp("Why.", valueName: "text"))
  var reason: String?

  func validate() throws {
    if let outcome, exit != nil {
      throw ValidationError("--exit and --\(outcome.rawValue) exclude each other.")
    }
    if let exit, exit < 0 { throw ValidationError("--exit must not be negative.") }
  }

  /// The verdict; `silent` is that of a finisher who tells nothing.
  func verdict(silent: SessionState) -> Verdict? {
    if let exit { return ChildEnd.exited(exit).verdict(remark: reason) }
    let told = outcome.flatMap { SessionState(rawValue: $0.rawValue) }
    return Verdict(state: told ?? silent, reason: reason)
  }
}
