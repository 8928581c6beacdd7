/// A line of ndjson, LoadLog's own exchange format.
///
/// An export contains the result of all events, in commit order: owners before their loads, each load as a
/// start followed by its finish if it is over, acknowledged imbalances, and days with pruned loads.
/// Handwritten lines can also push, pop and reset.
///
/// The keys of a line are in the order of the properties. The keys of the format's first version are always
/// present, null if unknown: at, feed, id, message, tag and call_site of a start; at, id, verdict, reason and
/// duration_ns of a finish. All other keys are omitted if they have no value. Unknown keys are ignored.
public enum RecordLine: Sendable, Hashable {
  /// A load started.
  case start(StartLine)
  /// A load finished or was found unfinished.
  case finish(FinishLine)
  /// The count of a feed increased by 1.
  case push(CountLine)
  /// The count of a feed decreased by 1.
  case pop(CountLine)
  /// The counts of a feed, or of all feeds, were set to 0.
  case reset(CountLine)
  /// An owner.
  indirect case owner(OwnerLine)
  /// The dates of a feed.
  indirect case feed(FeedLine)
  /// A finish or pop that matched no open load.
  indirect case unmatched(UnmatchedLine)
  /// A user acknowledged an imbalance.
  case acknowledged(AcknowledgedLine)
  /// What is expected of a feed.
  indirect case expectation(ExpectationLine)
  /// A change of a feed between fine and a problem.
  indirect case flip(FlipLine)
  /// A part of what the command of a load wrote.
  case output(OutputLine)
  /// The numbers of a day with pruned loads.
  indirect case sealedDay(SealedDayLine)

  /// The wall times that can be imported: from 1970 to 2199, in microseconds since 1970.
  package static let times: Range<Int64> = 0..<7_258_118_400_000_000
}

/// The ndjson line `{"event":"start","at":…,"feed":…,"id":…,"message":…,"tag":…,"call_site":…}`.
public struct StartLine: Sendable, Hashable {
  /// When the load started, in microseconds since 1970.
  public var at: Int64
  /// The feed of the load.
  public var feed: Feed
  /// The id of the load; nil in handwritten lines without one.
  public var id: SessionID?
  /// The last message of the load.
  public var message: String?
  /// The tag of the load.
  public var tag: String?
  /// The call site of the start.
  public var callSite: String?
  /// Whether the load is a push. Key: `anonymous`.
  public var isAnonymous = false
  /// The uid of the owner as lower-case hexadecimal digits.
  public var owner: String?
  /// When the load started, in nanoseconds of its owner's boot clock. Key: `boot_ns`.
  public var boot: Int64?
  /// The number of the attempt of `loadlog run` while it is running; nil for other loads.
  public var attempt: Int64?

  /// Creates a start with its required values.
  package init(at: Int64, feed: Feed, id: SessionID?) {
    self.at = at
    self.feed = feed
    self.id = id
  }
}

/// The ndjson line `{"event":"finish","at":…,"id":…,"verdict":…,"reason":…,"duration_ns":…}`.
public struct FinishLine: Sendable, Hashable {
  /// When the load ended, in microseconds since 1970: its end if it was observed, otherwise its owner's last
  /// sign of life.
  public var at: Int64
  /// The id of the load.
  public var id: SessionID
  /// The verdict, any state but running; `succeeded` if a handwritten line has none.
  public var verdict: SessionState
  /// The reason for the verdict.
  public var reason: String?
  /// The duration in nanoseconds; for an unfinished start the minimum time that it was open. If nil, an
  /// import uses the difference of the two times. Key: `duration_ns`.
  public var duration: Int64?
  /// Whether the line has a null duration: the duration is unknown, and is not the difference of the two
  /// times.
  public var isDurationUnknown = false
  /// Whether the end was not observed: the load crashed or the machine rebooted. Key: `unseen`.
  public var isUnseen = false
  /// Whether the finish arrived after the load had been recorded as unfinished. Key: `finished_after_verdict`.
  public var isFinishedAfterVerdict = false
  /// Where the duration comes from. Keys: `wall` or `imported`, true if it is that source; none for `boot`.
  public var durationSource = DurationSource.boot
  /// How long an indicator was visible for the load, in nanoseconds. Key: `visible_ns`.
  public var visible: Int64?
  /// The number of times that the load ended within an indicator's grace time. Key: `suppressed`.
  public var suppressed: Int64?
  /// Whether the load is a push that was reset and whose pop has not arrived yet. Key: `forgiven`.
  public var isForgiven = false
  /// What `loadlog run` knows of the command. Keys: `attempt`, `retried`, `user_ns`, `system_ns` and `max_memory`.
  public var run: RunFacts?

