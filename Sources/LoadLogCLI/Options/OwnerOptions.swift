import ArgumentParser
import LoadLog

/// The owner of a load that outlives this command.
struct OwnerOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The process that owns the load, $$ in a script; if it dies, the load has crashed (default: the caller; 0: none).",
      valueName: "pid"))
  var ownerPid: Int32?

  @Flag(help: "No process owns the load; only a reboot ends it, and it is never overrunning.")
  var detached = false

  func validate() throws {
    if ownerPid != nil, detached { throw ValidationError("--owner-pid and --detached cannot be combined.") }
    if let ownerPid, ownerPid < 0 { throw ValidationError("--owner-pid must not be negative.") }
  }

  /// The ancestors of this process.
  static let ancestors = OwnerInference()

  /// The owner that the options name, otherwise the one that is inferred from the ancestors.
  var choice: LoadingController.OwnerChoice {
    if detached || ownerPid == 0 { return .detached }
    if let ownerPid { return .process(pid: ownerPid) }
    guard let (pid, app) = Self.ancestors.inferredOwner() else { return .detached }
    return .process(pid: pid, app: app, inferred: true)
  }
}
