import Foundation
import LoadLog

/// A program that records, and what it does beside that, for the experiments of `Tests/Torture`:
///
///     LoadLogHostFixture record STORE FEED TASKS DEADLINE_MS [LOADS_PER_SECOND]
///     LoadLogHostFixture mix STORE DEADLINE_MS LOADS_PER_SECOND
///
/// Both go on until their input ends, close the store and print "closed". What was acknowledged is printed, a line
/// and a write each, when it was: "started ID" and "finished ID"; else "refused CODE WAITED_MS". See ``Commands``
/// for what `record` does when it is told so.
@main
enum Host {
  struct WrongUsage: Error {}

  static func main() async throws {
    var arguments = CommandLine.arguments.dropFirst()
    let mode = arguments.popFirst()
    guard let path = arguments.popFirst() else { throw WrongUsage() }
    switch mode {
    case "record":
      guard let feed = arguments.popFirst(), let tasks = arguments.popFirst().flatMap({ Int($0) }),
        let deadline = arguments.popFirst().flatMap({ Int($0) })
      else { throw WrongUsage() }
      let recorder = Recorder(
        try controller(path, deadline), Feed(feed),
        pace: arguments.popFirst().flatMap { Double($0) }.map { Pace($0 / Double(tasks)) })
      Commands(recorder, store: path).obey()
      await recorder.record(in: tasks)
      try await recorder.controller.close()
    case "mix":
      guard let deadline = arguments.popFirst().flatMap({ Int($0) }),
        let rate = arguments.popFirst().flatMap({ Double($0) })
      else { throw WrongUsage() }
      let controller = try controller(path, deadline)
      try await Mix(controller, Pace(rate)).goOn()
      try await controller.close()
    default: throw WrongUsage()
    }
    Line.say("closed")
  }

  private static func controller(_ path: String, _ deadline: Int) throws -> LoadingController {
    var options = LoadingController.Options()
    options.onOpenFailure = .fail
    options.deadline = .milliseconds(deadline)
    return try LoadingController(storeAt: URL(filePath: path), options: options)
  }
}

/// Lines of standard output.
enum Line {
  /// One write a line: it is out before the next load, or not at all.
  static func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = bytes.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
  }
}

/// So many turns a second, and no more.
struct Pace: Sendable {
  private let interval: Duration
  private let begun = ContinuousClock.now

  init(_ rate: Double) { interval = .seconds(1 / rate) }

  /// Returns when a turn may begin; turns that are late do not wait.
  func await(_ turn: Int) async { try? await Task.sleep(until: begun + interval * turn, clock: .continuous) }
}
