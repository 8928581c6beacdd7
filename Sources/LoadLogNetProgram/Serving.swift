import LoadLog
import LoadLogCLI
import LoadLogServer
import Logging

/// `loadlog-net serve` and `loadlog-net demo --web`: the server of a store or a fleet, until a signal ends it.
struct Serving {
  let settings: ServeSettings

  init(_ settings: ServeSettings) { self.settings = settings }

  #if Server
    /// - Throws: what opening or making the store, or opening the fleet throws; `io` if the address cannot be used.
    func run() async throws {
      let demo = DemoDoor(settings.demo)
      do {
        if settings.demo != nil { try await demo.open() }
        try await serve(demo)
      } catch {
        await demo.close()
        throw error
      }
      await demo.close()
    }

    private func serve(_ demo: DemoDoor) async throws {
      let fleet = settings.fleet
      let record = fleet.map { ServedRecord.fleet($0) } ?? .store(settings.store)
      try fleet?.connect()
      try check(record)
      // It may name a host that there is not.
      _ = try fleet?.reader.expectations()
      let verb: Routes.Verb = { words, path, open in
        if let fleet { try VerbAnswer.json(words, of: fleet) } else { try VerbAnswer.json(words, path, open) }
      }
      var logger = Logger(label: "loadlog") { StreamLogHandler.standardError(label: $0) }
      logger.logLevel = .critical
      let keys = try PingKeys(file: settings.pingKeys, isMade: !settings.isReadOnly)
      let token = try settings.token.map { path throws(LoadLogError) in
        try AccessToken(file: path, isBehindProxy: settings.isBehindProxy)
      }
      let pings =
        settings.isReadOnly ? nil : PingDoor(keys, storeAt: settings.store, onRefusal: settings.remark)
      defer { pings?.close() }
      let server = HTTPServer(at: settings.listen, logger: logger) { [settings] port in
        Routes(
          to: record,
          watch: Guard(
            names: settings.hostNames, port: port, token: token, isBehindProxy: settings.isBehindProxy,
            rate: settings.rate),
          verb: verb, keys: keys, pings: pings, demo: demo)
      }
      try await server.run { [settings] in settings.announce($0, key: pings == nil ? nil : keys.first) }
    }

    /// Asks the record for the first time. If the store is missing, a server that takes loads makes it.
    private func check(_ record: ServedRecord) throws(LoadLogError) {
      do {
        _ = try record.open().dataVersion()
      } catch  where error.code == .storeMissing && !settings.isReadOnly {
        try SQLiteLoadStore.make(at: settings.store, app: "serve")
      } catch {
        throw error.withAdviceToRecord(in: settings.store)
      }
    }

    /// The destination of `loadlog-net notify`.
    ///
    /// - Throws: `invalidInput` if the address or a key is invalid.
    static func webhook(_ options: WebhookOptions) throws -> any FlipDestination { try Webhook(options) }
  #else
    /// - Throws: that this program has no server.
    func run() async throws {
      settings.demo?.remove()
      throw Self.notBuilt
    }

    /// - Throws: that this program has no webhooks.
    static func webhook(_: WebhookOptions) throws -> any FlipDestination { throw notBuilt }

    private static let notBuilt = LoadLogError(
      .io, what: "loadlog-net", why: "it was built without the server",
      advice: "Build it with: swift build --traits Server --product loadlog-net")
  #endif
}
