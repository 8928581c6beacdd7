import Foundation
import LoadLog

/// A program that records and obeys commands, for the experiments of `Tests/Torture`:
///
///     LoadLogHostFixture record STORE FEED TASKS DEADLINE_MS [LOADS_PER_SECOND]
///     LoadLogHostFixture mix STORE DEADLINE_MS LOADS_PER_SECOND
///
/// Both run until their input ends, close the store and print "closed". They print each acknowledgement at once, as one
/// line by one write: "started ID" and "finished ID"; and each refusal as "refused CODE WAITED_MS". See ``Commands`` for
/// the commands of `record`.
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

/// Prints lines to standard output.
enum Line {
  /// Prints a line by one write: it is complete before the next load starts, or missing if the process was killed.
  static func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = bytes.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
  }
}

/// Limits the number of turns per second.
struct Pace: Sendable {
  private let interval: Duration
  private let begun = ContinuousClock.now

  init(_ rate: Double) { interval = .seconds(1 / rate) }

  /// Returns when a turn may start; turns that are late do not wait.
  func await(_ turn: Int) async { try? await Task.sleep(until: begun + interval * turn, clock: .continuous) }
}
