import Foundation
import LoadLog
import Synchronization

/// Records loads one after another, in several tasks at once, as fast as it can or at a pace.
final class Recorder: Sendable {
  let controller: LoadingController
  let feed: Feed
  private let pace: Pace?
  private let isEnding = Atomic(false)
  private let (ended, ending) = AsyncStream.makeStream(of: Never.self)
  /// Nothing but refusals for so long is told once more and ends the task.
  private static let mostRefusals = 10_000

  init(_ controller: LoadingController, _ feed: Feed, pace: Pace?) {
    self.controller = controller
    self.feed = feed
    self.pace = pace
  }

  /// Lets the tasks end after the loads that they are at.
  func end() {
    isEnding.store(true, ordering: .relaxed)
    ending.finish()
  }

  /// Records until it is ended.
  func record(in tasks: Int) async {
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<tasks { group.addTask { await self.record() } }
    }
    // With no task, whoever gives commands says when.
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
        Self.tell(error, since: since)
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

  private static func tell(_ error: LoadLogError, since: ContinuousClock.Instant) {
    Line.say("refused \(error.code.rawValue) \((ContinuousClock.now - since) / .milliseconds(1))")
  }
}
