#if Tracing && Server
  import Foundation
  import LoadLog

  /// Makes spans that are recorded in a store.
  ///
  ///     LoadLogTracingFixture serve STORE    serves reviews at a free port of 127.0.0.1, which it prints
  ///     LoadLogTracingFixture spans STORE    makes spans of all kinds; its second tracer records in STORE.other
  @main
  struct Fixture {
    static func main() async throws {
      let arguments = CommandLine.arguments
      guard arguments.count == 3 else { throw Fault(description: "wants a mode and the path of a store") }
      let store = URL(filePath: arguments[2])
      let loads = try LoadingController(storeAt: store)
      switch arguments[1] {
      case "serve":
        try await ReviewServer(loads: loads, fetch: reviews).run(at: 0) { port in
          print(port)
          fflush(nil)
        }
      case "spans":
        let others = try LoadingController(storeAt: store.appendingPathExtension("other"))
        try await Spans(loads: loads, others: others).make()
      default: throw Fault(description: "knows no mode \(arguments[1])")
      }
    }

    @Sendable private static func reviews(of app: String) async throws -> String {
      switch app {
      case "broken": throw Fault(description: "no route to api")
      // Longer than any test waits.
      case "slow": try await Task.sleep(for: .seconds(3600))
      default: break
      }
      return "[]"
    }
  }

  struct Fault: Error, CustomStringConvertible {
    let description: String
  }
#else
  /// `./dev test` builds the fixture with its traits; without them it is empty.
  @main
  struct Fixture {
    static func main() {}
  }
#endif
