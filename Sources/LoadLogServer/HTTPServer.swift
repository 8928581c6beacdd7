#if Server
  import CLoadLogShims
  import Foundation
  import HTTPTypes
  import Hummingbird
  import HummingbirdCore
  import LoadLog
  package import LoadLogCLI
  import LoadLogCore
  package import Logging
  import NIOCore
  import NIOPosix
  import ServiceLifecycle
  import Synchronization
  import UnixSignals

  /// The routes at a socket: with ``Connections`` all that knows the HTTP library.
  package struct HTTPServer: Sendable {
    private let routes: Routing
    private let connections = Connections(most: Self.mostConnections)
    private let address: ListenAddress
    private let logger: Logger
    private let signals: [UnixSignal]
    private let hub: EventHub
    /// Run what blocks: the questions to the record, whether it can be asked at all, and the imports and pings, which wait
    /// for the disk.
    private let questions = WorkQueue("loadlog.server")
    private let health = WorkQueue("loadlog.health")
    private let imports = WorkQueue("loadlog.imports")
    private let pings: Batches<ServerRequest, ServerResponse>

    /// The greatest number of connections, and of bytes and fields in the head of a request.
    private static let mostConnections = 256, mostHeadBytes = 16 * 1024, mostFields = 100
    /// How many more the kernel may hold until there is room. It lets the clients of what is beyond wait for a second or
    /// more before they try again.
    private static let mostPending = 4096
    /// How many seconds a client has to send a head or a body, and to read one piece of an answer.
    private static let patience: Int64 = 10

    /// Creates a server.
    ///
    /// - Parameters:
    ///   - address: where it listens.
    ///   - logger: gets what goes wrong inside.
    ///   - routes: makes the routes for the port at which it listens; nil at a Unix socket.
    package init(
      at address: ListenAddress, logger: Logger,
      routes: @escaping @Sendable (_ port: Int?) -> Routes
    ) {
      let routing = Routing(make: routes)
      self.routes = routing
      // More are of clients that are gone.
      pings = Batches("loadlog.pings", most: Self.mostConnections) { requests in
        routing.current?.responses(toPings: requests)
          ?? requests.map { _ in PingDoor.text(503, "not ready yet") }
      }
      self.address = address
      self.logger = logger
      // nohup ignores SIGHUP, so that a terminal that is closed does not end the server.
      signals = [.sigterm, .sigint] + (loadlog_is_ignored(SIGHUP) == 0 ? [.sighup] : [])
      hub = EventHub()
    }

    /// Serves until one of its signals, then ends what is open.
    ///
    /// - Parameter started: called with the port once connections are accepted; nil at a Unix socket.
    /// - Throws: `io`.
    package func run(started: @escaping @Sendable (_ port: Int?) -> Void) async throws {
      do {
        try await listen(started)
      } catch  where routes.current == nil {
        throw LoadLogError(
          .io, what: "cannot listen at", value: address.description, why: Self.cause(error),
          advice: "Choose another address with --listen.")
      } catch {
        throw LoadLogError(.io, what: "the server at", value: address.description, why: "\(error)")
      }
    }

    /// Why an address cannot be used.
    private static func cause(_ error: any Error) -> String {
      switch error {
      case let error as IOError:
        switch error.errnoCode {
        case EADDRINUSE: "another program listens there, perhaps another loadlog serve"
        case EADDRNOTAVAIL: "this machine does not have that address"
        case EACCES: "this user may not listen there"
        case ENOENT: "its folder is missing"
        case let number: String(cString: strerror(number))
        }
      case is SocketAddressError.UnknownHost: "this machine does not know that name"
      case SocketAddressError.unixDomainSocketPathTooLong: "its path is too long"
      case is UnixDomainSocketPathWrongType: "a file that is not a socket is there"
      default: "\(error)"
      }
    }

    private func listen(_ started: @escaping @Sendable (_ port: Int?) -> Void) async throws {
      if case .unix(let path) = address, await isServed(path) {
        throw IOError(errnoCode: EADDRINUSE, reason: "bind")
      }
      let configuration = ApplicationConfiguration(
        address: bindAddress, backlog: Self.mostPending, availableConnectionsDelegate: connections)
      let limits = HTTP1Channel.Configuration.DecoderConfiguration(
        maxHeaderFieldSize: Self.mostHeadBytes, maxHeaderListSize: Self.mostHeadBytes,
        maxHeaderFieldCount: Self.mostFields)
      let application = Application(
        responder: CallbackResponder { request, context in try await respond(to: request, context) },
        server: .http1(
          configuration: .init(
            additionalChannelHandlers: [ConnectionWatch(connections, patience: .seconds(Self.patience))],
            // A client that stops sending the body of a ping gets an answer before its connection ends.
            idleTimeout: .seconds(Self.patience + 3), httpDecoderConfiguration: limits)),
        configuration: configuration, services: [ChangeWatch(hub: hub, isChanged: isChanged)],
        onServerRunning: { channel in
          let port = channel.localAddress?.port
          routes.begin(port)
          started(port)
        }, logger: logger)
      try await application.runService(gracefulShutdownSignals: signals)
    }

    /// Whether a server listens at a Unix socket, whose place this one would take.
    private func isServed(_ path: String) async -> Bool {
      let client = ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      guard let channel = try? await client.connect(unixDomainSocketPath: path).get() else { return false }
      try? await channel.close()
      return true
    }

    private var bindAddress: BindAddress {
      switch address {
      case .host(let host, let port): .hostname(host, port: port)
      case .unix(let path): .unixDomainSocket(path: path)
      }
    }

    /// Whether the record has changed since the last call.
    private func isChanged() async -> Bool {
      guard let routes = routes.current else { return false }
      return await questions.run { (try? routes.refreshPage()) ?? false } ?? false
    }

    private func respond(to request: Request, _ context: Context) async throws -> Response {
      var value = ServerRequest(request.head, client: context.channel.remoteAddress?.ipAddress ?? "localhost")
      guard let routes = routes.current else {
        return Response(Routes.complete(value.door.refusal(503, "not ready yet"), to: value))
      }
      let hasBody =
        request.headers[.transferEncoding] != nil || (request.headers[.contentLength] ?? "0") != "0"
      var refusal = routes.refusal(of: value)
      if refusal == nil, hasBody {
        do {
          value.body = try await body(of: request, for: value.door)
        } catch let error as RefusedBody {
          refusal = routes.refuse(value, with: error.answer)
        }
      }
      if let refusal {
        var response = Response(refusal)
        // The rest of a body that is not wanted is not kept.
        if hasBody { response.headers[.connection] = "close" }
        return response
      }
      switch value.door {
      case .events: return stream(hub.subscribe(), to: request, isHead: value.method == "HEAD")
      case .states:
        do {
          return stream(try await routes.demo.subscribe(), to: request, isHead: value.method == "HEAD")
        } catch {
          return Response(Routes.complete(.failure(error)))
        }
      case .ping: return Response(await pings.answer(value) ?? Self.crowded(value, routes))
      case .gesture: return Response(await routes.response(toGesture: value))
      default:
        guard let queue = queue(of: value.door) else { return Response(routes.response(to: value)) }
        let answer = await queue.run { [value, channel = context.channel, asked = ContinuousClock.now] in
          queue === questions && isGone(channel, asked) ? nil : routes.response(to: value)
        }
        return Response((answer ?? nil) ?? Self.crowded(value, routes))
      }
    }

    /// Whether the client of a question needs no answer. One that sends no more may still read, until the question has
    /// waited for longer than an answer may take: then most such clients are gone.
    private func isGone(_ channel: any Channel, _ asked: ContinuousClock.Instant) -> Bool {
      !channel.isActive || (connections.isHalfClosed(channel) && .now - asked > ServeSettings.deadline)
    }

    /// Where a request waits for its answer; nil if the answer needs no record.
    private func queue(of door: Door) -> WorkQueue? {
      switch door {
      case .loads, .traces: imports
      case .health: health
      default: door.isQuestion ? questions : nil
      }
    }

    /// The answer to a request that would have to wait for too many others.
    private static func crowded(_ request: ServerRequest, _ routes: Routes) -> ServerResponse {
      routes.refuse(request, with: request.door.refusal(503, "too many requests are waiting"))
    }

    private struct RefusedBody: Error {
      let answer: ServerResponse
    }

    /// Reads a body. A client that sends it slowly would otherwise hold its connection without limit.
    private func body(of request: Request, for door: Door) async throws -> ServerRequest.Body {
      try await withThrowingTaskGroup(of: ServerRequest.Body.self) { group in
        group.addTask {
          switch door.body {
          case .none: throw RefusedBody(answer: door.refusal(413, "this address takes no body"))
          case .end(let most): .end(try await end(of: request.body, most, at: door))
          case .file(let most, _): .file(try await file(of: request.body, most, at: door))
          }
        }
        group.addTask {
          try await Task.sleep(for: .seconds(Self.patience) + door.body.patience)
          throw RefusedBody(answer: door.refusal(408, "the body did not arrive in time"))
        }
        defer { group.cancelAll() }
        return try await group.next() ?? .none
      }
    }

    private static func tooLong(_ most: Int, at door: Door) -> RefusedBody {
      RefusedBody(answer: door.refusal(413, "the body is longer than \(most) bytes"))
    }

    private func end(of body: RequestBody, _ most: Int, at door: Door) async throws -> KeptOutput {
      var ring = OutputRing(PingDoor.keptBytes)
      for try await buffer in body {
        buffer.withUnsafeReadableBytes { ring.append($0) }
        guard ring.total <= most else { throw Self.tooLong(most, at: door) }
      }
      return ring.kept
    }

    private func file(of body: RequestBody, _ most: Int, at door: Door) async throws -> TemporaryFile {
      do {
        let file = try TemporaryFile()
        var total = 0
        for try await buffer in body {
          total += buffer.readableBytes
          guard total <= most else { throw Self.tooLong(most, at: door) }
          try file.append(buffer.readableBytesView)
        }
        return file
      } catch let error as LoadLogError {
        throw RefusedBody(answer: .failure(error))
      }
    }

    /// Server-sent events, until the client or the server ends them.
    private func stream(_ events: EventHub.Listener?, to request: Request, isHead: Bool) -> Response {
      guard let events else { return Response(Routes.complete(.tooManyListeners)) }
      var response = Response(Routes.complete(ServerResponse(200, "text/event-stream", [])))
      response.headers[.contentLength] = nil
      guard !isHead else { return response }
      response.body = ResponseBody { writer in
        var writer = Optional(writer)
        try await withGracefulShutdownHandler {
          try await request.body.consumeWithInboundCloseHandler { _ in
            try await writer?.write(ByteBuffer(string: "retry: 2000\n\n"))
            for await event in events { try await writer?.write(ByteBuffer(string: event)) }
          } onInboundClosed: {
            events.cancel()
          }
        } onGracefulShutdown: {
          events.cancel()
        }
        try await writer.take()?.finish(nil)
      }
      return response
    }
  }

  /// The routes, once the port is known.
  private final class Routing: Sendable {
    private let make: @Sendable (Int?) -> Routes
    private let made = Mutex<Routes?>(nil)

    init(make: @escaping @Sendable (Int?) -> Routes) { self.make = make }

    var current: Routes? { made.withLock { $0 } }

    func begin(_ port: Int?) { made.withLock { $0 = make(port) } }
  }

  private struct Context: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
      coreContext = .init(source: source)
      channel = source.channel
    }
  }

  extension Response {
    /// The number of bytes that are written at once.
    private static let pieceBytes = 64 * 1024

    fileprivate init(_ answer: ServerResponse) {
      var fields = HTTPFields()
      for (name, value) in answer.fields {
        if let name = HTTPField.Name(name) { fields[name] = value }
      }
      self.init(
        status: .init(code: answer.status), headers: fields,
        body: ResponseBody(contentLength: answer.body.count) { writer in
          // In pieces, so that the progress of a slow reader can be seen.
          for start in stride(from: 0, to: answer.body.count, by: Self.pieceBytes) {
            let end = min(start + Self.pieceBytes, answer.body.count)
            try await writer.write(ByteBuffer(bytes: answer.body[start..<end]))
          }
          try await writer.finish(nil)
        })
    }
  }

  extension ServerRequest {
    fileprivate init(_ head: HTTPRequest, client: String) {
      let fields = head.headerFields.map { (name: $0.name.canonicalName, value: $0.value) }
      let others = fields.filter { $0.name == "host" }.map(\.value)
      self.init(
        head.method.rawValue, head.path ?? "", hosts: (head.authority.map { [$0] } ?? []) + others,
        fields: fields.filter { $0.name != "host" }, client: client)
    }
  }

  /// Checks for changes while there are listeners.
  private struct ChangeWatch: Service {
    let hub: EventHub
    let isChanged: @Sendable () async -> Bool

    /// How often to check; at most one change is announced per second, and a comment keeps idle connections alive.
    private static let interval = Duration.milliseconds(250), pause = Duration.seconds(1),
      quiet = Duration.seconds(15)

    func run() async throws {
      let clock = ContinuousClock()
      var (announced, written) = (clock.now - Self.pause, clock.now)
      try? await withGracefulShutdownHandler {
        while true {
          try await Task.sleep(for: Self.interval)
          let now = clock.now
          if hub.isHeard, now - announced >= Self.pause, await isChanged() {
            hub.announceChange()
            (announced, written) = (now, now)
          } else if now - written >= Self.quiet {
            hub.keepAlive()
            written = now
          }
          if hub.isEnded { return }
        }
      } onGracefulShutdown: {
        hub.end()
      }
    }
  }
#endif
