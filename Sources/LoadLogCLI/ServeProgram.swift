import ArgumentParser
import Foundation
package import LoadLog
import LoadLogReports

/// What `serve` was asked for.
package struct ServeSettings: Sendable {
  /// The store's path.
  package let store: String
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
  fileprivate let isQuiet: Bool

  /// Says that the server can be asked, and where pings go. The key of pings is a secret: only a terminal sees it.
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
    Output.note("serving \(VisibleText.quoted(store)) at \(VisibleText.line(place))")
    if let token { Output.note("requests need the token from \(VisibleText.quoted(token))") }
    guard let key else { return }
    if isatty(STDERR_FILENO) == 1, case .host = listen {
      Output.note("pings: \(place)ping/\(key)/FEED?create=1")
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
  ///   - words: the arguments: `serve` and its options.
  ///   - serve: serves until a signal ends it.
  /// - Returns: the exit code.
  package static func run(
    _ words: [String], serve: (ServeSettings) async throws -> Void
  ) async -> Int32 {
    StandardStreams.secure()
    do {
      guard words.first == ServeVerb.configuration.commandName else {
        throw LoadLogError(
          .invalidInput, what: "loadlog-net", why: "it has one verb, serve", advice: "See loadlog help serve."
        )
      }
      guard let verb = try LoadLogCommand.command(words) as? ServeVerb else {
        // Help, which prints itself.
        var command = try LoadLogCommand.command(words)
        try command.run()
        return Ending.done
      }
      let store = try GivenPath.absolute(verb.store.path())
      func absolute(_ path: String?) throws -> String? {
        try path.map { path throws(LoadLogError) in try GivenPath.absolute(path) }
      }
      try await serve(
        ServeSettings(
          store: store, listen: verb.listen, hostNames: verb.hostNames + verb.listen.names,
          version: LoadLogCommand.version, pingKeys: absolute(verb.pingKeyFile) ?? "\(store)-ping-keys",
          isReadOnly: verb.readOnly, token: absolute(verb.tokenFile), isBehindProxy: verb.behindProxy,
          rate: verb.rate, isQuiet: verb.store.quiet))
      return Ending.done
    } catch {
      return Ending(of: error).announce()
    }
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
    _ words: [String], _ path: String, _ open: () throws(LoadLogError) -> SQLiteLoadReader
  ) throws -> [UInt8] {
    let command: any ParsableCommand
    do {
      command = try LoadLogCommand.command(words)
    } catch let error as LoadLogError {
      throw error
    } catch {
      let ending = Ending(of: error)
      throw LoadLogError(.invalidInput, what: "query", why: ending.complaint ?? "it is not understood")
    }
    guard let verb = command as? any AnsweringVerb else {
      throw LoadLogError(.invalidInput, what: "query", why: "it is not understood")
    }
    return try Array((verb.answer(open, at: path).json().text() + "\n").utf8)
  }
}
