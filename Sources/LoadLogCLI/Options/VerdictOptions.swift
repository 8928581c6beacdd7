import ArgumentParser
import LoadLog
import LoadLogReports

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

  /// The verdict.
  ///
  /// - Parameter silent: makes the one of a caller that names none, of its reason.
  func verdict(silent: (String?) -> Verdict) -> Verdict {
    if let exit { return ChildEnd.exited(exit).verdict(remark: reason) }
    return switch outcome {
    case .succeeded: .succeeded(reason)
    case .unchanged: .unchanged(reason)
    case .failed: .failed(reason)
    case .cancelled: .cancelled(reason)
    case nil: silent(reason)
    }
  }

  /// The options that record a verdict, for a command that a person runs.
  static func words(for verdict: Verdict) -> String {
    let reason = verdict.reason.map { " --reason \(PageStyle.shellWord($0))" }
    return "--\(verdict.state.rawValue)\(reason ?? "")"
  }
}
