import Foundation
import LoadLog
import LoadLogReports

/// What `serve` was asked for.
package struct ServeSettings: Sendable {
  /// The store's path.
  package let store: String
  /// The fleet to show in the store's place; nil for none.
  package private(set) var fleet: AskedFleet?
  /// Where to listen.
  package let listen: ListenAddress
  /// Names by which the server may be called beside those of the loopback interface.
  package private(set) var hostNames: [String] = []
  /// The file of ping keys.
  package let pingKeys: String
  /// Whether the server changes nothing in the store.
  package private(set) var isReadOnly = true
  /// The file of the token that requests must show; nil to answer all.
  package private(set) var token: String?
  /// Whether a proxy passes the requests on.
  package private(set) var isBehindProxy = false
  /// How many requests a second an address may send. Those of the loopback interface have no limit.
  package private(set) var rate = usualRate
  /// The folder of the store if that is a new one, for the demo; nil for a store of the user.
  package private(set) var demo: DemoFolder?
  /// How many requests a second an address may send if nothing else was said.
  package static let usualRate = 50
  /// How long the record may take for one question.
  package static let deadline = Duration.seconds(2)
  private var isQuiet = false, isVerbose = false
  private var opensBrowser = false

  init(
    _ verb: ServeVerb, _ connect: (FleetAddressOptions) throws -> any FleetConnection
  ) throws {
    func absolute(_ path: String?) throws -> String? {
      try path.map { path throws(LoadLogError) in try GivenPath.absolute(path) }
    }
    store = try GivenPath.absolute(verb.store.path())
    fleet = verb.fleet.fleet ? try AskedFleet(verb.fleet, deadline: Self.deadline, connect) : nil
    listen = verb.listen
    hostNames = verb.hostNames.compactMap(ListenAddress.name) + verb.listen.names
    // The keys of a store's badges must not show a fleet.
    pingKeys = try absolute(verb.pingKeyFile) ?? "\(store)-\(fleet == nil ? "" : "fleet-")ping-keys"
    isReadOnly = verb.readOnly || fleet != nil
    token = try absolute(verb.tokenFile)
    isBehindProxy = verb.behindProxy
    rate = verb.rate
    isQuiet = verb.store.quiet
    isVerbose = verb.store.verbose
  }

  init(_ verb: DemoVerb) throws {
    let folder = try DemoFolder()
    store = folder.store
    listen = .host("127.0.0.1", port: 0)
    pingKeys = "\(store)-ping-keys"
    demo = folder
    opensBrowser = !verb.staysClosed
  }

  /// Prints a line if `--verbose` was given.
  package func remark(_ text: String) { if isVerbose { Output.note(text) } }

  /// Says that the server can be asked, and where pings go. The key of pings is a secret: only a terminal sees it. Opens
  /// the page of the demo.
  ///
  /// - Parameters:
  ///   - port: its port; nil at a Unix socket.
  ///   - key: a key for pings; nil if there is none.
  package func announce(_ port: Int?, key: String?) {
    guard !isQuiet else { return }
    let place =
      switch listen {
      // The server does not answer to 0.0.0.0 and [::], which stand for all addresses of this machine.
      // A proxy's name is not where this server listens.
      case .host:
        "http://\(listen.names.first ?? (isBehindProxy ? nil : hostNames.first) ?? "localhost"):\(port ?? 0)/"
      case .unix: listen.description
      }
    guard demo == nil else {
      Output.note("the demo is at \(place)demo (Ctrl-C ends it)")
      if opensBrowser { WebBrowser.open("\(place)demo") }
      return
    }
    Output.note("serving \(VisibleText.quoted(fleet?.name ?? store)) at \(VisibleText.line(place))")
    if let token { Output.note("requests need the token from \(VisibleText.quoted(token))") }
    if listen.isReachable, hostNames.isEmpty {
      Output.note(
        "other machines cannot use this server yet: name the host that they use with --host-name")
    }
    guard let key else { return }
    if isatty(STDERR_FILENO) == 1, case .host = listen {
      Output.note("pings: \(place)ping/\(key)/FEED")
    } else {
      Output.note("pings: /ping/KEY/FEED, with a key from \(VisibleText.quoted(pingKeys))")
    }
  }
}
