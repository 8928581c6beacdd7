package import LoadLogCore

extension FeedStatus {
  /// A hand-made status with the problems that a store would find.
  package func judged(at now: Int64, expecting expectation: FeedExpectation? = nil) -> FeedStatus {
    var (status, facts) = (self, FeedCondition.Facts(self, expectation: expectation, now: now))
    facts.unfinished = lostLoad == nil ? 0 : 1
    status.apply(facts)
    (status.hasEnded, status.hasCancelled) = (numbers.ended > 0, numbers.cancelled > 0)
    return status
  }
}
