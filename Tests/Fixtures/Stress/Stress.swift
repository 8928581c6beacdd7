import Foundation
import LoadLog

/// Records loads as fast as it can: LoadLogStressFixture STORE FEED LOADS TASKS.
///
/// Prints "started ID" and "finished ID" on standard output, each after its acknowledgement; and "closed".
@main
enum Stress {
  struct WrongUsage: Error {}

  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 5, let loads = Int(arguments[3]), let tasks = Int(arguments[4]), tasks > 0
    else { throw WrongUsage() }
    var options = LoadingController.Options()
    options.onOpenFailure = .fail
    options.deadline = .seconds(60)
    let controller = try LoadingController(storeAt: URL(filePath: arguments[1]), options: options)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<tasks {
        let share = loads / tasks + (task < loads % tasks ? 1 : 0)
        group.addTask { try await record(share, Feed(arguments[2]), in: controller) }
      }
      try await group.waitForAll()
    }
    try await controller.close()
    say("closed")
  }

  private static func record(_ loads: Int, _ feed: Feed, in controller: LoadingController) async throws {
    for _ in 0..<loads {
      let session = try await controller.startLoading(feed)
      say("started \(session.id)")
      try await controller.finishLoading(session)
      say("finished \(session.id)")
    }
  }

  /// Prints a line by one write: it is complete before the next load starts, or missing if the process was killed.
  private static func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = bytes.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
  }
}
