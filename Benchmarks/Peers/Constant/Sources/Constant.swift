import Hummingbird

/// A server that answers each ping with a constant, as Hummingbird's documentation writes one.
///
///     constant PORT
@main
enum Constant {
  static func main() async throws {
    let router = Router()
    router.get("ping/**") { _, _ in "OK" }
    let port = CommandLine.arguments.last.flatMap(Int.init) ?? 8080
    let application = Application(
      router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)))
    try await application.runService()
  }
}
