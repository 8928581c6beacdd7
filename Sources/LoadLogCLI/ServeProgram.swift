import ArgumentParser
import Foundation
package import LoadLog
import LoadLogReports

/// What `serve` was asked for.
package struct ServeSettings: Sendable {
  /// The store's path.
  package let store: String
  /// The fleet to show in the store's place; nil for none.
  package let fleet: AskedFleet?
  /// Where to listen.
  package let listen: ListenAddress
  /// Names by which the server may be called beside those of the loopback interface.
  package let hostNames: [String]
  /// The version of this program.
  package let version: String
  /// The file of ping keys.
  package let pingKeys: String
  /// Whether the server changes nothing in the store.
  package let isReadOnly: Bool
  /// The file of the token that requests must show; nil to answer all.
  package let token: String?
  /// Whether a proxy passes the requests on.
  package let isBehindProxy: Bool
  /// How many requests a second an address may send.
  package let rate: Int
  /// The folder of the store if that is a new one, for the demo; nil for a store of the user.
  package let demo: DemoFolder?
  /// How long the record may take for one question.
  package static let deadline = Duration.seconds(2)
  fileprivate let isQuiet: Bool, isVerbose: Bool
  fileprivate let opensBrowser: Bool

  fileprivate init(
    _ verb: ServeVerb, _ connect: (FleetAddressSettings) throws -> any FleetConnection
  ) throws {
    func absolute(_ path: String?) throws -> String? {
      try path.map { path throws(LoadLogError) in try GivenPath.absolute(path) }
    }
    store = try GivenPath.absolute(verb.store.path())
    fleet = verb.fleet.fleet ? try AskedFleet(verb.fleet, deadline: Self.deadline, connect) : nil
    listen = verb.listen
    hostNames = verb.hostNames.compactMap(ListenAddress.name) + verb.listen.names
    version = LoadLogCommand.version
    // The keys of a store's badges must not show a fleet.
    pingKeys = try absolute(verb.pingKeyFile) ?? "\(store)-\(fleet == nil ? "" : "fleet-")ping-keys"
    isReadOnly = verb.readOnly || fleet != nil
    token = try absolute(verb.tokenFile)
    isBehindProxy = verb.behindProxy
    rate = verb.rate
    demo = nil
    isQuiet = verb.store.quiet
    isVerbose = verb.store.verbose
    opensBrowser = false
  }

  fileprivate init(_ verb: DemoVerb) throws {
    let folder = try DemoFolder()
    store = folder.store
    fleet = nil
    listen = .host("127.0.0.1", port: 0)
    hostNames = []
    version = LoadLogCommand.version
    pingKeys = "\(store)-ping-keys"
    isReadOnly = true
    token = nil
    isBehindProxy = false
    rate = 50  // Loopback addresses have no limit.
    demo = folder
    isQuiet = false
    isVerbose = false
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
      case .host(let host, _):
        "http://\(ListenAddress.host(host, port: port ?? 0))/"
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
      Output.note("other machines must call it by a name or address that --host-name gives; none is given")
    }
    guard let key else { return }
    if isatty(STDERR_FILENO) == 1, case .host = listen {
      Output.note("pings: \(place)ping/\(key)/FEED")
    } else {
      Output.note("pings: /ping/KEY/FEED, with a key from \(VisibleText.quoted(pingKeys))")
    }
  }
}

/// The command line of `loadlog-net`.
package enum ServeProgram {
  /// Runs a command line.
  ///
  /// - Parameters:
  ///   - words: the arguments: `serve`, or `demo --web`, and its options.
  ///   - connect: makes the connection to a fleet's database.
  ///   - serve: serves until a signal ends it.
  /// - Returns: the exit code.
  package static func run(
    _ words: [String], connect: (FleetAddressSettings) throws -> any FleetConnection,
    serve: (ServeSettings) async throws -> Void
  ) async -> Int32 {
    StandardStreams.secure()
    do {
      let verbs: [any ParsableCommand.Type] = [ServeVerb.self, DemoVerb.self]
      // An option comes first only to ask for the help or the version.
      guard let word = words.first,
        word.hasPrefix("-") || verbs.contains(where: { $0.configuration.commandName == word })
      else { throw wrongVerb }
      switch try LoadLogCommand.command(words) {
      case let verb as ServeVerb: try await serve(ServeSettings(verb, connect))
      case let verb as DemoVerb:
        guard verb.web else { throw wrongVerb }
        try await serve(ServeSettings(verb))
      case var help: try help.run()  // It prints itself.
      }
      return Ending.done
    } catch {
      return Ending(of: error, verb: words.first).announce()
    }
  }

  private static var wrongVerb: LoadLogError {
    LoadLogError(
      .invalidInput, what: "loadlog-net",
      why: "it has serve, demo --web, notify --webhook, sync, fleet, and what is asked with --fleet",
      advice: "Run loadlog, which starts it where it is needed.")
  }
}

/// Answers verbs without a terminal.
package enum VerbAnswer {
  /// What a verb prints with `--json`.
  ///
  /// - Parameters:
  ///   - words: the verb and its arguments.
  ///   - path: the store's path, as the answer names it.
  ///   - open: opens the store for reading.
  /// - Throws: `invalidInput` if the words are not those of a verb that answers questions; what asking the store throws.
  package static func json(
    _ words: [String], _ path: String, _ open: () throws(LoadLogError) -> any LoadReading
  ) throws -> [UInt8] { try bytes(verb(words).answer(open, at: path)) }

  /// What a verb prints of a fleet with `--json`.
  ///
  /// - Throws: `invalidInput` if the words are not those of a verb that answers questions; what asking the fleet throws.
  package static func json(_ words: [String], of fleet: AskedFleet) throws -> [UInt8] {
    try bytes(fleet.answer(verb(words)))
  }

  private static func bytes(_ answer: Answer) -> [UInt8] { Array((answer.json().text() + "\n").utf8) }

  private static func verb(_ words: [String]) throws -> any AnsweringVerb {
    let command: any ParsableCommand
    do {
      command = try LoadLogCommand.command(words)
    } catch let error as LoadLogError {
      throw error
    } catch {
      let complaint = Ending(of: error).complaint ?? "it is not understood"
      throw LoadLogError(
        .invalidInput, what: "query", why: complaint.hasSuffix(".") ? String(complaint.dropLast()) : complaint
      )
    }
    guard let verb = command as? any AnsweringVerb else {
      throw LoadLogError(.invalidInput, what: "query", why: "it is not understood")
    }
    return verb
  }
}
