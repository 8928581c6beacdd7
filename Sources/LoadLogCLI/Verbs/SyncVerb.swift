import ArgumentParser
import Foundation
import LoadLog
import LoadLogReports

/// `sync`: ships a store to a fleet's database.
struct SyncVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync",
    abstract: "Ship this store to a fleet's database, so that one question can be asked of all hosts.",
    discussion: """
      The store remains the source of truth; the database gets copies: dates, counts, call sites, expectations and flips \
      always, and loads as --loads says. The store remembers what it ships: the next sync needs only the address. If the \
      network or the database fails, the next sync ships what is missing; nothing is lost, and nothing counts twice. \
      Recording never waits for either.

      An administrator creates the tables once with loadlog fleet init. --every syncs until SIGTERM, SIGHUP or Ctrl-C; \
      then it ships one more batch and exits. It retries after a failure, and exits by itself only if the database \
      refuses it before a round has succeeded, or if the store is a copy of one that ships.

      Example:

        loadlog sync --to 'postgresql://writer@db/loadlog?sslrootcert=ca.pem'
        loadlog sync --every 60s
        loadlog status --fleet
      """)

  @OptionGroup var address: FleetAddressOptions

  @Option(
    help: ArgumentHelp(
      "Which loads to ship one by one: all; unusual, those that run, failed or are unbalanced; or none (default: unusual).",
      valueName: "which"))
  var loads: ShippedLoads?

  @Flag(inversion: .prefixedNo, help: "Ship the messages of loads, too (default: no).")
  var withMessages: Bool?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The name of this host in the fleet (default: the machine's).", valueName: "name"))
  var name: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Sync again and again, with this time between two rounds.", valueName: "duration"))
  var every: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "How long the host counts as alive after a round (default: 3m, or 3 times --every if that is more).",
      valueName: "duration"))
  var lease: String?

  @Flag(
    help:
      "Ship this store as a host of its own, because another copy of it ships, too. Needed once: each time makes a new host."
  )
  var asNewHost = false

  @Flag(
    help:
      "Ship nothing; only say what waits with the settings as they are. Takes no address and no other settings."
  )
  var dryRun = false

  @OptionGroup var store: StoreOptions

  func validate() throws {
    if dryRun,
      address.isGiven || loads != nil || withMessages != nil || name != nil || every != nil || lease != nil
        || asNewHost
    {
      throw ValidationError(
        "--dry-run says what waits with the settings as they are. It cannot be combined with --to, --insecure-transport, --loads, --with-messages, --name, --every, --lease or --as-new-host."
      )
    }
    if let name, !(1...200).contains(name.utf8.count) || name.contains(where: Self.isUnfit) {
      throw ValidationError("--name must be a line of 1 to 200 bytes without /, * and ?.")
    }
  }

  /// Whether a name with this character could be taken for that of a feed, or for a pattern.
  private static func isUnfit(_ character: Character) -> Bool {
    character.isNewline || "/*?".contains(character)
  }

  func run() throws {
    guard dryRun else { try NetProgram.execute() }
    guard let shipping = try store.reader().shipping() else {
      return try Output.write("The store belongs to no fleet yet: the first sync ships everything.\n")
    }
    try Output.write("As \(VisibleText.line(shipping.host)): \(shipping.waiting).\n")
  }

  /// Ships the store; with an interval until a signal arrives.
  func sync(to fleet: any FleetConnection) async throws {
    let path = try GivenPath.absolute(try store.path())
    func duration(_ text: String?, _ option: String) throws -> Duration? {
      try text.map { .nanoseconds(try DurationExpression.nanoseconds($0, of: option, from: "1s", to: "1d")) }
    }
    let interval = try duration(every, "--every")
    let lease = try duration(lease, "--lease")
    var settings = StoreOutbox.Settings()
    (settings.name, settings.loads) = (name, loads)
    (settings.withMessages, settings.asNewHost) = (withMessages, asNewHost)
    let remarks = SyncRemarks(
      path, fleet, isNewHost: asNewHost, isQuiet: store.quiet,
      namesRounds: !store.quiet && (interval == nil || store.verbose))
    let work = Task { [settings] in
      try await fleet.sync(path, settings, every: interval, lease: lease) {
        remarks.note($0, isEnding: Task.isCancelled)
      }
    }
    if interval != nil { try Self.cancelAtSignal(work) }
    do {
      try await work.value
    } catch let error as LoadLogError where error.what == "lease" {
      throw LoadLogError(error.code, what: "--lease", value: self.lease, why: error.why, advice: error.advice)
    }
  }

  private static func cancelAtSignal(_ work: Task<Void, any Error>) throws {
    guard let inbox = SignalInbox(for: [SIGINT, SIGTERM, SIGHUP]),
      DaemonThread.start({
        var entry = pollfd(fd: inbox.file, events: Int16(POLLIN), revents: 0)
        while poll(&entry, 1, -1) < 0, errno == EINTR {}
        work.cancel()
      })
    else { throw LoadLogError(.io, what: "sync", why: String(cString: strerror(errno))) }
  }
}

extension ShippedLoads: ExpressibleByArgument {}
