/// What can be wrong with a feed, worst first.
public enum FeedProblem: String, Sendable, Hashable, CaseIterable, Comparable {
  /// A load has been running longer than the expectation or the learned limit allows.
  case overrunning
  /// The last finished loads failed: as many as the expectation says, by default one.
  case failing
  /// No success came by its due time plus the grace. A load that is running holds this back while it is not overrunning;
  /// while nothing says how long it may run, until the next due time.
  case late
  /// The feed has imbalances that are not acknowledged.
  case unbalanced

  /// Orders problems by how bad they are, the worst first.
  public static func < (lhs: Self, rhs: Self) -> Bool {
    (allCases.firstIndex(of: lhs) ?? 0) < (allCases.firstIndex(of: rhs) ?? 0)
  }
}
