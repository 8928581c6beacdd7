import Foundation
import LoadLog
import LoadLogReports

/// The work of `notify`: checks the feeds of a store, or of a fleet's hosts, again and again, and delivers their flips.
struct Notifier {
  /// The store, which keeps what was noticed and delivered.
  let path: String
  /// The fleet that is checked; nil to check the store.
  let fleet: AskedFleet?
  let filter: LoadFilter
  let name: String
  let destination: any FlipDestination
  let heartbeat: NotifyCommand?
  /// How often to check, in nanoseconds; nil to check once.
  let interval: Int64?
  let isQuiet: Bool
  let isVerbose: Bool

  /// How long a record of the last check may be older than the check, in microseconds: `status` warns after ten minutes.
  private static let recordAge: Int64 = 240_000_000
  /// How often to look for a store that is not there yet, or for the end of another notifier, in nanoseconds.
  private static let waiting: Int64 = 1_000_000_000
  /// How long a single check waits for the end of another notifier, in nanoseconds. Longer than a check with the slowest
  /// commands takes: one that is still at work then will check again.
  private static let patience: Int64 = 75_000_000_000

  /// What a check has left to do.
  private enum Rest {
    case nothing
    /// A delivery failed, and is tried again at this time, in microseconds since 1970.
    case delivery(at: Int64)
    /// Feeds became late while nothing was checked, and may run first.
    case deferred
  }

  private let clock: any LoadClock = BootClock()

  /// Checks until a signal arrives, or until nothing is left that a single check can do.
  ///
  /// - Returns: the exit code. Of a single check 1 if a flip could not be delivered, and 128 + n if signal n ended it;
  ///   otherwise 0, because a signal is how the work ends.
  /// - Throws: what opening the store throws, if it checks once; later errors are printed, and the next check tries again.
  func run() throws -> Int32 {
    guard let inbox = SignalInbox(for: [SIGINT, SIGTERM, SIGHUP]) else {
      throw LoadLogError(.io, what: "notify", why: String(cString: strerror(errno)))
    }
    var turn: StoreGate?
    var isChecked = false
    var unsaved: NotifierRecord?
    var lastCheck: EarlierCheck?
    var said: Set<String> = []
    func noteOnce(_ text: String, isRemark: Bool = false) {
      guard said.insert(text).inserted else { return }
      if isRemark { remark(text) } else { note(text) }
    }
    let began = clock.now().boot
    while true {
      var pause = interval ?? Self.waiting
      do throws(LoadLogError) {
        if turn == nil { turn = try takeTurn() }
        if turn != nil {
          if !isChecked { try noteUnknownFeeds() }
          isChecked = true
          switch try check(&unsaved, &lastCheck) {
          case .deferred:
            noteOnce(
              "feeds became late while nothing was checked; waiting 2 minutes, in case they succeed.")
            if interval != nil { beat() }
            pause = min(pause, interval == nil ? Self.waiting : CheckGap.patience * 1000)
          case .delivery(let next):
            beat()
            if interval == nil { return Ending.refused }
            let wait = next.subtractingClamping(clock.now().wall).multipliedClamping(by: 1000)
            if wait > 0 { pause = min(pause, wait) }
          case .nothing:
            beat()
            if interval == nil { return 0 }
          }
        } else if interval == nil, clock.now().boot - began > Self.patience {
          note("another notifier named \(VisibleText.line(name)) is at work, and delivers what it finds.")
          return 0
        } else {
          noteOnce(
            "another notifier named \(VisibleText.line(name)) is at work; this one waits for its end.",
            isRemark: interval == nil)
          pause = min(pause, Self.waiting)
        }
      } catch {
        guard interval != nil else { throw error }
        if error.code == .storeMissing {
          noteOnce("there is no store \(VisibleText.quoted(path)) yet; waiting for it.")
          pause = min(pause, Self.waiting)
        } else {
          note(error.description)
        }
      }
      if let signal = signal(from: inbox, within: pause) {
        store(lastCheck, unsaved)
        return interval == nil ? 128 + signal : 0
      }
    }
  }

  /// Writes at the end when this process checked last, so that the next one finds no gap before that. If the store cannot
  /// be written to now, it finds one.
  private func store(_ lastCheck: EarlierCheck?, _ unsaved: NotifierRecord?) {
    guard let lastCheck else { return }
    do throws(LoadLogError) {
      let reader = try SQLiteLoadReader(at: path, clock: clock)
      let book = FlipBook(at: path, reader, clock: clock, deadline: .seconds(5))
      let stored = try book.record(of: name)
      guard var record = unsaved ?? stored else { return }
      // A clock that was ahead may have made a later one.
      record.lastCheck = max(record.lastCheck, lastCheck.at)
      try book.set(record, of: name)
    } catch {
      remark(error.description)
    }
  }

  /// The lock by which one notifier of a name works at a time. It ends with its process.
  private func takeTurn() throws(LoadLogError) -> StoreGate? {
    let turn = try FlipBook(at: path, SQLiteLoadReader(at: path, clock: clock), clock: clock).turn(of: name)
    return try turn.tryLock() ? turn : nil
  }

