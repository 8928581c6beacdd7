import LoadLogCore

extension FeedStatus {
  /// The feed, its dates and its numbers.
  var json: JSONValue {
    let head: JSONValue = [
      "feed": .string(feed.name), "last_updated": .moment(dates.lastUpdated),
      "last_changed": .moment(dates.lastChanged), "last_attempted": .moment(dates.lastAttempted),
      "last_failed": .moment(dates.lastFailed), "last_failure": .text(dates.lastFailure),
      "overlaps": .count(overlaps),
    ]
    return head.appending(numbers.json).appending([
      "failures": .count(failures), "problems": .array(problems.map { .string($0.rawValue) }),
      "expectation": expectationJSON, "trend": trend.json,
    ])
  }
}

extension DurationTrend? {
  /// How durations have changed lately; null if too few loads succeeded.
  fileprivate var json: JSONValue {
    guard let self else { return nil }
    return [
      "recent_median": .seconds(self.recentMedian), "earlier_median": .seconds(self.earlierMedian),
      "ratio": .number((self.ratio * 100).rounded() / 100), "slower": .bool(self.isSlower),
    ]
  }
}

extension LoadNumbers {
  var json: JSONValue {
    [
      "running": .count(running), "running_since": .moment(runningSince), "unknown": .count(unknown),
      "overrunning": .count(overrunning), "peak_depth": .count(peakDepth), "loads": .count(loads),
      "succeeded": .count(succeeded), "unchanged": .count(unchanged), "failed": .count(failed),
      "cancelled": .count(cancelled), "ended": .count(ended), "unbalanced": unbalanced.json,
      "pops_after_reset": .count(popsAfterReset), "duration": duration.json,
      "duration_succeeded": durationSucceeded.json, "busy": .seconds(busy),
      "approximate": .bool(isApproximate),
    ]
  }
}

extension ImbalanceCounts {
  /// The counts by kind.
  var kinds: KeyValuePairs<String, Int> {
    [
      "crashed": crashed, "rebooted": rebooted, "abandoned": abandoned, "orphan_finish": orphanFinish,
      "duplicate_finish": duplicateFinish, "extra_pop": extraPop,
    ]
  }

  fileprivate var json: JSONValue {
    JSONValue.object(kinds.map { .init(key: $0, value: .count($1)) }).appending([
      "total": .count(total), "unacknowledged": .count(unacknowledged),
    ])
  }
}

extension DurationStatistics? {
  fileprivate var json: JSONValue {
    guard let self else { return nil }
    return [
      "count": .count(self.count), "sum": .seconds(self.sum), "min": .seconds(self.min),
      "mean": .seconds(self.mean), "p50": .seconds(self.p50), "p90": .seconds(self.p90),
      "p95": .seconds(self.p95), "p99": .seconds(self.p99), "max": .seconds(self.max),
      "quantiles": .string(self.quantiles.rawValue),
    ]
  }
}

extension CallSiteCount {
  var json: JSONValue {
    [
      "feed": .text(feed?.name), "call_site": .text(callSite), "likely": .bool(isLikely),
      "kind": .string(kind.word), "count": .count(count), "last": .moment(last),
    ]
  }
}
