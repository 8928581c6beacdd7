#if Server
  import HTTPTypes
  import HummingbirdCore
  import NIOCore
  import NIOHTTPTypes
  import Synchronization

  /// The open connections, and which of them wait for their clients: for a request, or for an answer to be read.
  ///
  /// When there are as many as there may be, one that has waited for more than 25 ms is closed for the next: the one
  /// that has waited longest. Clients that send or read slowly can therefore not keep others out. Any thread may call it.
  final class Connections: AvailableConnectionsDelegate {
    private struct State {
      var open = 0
      /// The one that has waited longest is first.
      var waiting: [any Channel] = []
      /// Those whose clients send no more.
      var halfClosed: Set<ObjectIdentifier> = []
    }

    private let most: Int
    private let state = Mutex(State())

    /// - Parameter most: how many connections may be open.
    init(most: Int) { self.most = most }

    func isAcceptingNewConnections() -> Bool { state.withLock { $0.open < most } }

    func connectionOpened() {
      state.withLock { $0.open += 1 }
      makeRoom()
    }

    func connectionClosed() { state.withLock { $0.open -= 1 } }

    /// Whether the client of a connection sends no more: it is gone, or only reads.
    func isHalfClosed(_ channel: any Channel) -> Bool {
      state.withLock { $0.halfClosed.contains(ObjectIdentifier(channel)) }
    }

    /// The client of a connection sends no more.
    fileprivate func add(halfClosed channel: any Channel) {
      state.withLock { _ = $0.halfClosed.insert(ObjectIdentifier(channel)) }
    }

    /// A connection has waited for its client for a while.
    fileprivate func add(waiting channel: any Channel) {
      state.withLock { $0.waiting.append(channel) }
      makeRoom()
    }

    /// A connection waits no longer.
    fileprivate func remove(waiting channel: any Channel) {
      state.withLock { state in state.waiting.removeAll { $0 === channel } }
    }

    /// A connection is closed.
    fileprivate func remove(_ channel: any Channel) {
      remove(waiting: channel)
      state.withLock { _ = $0.halfClosed.remove(ObjectIdentifier(channel)) }
    }

    /// Closes the connection that has waited longest if there are as many as there may be.
    private func makeRoom() {
      let longest = state.withLock { state in
        state.open < most || state.waiting.isEmpty ? nil : state.waiting.removeFirst()
      }
      longest?.pipeline.fireUserInboundEventTriggered(RoomIsNeeded())
    }
  }

  /// Closes a connection at once, whatever its client has not read yet.
  private struct RoomIsNeeded {}

  /// Reports when one connection waits for its client, closes it if the client stops reading and after an answer that says
  /// so, and asks for a body that the client holds back until it is wanted.
  ///
  /// When NIO closes a channel, it drops what was written but is not yet in the kernel's buffer. A close that comes from the
  /// HTTP library, or after the last answer, therefore waits until all of it is there.
  final class ConnectionWatch: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let connections: Connections
    private let patience: TimeAmount
    /// The number of requests whose answers are not written yet.
    private var unanswered = 0
    private var isReadingRequest = false
    /// The number of written parts that are not yet in the kernel's buffer as a whole, and the end of the last of them.
    private var untaken = 0
    private var lastPart: EventLoopFuture<Void>?
    private var isWaiting = false
    private var isClosed = false
    /// Whether the answer that is being written is the last one; whether it was written, and its client is still sending.
    private var isLast = false, isDraining = false
    /// Reports that the connection waits, and closes it because the client reads nothing, or goes on sending.
    private var notice, timeout: Scheduled<Void>?

    /// How long a client may take even when others wait for a connection: most send a request right after they have
    /// connected. Thousands that send nothing pass within half a second then, and who comes next need not wait longer.
    private static let haste = TimeAmount.milliseconds(25)
    /// The size of the kernel's buffer for one connection, in bytes. By itself it grows to 4 MB, and then the kernel takes
    /// nothing more before more than 1 MB is free: a client may read slowly all the time, and seem to read nothing.
    private static let bufferBytes = 128 * 1024

    /// - Parameter patience: how long the next part of an answer may take to get into the kernel's buffer, and how long a
    ///   client may go on sending after the last answer. The time starts again with each whole part: one large part would
    ///   be cut off although its client reads, so the server writes bodies in pieces.
    init(_ connections: Connections, patience: TimeAmount) {
      self.connections = connections
      self.patience = patience
    }

    func handlerAdded(context: ChannelHandlerContext) {
      try? context.channel.syncOptions?.setOption(.socketOption(.so_sndbuf), value: Self.bufferBytes)
      update(context.channel)
    }

    func channelInactive(context: ChannelHandlerContext) {
      isClosed = true
      notice?.cancel()
      timeout?.cancel()
      connections.remove(context.channel)
      context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
      if event is RoomIsNeeded { return context.close(promise: nil) }
      if case ChannelEvent.inputClosed = event {
        connections.add(halfClosed: context.channel)
        if isDraining { close(context: context, mode: .all, promise: nil) }
      }
      context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      if isDraining {
        if case .end = unwrapInboundIn(data) { close(context: context, mode: .all, promise: nil) }
        return
      }
      switch unwrapInboundIn(data) {
      case .head(let request):
        (unanswered, isReadingRequest) = (unanswered + 1, true)
        // A later request of a pipeline must wait for the answers before it.
        if unanswered == 1, request.headerFields[.expect]?.lowercased() == "100-continue" {
          context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
        }
      case .body: break
      case .end: isReadingRequest = false
      }
      update(context.channel)
      context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
      let part = unwrapOutboundIn(data)
      let taken = promise ?? context.eventLoop.makePromise()
      (untaken, lastPart) = (untaken + 1, taken.futureResult)
      if untaken == 1 { closeLater(context) }
      taken.futureResult.assumeIsolated().whenSuccess { self.partIsTaken(context) }
      context.write(data, promise: taken)
      if case .head(let response) = part { isLast = response.headerFields[.connection] == "close" }
      guard case .end = part else { return }
      // A head that cannot be read is answered, too.
      let mayStillSend = isReadingRequest || unanswered == 0
      unanswered = max(0, unanswered - 1)
      if isLast { end(context, mayStillSend) }
      update(context.channel)
    }

    /// Closes the connection after its last answer. What the client still sends is read and dropped for a while: if it
    /// stayed unread, the kernel would reset the connection, and most clients would never see the answer.
    private func end(_ context: ChannelHandlerContext, _ mayStillSend: Bool) {
      context.flush()
      guard mayStillSend else { return close(context: context, mode: .all, promise: nil) }
      isDraining = true
      close(context: context, mode: .output, promise: nil)
      closeLater(context)
      context.read()
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
      guard untaken > 0, mode != .input, let lastPart else {
        return context.close(mode: mode, promise: promise)
      }
      lastPart.assumeIsolated().whenComplete { _ in context.close(mode: mode, promise: promise) }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
      if isDraining { context.read() }
      context.fireChannelReadComplete()
    }

    /// A whole part is in the kernel's buffer: the client has made room for it, so it still reads.
    private func partIsTaken(_ context: ChannelHandlerContext) {
      untaken -= 1
      if untaken > 0 || isDraining { closeLater(context) } else { timeout?.cancel() }
    }

    private func closeLater(_ context: ChannelHandlerContext) {
      timeout?.cancel()
      timeout = context.eventLoop.assumeIsolated().scheduleTask(in: patience) {
        context.close(promise: nil)
      }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
      update(context.channel)
      context.fireChannelWritabilityChanged()
    }

    private func update(_ channel: any Channel) {
      let waits = unanswered == 0 || isReadingRequest || !channel.isWritable
      guard waits != isWaiting, !isClosed else { return }
      isWaiting = waits
      if waits {
        notice = channel.eventLoop.scheduleTask(in: Self.haste) { [connections] in
          connections.add(waiting: channel)
        }
      } else {
        notice?.cancel()
        connections.remove(waiting: channel)
      }
    }
  }
#endif
