import Foundation
import LoadLog
import Synchronization

/// Does everything that an app does with a controller, in turns: loads in several feeds with every verdict, pushes and
/// pops, dropped tokens, updates, short-lived listeners, and questions.
struct Mix: Sendable {
  private let controller: LoadingController
  private let pace: Pace
  private static let feeds: [Feed] = ["reviews", "network", "images/large", "images/small", "search"]

  init(_ controller: LoadingController, _ pace: Pace) {
    self.controller = controller
    self.pace = pace
  }

  /// Runs until the input ends.
  func goOn() async throws {
    let isEnding = End()
    Thread {
      while readLine() != nil {}
      isEnding.value.store(true, ordering: .relaxed)
    }.start()
    var turn = 0
    while !isEnding.value.load(ordering: .relaxed) {
      await pace.await(turn)
      await take(turn)
      turn += 1
      if turn % 1000 == 0 { Line.say("turns \(turn)") }
    }
  }

  private final class End: Sendable { let value = Atomic(false) }

  private func take(_ turn: Int) async {
    let feed = Self.feeds[turn / 20 % Self.feeds.count]
    do {
      switch turn % 20 {
      case 0..<8:
        try await controller.loading(feed, message: "Loading \(turn)…") {
          () async throws(CancellationError) in
          await Task.yield()
          if turn % 97 == 0 { throw CancellationError() }
        }
      case 8..<11:
        let token = try await controller.startLoading(feed, tag: "\(turn % 50)")
        controller.update(token, message: "still at it")
        Line.say("started \(token.id)")
        try await controller.finishLoading(token, turn % 3 == 0 ? .unchanged : .failed("HTTP 503"))
        Line.say("finished \(token.id)")
      case 11..<14: controller.push(feed)
      case 14..<17: controller.pop(feed, turn % 2 == 0 ? .ended : .succeeded)
      case 17: try await listen(to: feed)
      case 18: _ = try await controller.startLoading(feed, message: "nobody finishes this")
      default: try await ask(turn)
      }
    } catch is CancellationError {
    } catch {
      Line.say("refused \((error as? LoadLogError)?.code.rawValue ?? "?") 0")
    }
  }

  /// Listens until it receives one push.
  private func listen(to feed: Feed) async throws {
    var changes = controller.changes(of: feed).makeAsyncIterator()
    _ = await changes.next()
    controller.push(feed)
    _ = await changes.next()
    controller.pop(feed)
  }

  private func ask(_ turn: Int) async throws {
    switch turn / 20 % 4 {
    case 0: _ = try await controller.status()
    case 1: _ = try await controller.history(LoadFilter(limit: 50))
    case 2: _ = try await controller.lastUpdated(Self.feeds[0])
    default: try await controller.flush()
    }
  }
}