  /// Says which of the feeds nothing is known of: a name may be misspelled.
  private func noteUnknownFeeds() throws(LoadLogError) {
    guard !filter.feeds.isEmpty else { return }
    let kept = try SQLiteLoadReader(at: path, clock: clock)
    let reader: any LoadReading = fleet?.reader ?? kept
    let reported = try FlipBook(at: path, kept, clock: clock).newest().keys
    for pattern in filter.feeds where !reported.contains(where: pattern.matches) {
      guard try reader.feeds(matching: pattern).isEmpty else { continue }
      note("no feed is named \(VisibleText.quoted(pattern.text)) yet, so it is not checked.")
    }
  }

  /// Checks once.
  ///
  /// - Parameters:
  ///   - unsaved: the record of the last check, if it could not be stored.
  ///   - lastCheck: the last check of this process, of which the store learns only now and then.
  private func check(
    _ unsaved: inout NotifierRecord?, _ lastCheck: inout EarlierCheck?
  ) throws(LoadLogError) -> Rest {
    // The file may have been replaced since the last check.
    let reader = try SQLiteLoadReader(at: path, clock: clock)
    let book = FlipBook(at: path, reader, clock: clock)
    let stored = try book.record(of: name)
    let before = unsaved ?? stored
    let start = clock.now().wall
    var record = before ?? NotifierRecord(lastCheck: start)
    // A check that lies in the future was made by a clock that was ahead: no gap follows it.
    let last =
      lastCheck.flatMap { $0.at < record.lastCheck ? nil : $0 }
      ?? EarlierCheck(at: record.lastCheck, gap: record.gap)
    // A host of a fleet may report a crash long after it.
    let seen = before == nil || fleet != nil ? nil : last
    record.gap = CheckGap(since: last.at, at: start, interval: interval) ?? record.gap
    let hosts = try fleet.map { (fleet) throws(LoadLogError) in try fleet.hosts() }
    let check = AlarmCheck(
      fleet?.reader ?? reader, filter, book,
      hosts: Set(hosts?.hosts.flatMap { [$0.name, $0.distinctName] } ?? [])
    ) { summary, gap, lastCheck in
      let feeds = AlarmReport.found(in: summary, gap: gap, lastCheck: lastCheck, zone: .current)
      return hosts.map { HostsReport($0.hosts, now: $0.now, fleet: path).found(with: feeds) } ?? feeds
    }
    let look = try check.look(after: record.gap, seen)
    let (summary, newest) = (look.summary, try check.note(look))
    record.state.succeedPauses(newest, at: summary.generated)
    record.state.settle(newest)
    let batch = record.state.batch(of: newest, at: summary.generated)
    if !batch.isEmpty {
      let message = FlipBatch(look.explain(batch), of: name, summary: summary, store: fleet?.name ?? path)
      switch destination.deliver(message) {
      case .succeeded:
        record.state.succeed(batch, at: clock.now().wall)
        remark("delivered: \(message.line)")
      case .failed(let reason):
        record.state.fail(at: clock.now().wall)
        note("\(destination.option): \(reason). It will be tried again\(nextAttempt(record)).")
      }
    } else if record.state.attempts > 0 {
      let text = "the last delivery failed; it will be tried again\(nextAttempt(record))."
      // A failure is reported when it happens, which a single check may only find.
      if interval == nil { note(text) } else { remark(text) }
    } else if record.state.waits(newest) {
      remark("nothing is due: each feed is reported at most once in 5 minutes.")
    } else if !look.isDeferred {
      remark("nothing has changed.")
    }
    record.lastCheck = start
    lastCheck = look.earlier(at: start)
    if unsaved != nil || hasChanged(record, since: before) {
      // While this process lives, what was delivered is not delivered again, even if it cannot be stored now.
      unsaved = record
      try book.set(record, of: name)
      unsaved = nil
    }
    if record.state.attempts > 0 { return .delivery(at: record.state.nextAttempt ?? start) }
    return look.isDeferred ? .deferred : .nothing
  }

  /// Runs the command that follows each completed check.
  private func beat() {
    guard let heartbeat, case .failed(let reason) = heartbeat.run() else { return }
    note("\(heartbeat.option): \(reason).")
  }

  /// Whether a record must be written: it is new or says something new, or the stored time of the last check is old or
  /// wrong.
  private func hasChanged(_ record: NotifierRecord, since before: NotifierRecord?) -> Bool {
    guard let before, before.state == record.state, before.gap == record.gap else { return true }
    return abs(record.lastCheck.subtractingClamping(before.lastCheck)) >= Self.recordAge
  }

  /// " at 17:35 at the earliest"; empty if it can be at once.
  private func nextAttempt(_ record: NotifierRecord) -> String {
    record.state.nextAttempt.map { next in
      " at \(LocalTime(zone: .current).minute(next, near: clock.now().wall)) at the earliest"
    } ?? ""
  }

  private func remark(_ text: @autoclosure () -> String) { if isVerbose { Output.note(text()) } }

  private func note(_ text: String) { if !isQuiet { Output.note(text) } }

  /// The first signal that arrives within some nanoseconds.
  private func signal(from inbox: SignalInbox, within nanoseconds: Int64) -> Int32? {
    let end = clock.now().boot + nanoseconds
    while true {
      if let signal = inbox.signals().first { return signal }
      let rest = end - clock.now().boot
      guard rest > 0 else { return nil }
      var file = pollfd(fd: inbox.file, events: Int16(POLLIN), revents: 0)
      _ = poll(&file, 1, PollTime.milliseconds(rest))
    }
  }
}
