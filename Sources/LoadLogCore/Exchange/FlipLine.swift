/// The ndjson line `{"event":"flip","at":…,"feed":…,"from":…,"to":…,"since":…}`: a change of a feed between fine and a
/// problem.
public struct FlipLine: Sendable, Hashable {
  /// The flip.
  public var flip: FeedFlip
  /// The start of the feed's last success before the flip, in microseconds since 1970. Key: `last_success`.
  public var lastSuccess: Int64?

  /// Creates a line.
  package init(_ flip: FeedFlip, lastSuccess: Int64?) {
    self.flip = flip
    self.lastSuccess = lastSuccess
  }
}
