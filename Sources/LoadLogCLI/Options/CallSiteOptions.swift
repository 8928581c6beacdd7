import ArgumentParser
import LoadLog

/// The place in the user's code that an event came from.
struct CallSiteOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The place of the call, such as backup.sh:12 (default: the calling script's path).", valueName: "text"))
  var callSite: String?

  /// The call site; nil if none is given and the caller is not a script.
  func value() throws(LoadLogError) -> CallSite? {
    let text = try TextLimit.checked(callSite, field: "call site", limit: TextLimit.message)
    return (text ?? OwnerOptions.ancestors.callingScript()).map { CallSite($0) }
  }
}
