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
  /// Further names by which the server may be called.
  package let hostNames: [String]
  /// The version of this program.
  package let version: String
  /// The file of ping keys; nil to take no pings.
  package let pingKeys: String?
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
      case .loopback(let host, _):
        "http://\(ListenAddress.loopback(host, port: port ?? 0))/"
      case .unix: listen.description
      }
    Output.note("serving \(VisibleText.quoted(store)) at \(VisibleText.line(place))")
    guard let pingKeys, let key else { return }
    if isatty(STDERR_FILENO) == 1, case .loopback = listen {
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
      let keys = try verb.pingKeyFile.map { path throws(LoadLogError) in try GivenPath.absolute(path) }
      try await serve(
        ServeSettings(
          store: store, listen: verb.listen, hostNames: verb.hostNames, version: LoadLogCommand.version,
          pingKeys: verb.readOnly ? nil : keys ?? "\(store)-ping-keys", isQuiet: verb.store.quiet))
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
