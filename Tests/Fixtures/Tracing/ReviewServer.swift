#if Tracing && Server
  import Hummingbird
  import LoadLog
  import LoadLogTracing
  import Tracing

  /// A server each of whose requests is a load of `http`, and in which fetching the reviews of an app is a load of
  /// `reviews.fetch`.
  struct ReviewServer {
    let loads: LoadingController
    /// Returns the reviews of an app as JSON.
    let fetch: @Sendable (_ app: String) async throws -> String

    /// Serves this machine until the process gets SIGINT or SIGTERM.
    func run(at port: Int, started: @escaping @Sendable (_ port: Int) -> Void) async throws {
      // Spans of these names are loads; so are spans with the attribute loadlog.feed.
      InstrumentationSystem.bootstrap(LoadTracer(loads, names: ["reviews.*"]))

      let router = Router()
      router.middlewares.add(TracingMiddleware(attributes: [LoadTracer.feedAttribute: "http"]))
      router.get("/reviews/:app") { _, context in
        let app = try context.parameters.require("app")
        return try await withSpan("reviews.fetch") { _ in try await fetch(app) }
      }

      let server = Application(
        router: router, configuration: .init(address: .hostname("127.0.0.1", port: port)),
        onServerRunning: { started($0.localAddress?.port ?? 0) })
      try await server.runService()
      try await loads.close()
    }
  }
#endif
