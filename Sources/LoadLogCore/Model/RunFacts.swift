/// What `loadlog run` knows of the command of a load.
public struct RunFacts: Sendable, Hashable {
  /// The number of the attempt, counted from 1. Each attempt of `run --retry` is a load.
  public var attempt: Int
  /// Whether another attempt followed, or was about to. A failure that is retried does not make its feed failing.
  public var isRetried: Bool
  /// The processor time that the command and the processes that it waited for spent in their own code, in nanoseconds;
  /// nil if unknown.
  public var userTime: Int64?
  /// The processor time that the kernel spent for them, in nanoseconds; nil if unknown.
  public var systemTime: Int64?
  /// The most memory that one of these processes had at a time, in bytes; nil if it was less than can be measured.
  public var maxMemory: Int64?

  /// Creates facts from their parts.
  public init(
    attempt: Int = 1, isRetried: Bool = false, userTime: Int64? = nil, systemTime: Int64? = nil,
    maxMemory: Int64? = nil
  ) {
    self.attempt = attempt
    self.isRetried = isRetried
    self.userTime = userTime
    self.systemTime = systemTime
    self.maxMemory = maxMemory
  }
}

/// The end of what the command of a load wrote to standard output and standard error, in the order in which it came.
public struct KeptOutput: Sendable, Hashable {
  /// The maximum number of bytes that are kept.
  package static let most: Int64 = 10_000_000

  /// The number of bytes that the command wrote, including those that were not kept.
  public var total: Int64
  /// The last bytes. They begin at the beginning of a line, unless a single line is longer than what is kept.
  public var bytes: [UInt8]

  /// Creates an output from its parts.
  public init(total: Int64, bytes: [UInt8]) {
    self.total = total
    self.bytes = bytes
  }

  /// The number of bytes that came before the kept ones.
  public var missing: Int64 { max(0, total - Int64(bytes.count)) }

  /// The last lines, without what is longer than `limit` bytes together.
  package func tail(lines count: Int, limit: Int = .max) -> KeptOutput {
    let newline = UInt8(ascii: "\n")
    var start = bytes.endIndex
    var rest = bytes[...]
    if rest.last == newline { rest = rest.dropLast() }
    var lines = 0
    while lines < count, !rest.isEmpty {
      lines += 1
      let line = rest.lastIndex(of: newline).map { $0 + 1 } ?? rest.startIndex
      guard bytes.endIndex - line <= limit || start == bytes.endIndex else { break }
      start = line
      rest = line > rest.startIndex ? rest[..<(line - 1)] : []
    }
    start = max(start, bytes.endIndex - min(limit, bytes.count))
    return KeptOutput(total: total, bytes: Array(bytes[start...]))
  }
}

/// What `loadlog run` adds to the events of a load.
package struct RunDetails: Sendable {
  /// When the command began; nil if that was at the start event.
  package var began: LoadInstant?
  /// When the command ended; nil if that is the time of the event.
  package var ended: LoadInstant?
  package var facts: RunFacts?
  package var output: KeptOutput?
  /// Whether a start is refused while another load of the feed is running.
  package var refusesOverlap = false

  package init(
    began: LoadInstant? = nil, ended: LoadInstant? = nil, facts: RunFacts? = nil, output: KeptOutput? = nil,
    refusesOverlap: Bool = false
  ) {
    self.began = began
    self.ended = ended
    self.facts = facts
    self.output = output
    self.refusesOverlap = refusesOverlap
  }
}
