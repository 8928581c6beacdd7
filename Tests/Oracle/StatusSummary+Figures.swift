import LoadLog

extension StatusSummary {
  /// The summary as figures with the plain model's keys.
  var figures: [String: Figure] {
    var figures: [String: Figure] = [:]
    for status in feeds {
      for (key, figure) in status.numbers.figures { figures["feeds/\(status.feed)/\(key)"] = figure }
      let dates = status.dates
      for (key, date) in [
        ("last_updated", dates.lastUpdated), ("last_changed", dates.lastChanged),
        ("last_attempted", dates.lastAttempted), ("last_failed", dates.lastFailed),
      ] {
        figures["feeds/\(status.feed)/\(key)"] = Figure(date)
      }
      figures["feeds/\(status.feed)/failures"] = Figure(status.failures)
      figures["feeds/\(status.feed)/last_failure"] = dates.lastFailure.map(Figure.text) ?? Figure.null
    }
    for (key, figure) in totals.figures { figures["totals/\(key)"] = figure }
    for site in callSites {
      let kind = site.isLikely ? "likely \(site.kind.word)" : site.kind.word
      let key = "call_sites/\(site.feed?.name ?? "-")/\(site.callSite ?? "-")/\(kind)"
      figures["\(key)/count"] = Figure(site.count)
      figures["\(key)/last"] = Figure(site.last)
    }
    return figures
  }
}

extension LoadNumbers {
  fileprivate var figures: [String: Figure] {
    let counts = [
      "loads": loads, "running": running, "unknown": unknown, "succeeded": succeeded, "unchanged": unchanged,
      "failed": failed, "cancelled": cancelled, "ended": ended, "pops_after_reset": popsAfterReset,
      "crashed": unbalanced.crashed, "rebooted": unbalanced.rebooted, "abandoned": unbalanced.abandoned,
      "orphan_finish": unbalanced.orphanFinish, "duplicate_finish": unbalanced.duplicateFinish,
      "extra_pop": unbalanced.extraPop, "total": unbalanced.total,
      "unacknowledged": unbalanced.unacknowledged,
    ]
    var figures = counts.mapValues { Figure($0) }
    figures["overrunning"] = Figure(overrunning.map(Int64.init))
    figures["peak_depth"] = Figure(peakDepth.map(Int64.init))
    figures["running_since"] = Figure(runningSince)
    figures["busy"] = Figure(busy)
    figures["approximate"] = .text("\(isApproximate)")
    for (key, statistics) in [("duration", duration), ("duration_succeeded", durationSucceeded)] {
      guard let statistics else {
        figures[key] = Figure.null
        continue
      }
      figures["\(key).count"] = Figure(statistics.count)
      figures["\(key).sum"] = .whole(statistics.sum)
      figures["\(key).min"] = .whole(statistics.min)
      figures["\(key).max"] = .whole(statistics.max)
      figures["\(key).p50"] = .real(statistics.p50)
      figures["\(key).p90"] = .real(statistics.p90)
      figures["\(key).p95"] = .real(statistics.p95)
      figures["\(key).p99"] = .real(statistics.p99)
      if statistics.quantiles != .exact { figures["\(key).quantiles"] = .text(statistics.quantiles.rawValue) }
    }
    return figures
  }
}
