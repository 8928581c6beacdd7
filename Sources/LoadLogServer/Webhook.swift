#if Server
  import AsyncHTTPClient
  import Foundation
  package import LoadLogCLI
  package import LoadLogCore
  import NIOCore
  import NIOHTTP1
  import NIOPosix
  import NIOSSL
  import Synchronization

  /// A webhook: gets each batch of flips as a POST.
  package struct Webhook: FlipDestination {
    package let option: String
    private let address: WebhookAddress
    private let keys: WebhookKeys?

    /// How long a delivery may take with all redirects, in seconds, and how many it may follow.
    private static let seconds: Int64 = 10, mostRedirects = 3

    /// Lives as long as the process.
    private static let client: HTTPClient = {
      var configuration = HTTPClient.Configuration(
        redirectConfiguration: .disallow, timeout: .init(connect: .seconds(seconds)))
      configuration.httpVersion = .http1Only
      // The notifier decides when to try again.
      configuration.connectionPool.retryConnectionEstablishment = false
      return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()

    /// - Throws: `invalidInput` if the address or a key is invalid; `storeUnusable` if others may read a file; `io`.
    package init(_ options: WebhookOptions) throws(LoadLogError) {
      option = options.address == nil ? "--webhook-file" : "--webhook"
      let lines = try options.addressFile.map { path throws(LoadLogError) in
        try SecretFile(path, "the file of the webhook").lines()
      }
      if let lines, lines.count != 1 {
        throw LoadLogError(
          .invalidInput, what: "the file of the webhook", why: "it must hold one line, the address",
          path: options.addressFile)
      }
      address = try WebhookAddress(
        options.address ?? lines?.first.map { String($0.line) } ?? "", option: option,
        allowsPlainHTTP: options.plainHTTP)
      keys = try options.keyFile.map { path throws(LoadLogError) in
        try WebhookKeys(SecretFile(path, "the file of webhook keys").lines().map { String($0.line) })
      }
    }

    package func deliver(_ batch: FlipBatch) -> DeliveryEnd {
      let headers = headers(of: batch)
      let deadline = NIODeadline.now() + .seconds(Self.seconds)
      var address = address
      do {
        for _ in 0...Self.mostRedirects {
          let request = try HTTPClient.Request(
            url: address.url.absoluteString, method: .POST, headers: headers, body: .string(batch.json))
          let head = try Self.head(of: request, by: deadline)
          switch head.status.code {
          case 200..<300: return .succeeded
          case 307, 308:
            guard let location = head.headers.first(name: "location") else {
              return .failed("\(address.origin) answered \(head.status.code) without a location")
            }
            guard let target = address.redirected(to: location) else {
              return .failed("\(address.origin) redirects to another host or port, which gets nothing")
            }
            address = target
          case let code: return .failed("\(address.origin) answered \(code)")
          }
        }
        return .failed("\(address.origin) redirects more than \(Self.mostRedirects) times")
      } catch {
        return .failed("\(address.origin): \(Self.reason(error))")
      }
    }

    /// The head of the answer to a request. A receiver that has sent it has answered, whatever becomes of its body.
    private static func head(of request: HTTPClient.Request, by deadline: NIODeadline) throws
      -> HTTPResponseHead
    {
      let response = HeadOfResponse()
      do {
        return try client.execute(request: request, delegate: response, deadline: deadline).wait()
      } catch {
        guard let head = response.received else { throw error }
        return head
      }
    }

    /// Why a request failed. The errors of the libraries know the host, but no other part of the address.
    private static func reason(_ error: any Error) -> String {
      switch error {
      case let error as HTTPClientError
      where [.deadlineExceeded, .connectTimeout, .tlsHandshakeTimeout, .readTimeout].contains(error):
        "no answer within \(seconds) s"
      case let error as HTTPClientError where error == .remoteConnectionClosed:
        "the connection was closed without an answer"
      case let error as HTTPClientError: error.shortDescription
      case let error as NIOConnectionError:
        error.connectionErrors.first.map { reason($0.error) } ?? "the host was not found"
      case let error as IOError: String(cString: strerror(error.errnoCode))
      case let error as NIOSSLExtraError where error == .failedToValidateHostname:
        "its certificate is for another host"
      case is NIOSSLError where "\(error)".contains("CERTIFICATE_VERIFY_FAILED"):
        "this machine does not trust its certificate"
      case is NIOSSLError: "TLS failed"
      default: VisibleText.line("\(error)")
      }
    }

    private func headers(of batch: FlipBatch) -> HTTPHeaders {
      let timestamp = "\(Int64(Date().timeIntervalSince1970))"
      var headers: HTTPHeaders = [
        "Content-Type": "application/json", "User-Agent": "LoadLog/\(LoadLogVersion.current)",
        "Connection": "close", "webhook-id": batch.id, "webhook-timestamp": timestamp,
      ]
      if let authorization = address.authorization {
        headers.add(name: "Authorization", value: authorization)
      }
      if let keys {
        headers.add(
          name: "webhook-signature",
          value: keys.signatures(id: batch.id, timestamp: timestamp, body: batch.json))
      }
      return headers
    }
  }

  /// Keeps the head of a response, and ignores its body.
  private final class HeadOfResponse: HTTPClientResponseDelegate {
    typealias Response = HTTPResponseHead

    private let head = Mutex<Response?>(nil)

    struct Missing: Error {}

    /// The head, once it has arrived.
    var received: Response? { head.withLock { $0 } }

    func didReceiveHead(task: HTTPClient.Task<Response>, _ head: Response) -> EventLoopFuture<Void> {
      self.head.withLock { $0 = head }
      return task.eventLoop.makeSucceededVoidFuture()
    }

    func didFinishRequest(task: HTTPClient.Task<Response>) throws -> Response {
      guard let head = received else { throw Missing() }
      return head
    }
  }
#endif