  /// Creates a finish with its required values.
  package init(at: Int64, id: SessionID, verdict: SessionState) {
    self.at = at
    self.id = id
    self.verdict = verdict
  }
}

/// The ndjson line `{"event":"push","at":…,"feed":…}`, or the same for pop and reset.
public struct CountLine: Sendable, Hashable {
  /// When the event happened, in microseconds since 1970.
  public var at: Int64
  /// The feed; nil for a reset of all feeds.
  public var feed: Feed?
  /// The verdict of a pop; `ended` if the line has none.
  public var verdict = SessionState.ended
  /// The reason for the verdict.
  public var reason: String?
  /// The call site of the event.
  public var callSite: String?
  /// The uid of the owner as lower-case hexadecimal digits.
  public var owner: String?

  /// Creates a line with its required values.
  package init(at: Int64, feed: Feed?) {
    self.at = at
    self.feed = feed
  }
}

/// The ndjson line `{"event":"unmatched","id":…,"kind":…,"at":…}`.
public struct UnmatchedLine: Sendable, Hashable {
  /// The id of the unmatched finish.
  public var id: SessionID
  /// The kind of unmatched finish.
  public var kind: UnmatchedKind
  /// When the finish arrived, in microseconds since 1970.
  public var at: Int64
  /// The feed, if known.
  public var feed: Feed?
  /// The id of the load that the finish names. Key: `load`.
  public var session: SessionID?
  /// The verdict of the finish or pop.
  public var verdict: SessionState
  /// The reason for the verdict.
  public var reason: String?
  /// The call site of the finish.
  public var callSite: String?
  /// The uid of the owner as lower-case hexadecimal digits.
  public var owner: String?
  /// When the finish arrived, in nanoseconds of its owner's boot clock. Key: `boot_ns`.
  public var boot: Int64?

  /// Creates a line with its required values.
  package init(id: SessionID, kind: UnmatchedKind, at: Int64, verdict: SessionState) {
    self.id = id
    self.kind = kind
    self.at = at
    self.verdict = verdict
  }
}

/// The ndjson line `{"event":"output","id":…,"total":…,"kept":…,"offset":…,"text":…}`: a part of the kept output of a
/// load. The parts follow each other. A part of bytes that are not a text has the key `base64` instead of `text`.
public struct OutputLine: Sendable, Hashable {
  /// The maximum number of bytes in one line. In base64 they are still fewer than a value of an import may have.
  package static let mostBytes = 48_000

  /// The id of the load.
  public var id: SessionID
  /// The number of bytes that the command wrote.
  public var total: Int64
  /// The number of bytes that were kept of them.
  public var kept: Int64
  /// The position of the part in the kept bytes.
  public var offset: Int64
  /// The part.
  public var bytes: [UInt8]

  /// Creates a line from its parts.
  package init(id: SessionID, total: Int64, kept: Int64, offset: Int64, bytes: [UInt8]) {
    self.id = id
    self.total = total
    self.kept = kept
    self.offset = offset
    self.bytes = bytes
  }

  /// Divides an output into lines. A text is divided between characters.
  package static func lines(of output: KeptOutput, id: SessionID) -> [OutputLine] {
    var lines: [OutputLine] = []
    var rest = output.bytes[...]
    repeat {
      var part = rest.prefix(mostBytes)
      if part.count < rest.count {
        // No character has more than four bytes, of which only the first is not 10xxxxxx.
        let end = (part.endIndex - 3...part.endIndex).last { rest[$0] & 0xC0 != 0x80 } ?? part.endIndex
        part = rest[..<end]
      }
      lines.append(
        OutputLine(
          id: id, total: output.total, kept: Int64(output.bytes.count), offset: Int64(part.startIndex),
          bytes: Array(part)))
      rest = rest[part.endIndex...]
    } while !rest.isEmpty
    return lines
  }
}

/// The ndjson line `{"event":"acknowledged","id":…,"at":…,"by":…,"note":…}`.
public struct AcknowledgedLine: Sendable, Hashable {
  /// The id of the unfinished load or of the unmatched finish.
  public var id: SessionID
  /// The time, the user and the user's comment.
  public var acknowledgement: Acknowledgement

  /// Creates a line from its parts.
  package init(id: SessionID, acknowledgement: Acknowledgement) {
    self.id = id
    self.acknowledgement = acknowledgement
  }
}
