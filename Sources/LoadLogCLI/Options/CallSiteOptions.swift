import ArgumentParser
import LoadLog

/// Where in the user's code an event came from.
struct CallSiteOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Where this is called, such as backup.sh:12 (default: the calling script's path).", valueName: "text"))
  var callSite: String?

  /// The call site; nil if none is given and no script called.
  func value() throws(LoadLogError) -> CallSite? {
    let text = try TextLimit.checked(callSite, field: "call site", limit: TextLimit.message)
    return (text ?? OwnerOptions.ancestors.callingScript()).map { CallSite($0) }
  }
}
