import Foundation
import LoadLog

/// Records as its commands say, and prints what was acknowledged: LoadLogTortureFixture STORE [power|process].
///
/// It reads one command per line from standard input and continues after errors. It prints each line by one write(2),
/// after the acknowledgement that the line reports:
///
///     loads FEED COUNT TASKS [PAUSE]   COUNT loads by TASKS tasks, with PAUSE milliseconds between them: for each
///                                      "started ID", "finishing ID VERDICT", "finished ID VERDICT"
///     thread FEED COUNT                the same by a thread that blocks
///     start FEED                       a load that stays open: "started ID"
///     push FEED COUNT                  "pushing FEED COUNT"; the next flush or close acknowledges them
///     pop FEED COUNT                   "popping FEED COUNT"
///     idle SECONDS                     "idle" ten times per second
///     flush                            "flushed"
///     failure                          "failure CODE", or "failure none"
///     close                            "closing", "closed"
///     say WORD                         "said WORD"
///
/// An error is "refused COMMAND CODE: TEXT".
@main
enum Torture {
  struct WrongUsage: Error {}

  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count >= 2 else { throw WrongUsage() }
    var options = LoadingController.Options()
    options.onOpenFailure = .fail
    // A deadline that no machine misses: these experiments do not test how long a commit takes.
    options.deadline = .seconds(120)
    options.durability = arguments.dropFirst(2).first == "process" ? .process : .power
    let controller = try LoadingController(storeAt: URL(filePath: arguments[1]), options: options)
    let speaker = Speaker(controller)
    while let line = readLine() {
      try await speaker.obey(line.split(separator: " ").map(String.init))
    }
  }
}

/// Executes commands and prints their results.
final class Speaker: Sendable {
  private let controller: LoadingController
  /// The tokens of the loads that stay open: a token that is released would finish its load.
  private let open = Kept()

  private actor Kept {
    var tokens: [LoadingToken] = []
    func keep(_ token: LoadingToken) { tokens.append(token) }
  }

  init(_ controller: LoadingController) { self.controller = controller }

  func obey(_ words: [String]) async throws {
    let count = words.count > 2 ? Int(words[2]) : 1
    guard let command = words.first, let count else { throw Torture.WrongUsage() }
    let feed = Feed(words.count > 1 ? words[1] : "none")
    do throws(LoadLogError) {
      switch command {
      case "loads":
        await loads(feed, count, tasks: Int(words[3]) ?? 1, pause: words.count > 4 ? Int(words[4]) ?? 0 : 0)
      case "thread": await onAThread { self.loadsOnThisThread(feed, count) }
      case "start":
        let token = try await controller.startLoading(feed)
        say("started \(token.id)")
        await open.keep(token)
      case "push":
        say("pushing \(feed) \(count)")
        for _ in 0..<count { controller.push(feed) }
      case "pop":
        say("popping \(feed) \(count)")
        for _ in 0..<count { controller.pop(feed) }
      case "idle":
        for _ in 0..<(Int(words[1]) ?? 0) * 10 {
          say("idle")
          try? await Task.sleep(for: .milliseconds(100))
        }
      case "flush":
        try await controller.flush()
        say("flushed")
      case "failure": say("failure \(controller.failure?.code.rawValue ?? "none")")
      case "close":
        say("closing")
        try await controller.close()
        say("closed")
      case "say": say("said \(words[1])")
      default: say("unknown \(command)")
      }
    } catch {
      refused(command, error)
    }
  }

  private func loads(_ feed: Feed, _ count: Int, tasks: Int, pause: Int) async {
    await withTaskGroup(of: Void.self) { group in
      for task in 0..<tasks {
        group.addTask {
          for number in stride(from: task, to: count, by: tasks) {
            await self.load(feed, number)
            if pause > 0 { try? await Task.sleep(for: .milliseconds(pause)) }
          }
        }
      }
    }
  }

  private func load(_ feed: Feed, _ number: Int) async {
    do throws(LoadLogError) {
      let token = try await controller.startLoading(feed)
      let verdict = announced(token, number)
      try await controller.finishLoading(token, verdict)
      say("finished \(token.id) \(verdict.state.rawValue)")
    } catch {
      refused("loads", error)
    }
  }

  private func loadsOnThisThread(_ feed: Feed, _ count: Int) {
    for number in 0..<count {
      do throws(LoadLogError) {
        let token = try controller.startLoading(feed)
        let verdict = announced(token, number)
        try controller.finishLoading(token, verdict)
        say("finished \(token.id) \(verdict.state.rawValue)")
      } catch {
        refused("thread", error)
      }
    }
  }

  private func onAThread(_ work: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        work()
        continuation.resume()
      }
    }
  }

  /// Prints the acknowledgement of the start and the verdict that will follow.
  private func announced(_ token: LoadingToken, _ number: Int) -> Verdict {
    let verdict = [Verdict.succeeded, .failed("no route to host"), .unchanged][number % 3]
    say("started \(token.id)\nfinishing \(token.id) \(verdict.state.rawValue)")
    return verdict
  }

  private func refused(_ command: String, _ error: LoadLogError) {
    say(
      "refused \(command) \(error.code.rawValue): \("\(error)".split(separator: "\n").joined(separator: " "))"
    )
  }

  /// Prints a line by one write: it is complete before the next action, or missing if the process was killed.
  private func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = bytes.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
  }
}
