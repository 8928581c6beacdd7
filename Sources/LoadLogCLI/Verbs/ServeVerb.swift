import ArgumentParser
import Foundation
import LoadLog
import LoadLogText

/// `serve`: executes `loadlog-net`, which has the server. This program stays small, and knows no network.
struct ServeVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Serve the report as a live page, the JSON of the verbs, metrics, and take pings.",
    discussion: """
      The page shows what loadlog report shows, and follows the record. /api/v1/status, /api/v1/history, \
      /api/v1/unbalanced, /api/v1/loads/ID and /api/v1/feeds/FEED/last-updated answer what the verbs print with \
      --json; query parameters are their options. /metrics is for Prometheus, and /healthz is 200 while the store can \
      be asked. Only this machine can reach the server. A SIGTERM ends it.

      /ping/KEY/FEED takes the pings of Healthchecks' clients: a request says that a load succeeded, and with /start, \
      /fail, /log or an exit code behind it what else happened. ?create=1 adds a feed that is new.

      Example:

        loadlog serve
        curl -s 'http://127.0.0.1:8787/api/v1/history?feed=backup/db&state=failed'
        curl -fsS -m 10 --retry 5 'http://127.0.0.1:8787/ping/KEY/backup?create=1'
      """)

  @Option(
    help: ArgumentHelp("The address: a loopback address and a port, or unix:PATH.", valueName: "address"))
  var listen = ListenAddress.usual

  @Option(
    name: .customLong("host-name"),
    help: ArgumentHelp(
      "A further name by which browsers may call this server, such as that of a proxy. May be repeated.",
      valueName: "name"))
  var hostNames: [String] = []

  @Option(
    help: ArgumentHelp(
      "The file of the keys for pings (default: the store's name and -ping-keys; made if it is missing).",
      valueName: "path"),
    completion: .file())
  var pingKeyFile: String?

  @Flag(help: "Take no pings: change nothing in the store.")
  var readOnly = false

  @OptionGroup var store: StoreOptions

  func validate() throws {
    if readOnly, pingKeyFile != nil {
      throw ValidationError("--read-only and --ping-key-file cannot be combined.")
    }
  }

  func run() throws {
    let program = try Self.program()
    var arguments: [UnsafeMutablePointer<CChar>?] =
      [strdup("loadlog-net")] + Program.arguments.map { strdup($0) } + [nil]
    execv(program, &arguments)
    throw LoadLogError(.io, what: "cannot run", value: program, why: String(cString: strerror(errno)))
  }

  /// The exit code of shells for a program that is missing.
  private static let missing: Int32 = 127

  /// The program with the server: beside this one, else on the path.
  private static func program() throws -> String {
    let name = "loadlog-net"
    let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    let path = EnvironmentVariable.value("PATH") ?? "/usr/local/bin:/usr/bin:/bin"
    let folders = [(own as NSString).deletingLastPathComponent] + path.split(separator: ":").map(String.init)
    let programs: [String] = folders.map { folder in "\(folder)/\(name)" }
    let found = programs.first { program in access(program, X_OK) == 0 }
    if let found { return found }
    Output.note(
      "serve needs the program \(name), which is not installed. Install it with: ./dev install --net")
    throw ExitCode(missing)
  }
}

/// Where a server listens.
package enum ListenAddress: ExpressibleByArgument, Sendable, Equatable, CustomStringConvertible {
  /// An address of the loopback interface, and a port; 0 for any that is free.
  case loopback(String, port: Int)
  /// A Unix socket.
  case unix(path: String)

  static let usual = ListenAddress.loopback("127.0.0.1", port: 8787)

  /// Reads `127.0.0.1:8787`, `[::1]:8787`, `localhost:8787`, `8787` or `unix:PATH`; nil for other addresses, which other
  /// machines could reach.
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
    guard ["127.0.0.1", "[::1]", "localhost"].contains(host), let port = UInt16(digits) else { return nil }
    self = .loopback(host.trimmingCharacters(in: ["[", "]"]), port: Int(port))
  }

  package var description: String {
    switch self {
    case .loopback(let host, let port): "\(host.contains(":") ? "[\(host)]" : host):\(port)"
    case .unix(let path): "unix:\(path)"
    }
  }
}
