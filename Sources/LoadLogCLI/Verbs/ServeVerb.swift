import ArgumentParser
import Foundation
import LoadLog
import LoadLogText

/// `serve`: executes `loadlog-net`, which has the server.
struct ServeVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Serve the status as a live page, JSON and metrics over HTTP, and take pings.",
    discussion: """
      The page shows what loadlog report shows, and follows the record. /api/v1/status, /api/v1/history, \
      /api/v1/unbalanced, /api/v1/loads/ID and /api/v1/feeds/FEED/last-updated return what the verbs print with \
      --json; query parameters are their options. /metrics is for Prometheus, and /healthz is 200 while the store can \
      be asked. /demo has the loading indicators to try. Only this machine can reach the server, unless --listen or \
      --behind-proxy opens it to others, which then need a token. serve creates the store if it is missing. SIGTERM, SIGHUP or \
      Ctrl-C ends it.

      /ping/KEY/FEED takes the pings of Healthchecks' clients: a request says that a load succeeded; /start, /fail, \
      /log or an exit code at its end says what else happened. ?create=1 adds a feed that is new. FEED has lower-case \
      letters, digits, - and _ only; the file of keys can name other feeds.

      With --fleet it shows all hosts of a fleet. It records nothing then: pings and imports go to the host's own server.

      Example:

        loadlog expect backup --every 1d
        loadlog serve
        curl -s 'http://127.0.0.1:8787/api/v1/history?feed=backup/db&state=failed'
        curl -fsS -m 10 --retry 5 -o /dev/null http://127.0.0.1:8787/ping/KEY/backup
      """)

  @Option(
    help: ArgumentHelp(
      "The address and port, or unix:PATH (default: \(ListenAddress.usual)).", valueName: "address"),
    transform: { text in
      guard let address = ListenAddress(argument: text) else {
        throw ValidationError("Write HOST:PORT, such as 127.0.0.1:8787, or unix:PATH.")
      }
      return address
    })
  var listen = ListenAddress.usual

  @Option(
    name: .customLong("host-name"),
    help: ArgumentHelp(
      "A further name by which browsers may call this server, such as that of a proxy. May be repeated.",
      valueName: "name"))
  var hostNames: [String] = []

  @Option(
    help: ArgumentHelp(
      "The file of the keys for pings and badges (default: the store's name and -ping-keys). Created if it is missing.",
      valueName: "path"),
    completion: .file())
  var pingKeyFile: String?

  @Option(
    help: ArgumentHelp(
      "The file of the token that requests must send, except for pings, badges and /healthz. Created if it is missing.",
      valueName: "path"),
    completion: .file())
  var tokenFile: String?

  @Flag(help: "Change nothing in the store, and do not create one: take no pings and no imports.")
  var readOnly = false

  @Flag(help: "Accept unencrypted requests from other machines; anyone on the network path can read them.")
  var plainHTTP = false

  @Flag(help: "Requests arrive through a TLS proxy, which names their senders in X-Forwarded-For.")
  var behindProxy = false

  @Option(
    help: ArgumentHelp(
      "How many requests a second an address of another machine may send.", valueName: "number"))
  var rate = ServeSettings.usualRate

  @OptionGroup var fleet: FleetOptions
  @OptionGroup var store: StoreOptions

  func validate() throws {
    if listen.isReachable, !plainHTTP {
      throw ValidationError(
        """
        Other machines can reach --listen \(listen), and anyone on the network path could read the token. Listen at \
        127.0.0.1 behind a proxy with TLS, and add --behind-proxy; or add --plain-http if the network is safe.
        """)
    }
    if listen.isReachable || behindProxy, tokenFile == nil {
      throw ValidationError(
        "--listen or --behind-proxy lets other machines reach the server: name the file of a token with --token-file."
      )
    }
    if let name = hostNames.first(where: { ListenAddress.name($0) == nil }) {
      throw ValidationError(
        "--host-name \(VisibleText.quoted(name)): this must be a name or an address, without a port or a path."
      )
    }
    guard (1...100_000).contains(rate) else { throw ValidationError("--rate must be from 1 to 100000.") }
  }

  func run() throws { try NetProgram.execute() }
}

/// Where a server listens.
package enum ListenAddress: Sendable, Equatable, CustomStringConvertible {
  /// An address of this machine, and a port; 0 for any that is free.
  case host(String, port: Int)
  /// A Unix socket.
  case unix(path: String)

  static let usual = ListenAddress.host("127.0.0.1", port: 8787)

  /// Reads `127.0.0.1:8787`, `[::1]:8787`, `localhost:8787`, `8787` or `unix:PATH`; nil for other names, which could
  /// have several addresses.
  package init?(argument: String) {
    if argument.hasPrefix("unix:") {
      let path = argument.dropFirst(5)
      guard !path.isEmpty else { return nil }
      self = .unix(path: String(path))
      return
    }
    let colon = argument.lastIndex(of: ":")
    let host = colon.map { String(argument[..<$0]) } ?? "127.0.0.1"
    let digits = colon.map { argument[argument.index(after: $0)...] } ?? argument[...]
    let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
    let name = isBracketed ? String(host.dropFirst().dropLast()) : host
    guard let port = UInt16(digits), host == "localhost" || Self.isAddress(name, AF_INET6) == isBracketed,
      isBracketed || host == "localhost" || Self.isAddress(name, AF_INET)
    else { return nil }
    self = .host(name, port: Int(port))
  }

  private static func isAddress(_ text: String, _ family: Int32) -> Bool {
    var bytes = in6_addr()
    return inet_pton(family, text, &bytes) == 1
  }

  /// Whether an address is that of this machine alone.
  package static func isLoopback(_ address: String) -> Bool {
    address == "localhost" || address == "::1" || address.hasPrefix("127.")
      || address.hasPrefix("::ffff:127.")
  }

  /// Whether other machines can reach it.
  var isReachable: Bool {
    if case .host(let host, _) = self { !Self.isLoopback(host) } else { false }
  }

  /// The name by which clients call it, unless it stands for all addresses of this machine.
  var names: [String] {
    guard case .host(let host, _) = self, !["0.0.0.0", "::"].contains(host) else { return [] }
    return [Self.name(host) ?? host]
  }

  /// A name or an address as the field Host has it, so with brackets around an address of IPv6; nil if it is neither.
  static func name(_ text: String) -> String? {
    if isAddress(text, AF_INET6) { return "[\(text)]" }
    if text.hasPrefix("["), text.hasSuffix("]") { return name(String(text.dropFirst().dropLast())) }
    return text.isEmpty || text.contains { ":/ ".contains($0) } ? nil : text
  }

  package var description: String {
    switch self {
    case .host(let host, let port): "\(host.contains(":") ? "[\(host)]" : host):\(port)"
    case .unix(let path): "unix:\(path)"
    }
  }
}
