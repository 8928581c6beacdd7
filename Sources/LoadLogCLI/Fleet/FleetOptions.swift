package import ArgumentParser
import LoadLog
import LoadLogReports

/// The options of verbs that can ask a whole fleet.
struct FleetOptions: ParsableArguments {
  @Flag(help: "Ask the fleet's database instead of a store; see loadlog help fleet.")
  var fleet = false

  @Option(
    name: .customLong("host"),
    help: ArgumentHelp(
      "With --fleet: only hosts with this name or pattern. May be repeated.", valueName: "host"))
  var hosts: [String] = []

  @Flag(help: "With --fleet: keep the feeds of hosts apart, named HOST/FEED.")
  var byHost = false

  @OptionGroup var address: FleetAddressOptions

  func validate() throws {
    if !fleet, byHost || !hosts.isEmpty || address.isGiven {
      throw ValidationError("--host, --by-host, --to and --insecure-transport need --fleet.")
    }
  }

  /// Refuses to name a store that is not asked.
  func exclude(_ store: StoreOptions) throws {
    if fleet, store.db != nil { throw ValidationError("--fleet and --db cannot be combined.") }
  }

  var reader: FleetReaderOptions {
    FleetReaderOptions(hosts: hosts.map { FeedPattern($0) }, byHost: byHost)
  }

  /// The options as a shell reads them: "--fleet --host 'web-*'"; nil without `--fleet`.
  var words: String? {
    guard fleet else { return nil }
    let values = hosts.map { ("--host", $0) } + (address.to.map { [("--to", $0)] } ?? [])
    return
      (["--fleet"] + (byHost ? ["--by-host"] : []) + values.map { "\($0) \(PageStyle.shellWord($1))" }
      + (address.insecureTransport ? ["--insecure-transport"] : [])).joined(separator: " ")
  }
}

/// Where a fleet's database is, and how safe the way to it must be.
package struct FleetAddressOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The database's address (default: $LOADLOG_FLEET, else the file ~/.config/loadlog/fleet).",
      valueName: "url"))
  package var to: String?

  @Flag(
    help:
      "Accept a database without a verified certificate: others on the network may read what is sent, or pose as it."
  )
  package var insecureTransport = false

  var isGiven: Bool { to != nil || insecureTransport }

  package init() {}
}
