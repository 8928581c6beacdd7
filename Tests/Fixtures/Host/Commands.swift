import Foundation
import LoadLog

/// Commands that a host obeys while it records, one per line of its input; the end of the input ends the recorder.
///
///     start FEED     starts a load
///     finish ID      finishes a load that it has started
///     copy SUFFIX    opens, reads and closes the store's file of that suffix (db, -wal, -shm)
///     fork           forks; the child tries to record, says "child CODE" for each refusal, and waits to be killed
struct Commands: Sendable {
  private let recorder: Recorder
  private let store: String
  /// Seconds after which a child ends if it is not killed.
  private static let longestLife: UInt32 = 120

  init(_ recorder: Recorder, store: String) {
    self.recorder = recorder
    self.store = store
  }

  /// Reads and executes commands on a new thread.
  func obey() {
    Thread { [self] in
      var open: [String: LoadingToken] = [:]
      while let line = readLine() {
        let words = line.split(separator: " ", maxSplits: 1).map(String.init)
        switch (words.first, words.dropFirst().first) {
        case ("start", let feed?):
          attempt {
            let token = try recorder.controller.startLoading(Feed(feed))
            open["\(token.id)"] = token
            Line.say("started \(token.id)")
          }
        case ("finish", let id?):
          attempt {
            guard let token = open.removeValue(forKey: id) else { return }
            try recorder.controller.finishLoading(token)
            Line.say("finished \(token.id)")
          }
        case ("copy", let suffix?): copy(suffix == "db" ? store : store + suffix)
        case ("fork", nil): fork()
        default: Line.say("what is \(line)?")
        }
      }
      recorder.end()
    }.start()
  }

  private func attempt(_ work: () throws -> Void) {
    do { try work() } catch { Line.say("refused \((error as? LoadLogError)?.code.rawValue ?? "?") 0") }
  }

  /// Copies a file as a backup, a virus scanner or a careless host does.
  private func copy(_ path: String) {
    let size = FileManager.default.contents(atPath: path)?.count
    Line.say("copied \(size ?? -1)")
  }

  private func fork() {
    guard let symbol = dlsym(nil, "fork") else { return Line.say("no fork") }
    let child = unsafeBitCast(symbol, to: (@convention(c) () -> Int32).self)()
    guard child == 0 else { return }
    alarm(Self.longestLife)
    recorder.recordInChild()
    while true { pause() }
  }
}
