import Foundation
import LoadLog
import Synchronization

/// Records loads in several tasks at once, each one load after another, as fast as possible or at a given pace.
final class Recorder: Sendable {
  let controller: LoadingController
  let feed: Feed
  private let pace: Pace?
  private let isEnding = Atomic(false)
  private let (ended, ending) = AsyncStream.makeStream(of: Never.self)
  /// Number of consecutive refusals after which a task prints a last line and ends.
  private static let mostRefusals = 10_000

  init(_ controller: LoadingController, _ feed: Feed, pace: Pace?) {
    self.controller = controller
    self.feed = feed
    self.pace = pace
  }

  /// Lets the tasks end after their current loads.
  func end() {
    isEnding.store(true, ordering: .relaxed)
    ending.finish()
  }

  /// Records until ``end()`` is called.
  func record(in tasks: Int) async {
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<tasks { group.addTask { await self.record() } }
    }
    // Without tasks, wait until a command or the end of the input calls `end()`.
    for await _ in ended {}
  }

  private func record() async {
    var refusals = 0
    var turn = 0
    while !isEnding.load(ordering: .relaxed), refusals < Self.mostRefusals {
      await pace?.await(turn)
      turn += 1
      var since = ContinuousClock.now
      do {
        let token = try await controller.startLoading(feed)
        Line.say("started \(token.id)")
        since = .now
        try await controller.finishLoading(token)
        Line.say("finished \(token.id)")
        refusals = 0
      } catch {
        Self.report(error, since: since)
        refusals += 1
      }
    }
    if refusals == Self.mostRefusals { Line.say("gave up") }
  }

  /// Tries to record on the only thread of a forked child.
  func recordInChild() {
    controller.push(feed)
    let calls: [() throws -> Void] = [
      { _ = try self.controller.startLoading(self.feed) }, { try self.controller.flush() },
      { try self.controller.close() },
    ]
    for call in calls {
      do {
        try call()
        Line.say("child answered")
      } catch {
        Line.say("child \((error as? LoadLogError)?.code.rawValue ?? "?")")
      }
    }
  }

  private static func report(_ error: LoadLogError, since: ContinuousClock.Instant) {
    Line.say("refused \(error.code.rawValue) \((ContinuousClock.now - since) / .milliseconds(1))")
  }
}
