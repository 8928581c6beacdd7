import Foundation
import LoadLog
import LoadLogFleet

/// Ships again and again what a busy host changes, and prints one line of JSON.
///
///     rounds STORE ADDRESS ROUNDS    loads of 20 feeds before each round, whose summaries it ships
@main
struct Rounds {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 4, let rounds = Int(arguments[3]), rounds > 0 else {
      FileHandle.standardError.write(Data("usage: rounds STORE ADDRESS ROUNDS\n".utf8))
      exit(2)
    }
    let store = URL(filePath: arguments[1])
    let loads = try LoadingController(storeAt: store)
    let sync = try FleetSync(storeAt: store, to: arguments[2])
    let clock = ContinuousClock()
    var spent = Duration.zero
    for round in 0...rounds {
      for number in 0..<20 {
        try await loads.finishLoading(loads.startLoading(Feed("feeds/\(number)")))
      }
      let took = try await clock.measure { try await sync.round() }
      // The first round ships more: the host itself, and the feeds.
      if round > 0 { spent += took }
    }
    try await loads.close()
    print(#"{"rounds": \#(rounds), "seconds": \#(spent / .seconds(1))}"#)
  }
}
