import LoadLogCore

extension RecordSnapshot {
  /// The numbers of the feeds that match a filter.
  func status(_ filter: LoadFilter, runningLimit: Int64?) -> StatusSummary {
    let book = ExpectationBook(expected)
    let statuses = feeds().filter(filter.admits).map { feed in
      status(
        of: feed, filter, runningLimit: runningLimit,
        expectation: book.expectation(of: feed, dates[feed] ?? FeedDates()))
    }
    var totals = count(filter, loads.filter { filter.admits($0.feed) })
    totals.runningSince = statuses.compactMap(\.numbers.runningSince).min()
    let overrunning = statuses.compactMap(\.numbers.overrunning)
    totals.overrunning = overrunning.isEmpty ? nil : overrunning.reduce(0, +)
    return StatusSummary(
      generated: taken, since: filter.since, until: filter.until, feeds: statuses, totals: totals,
      callSites: callSites(filter),
      firstStart: loads.filter { filter.admits($0.feed) }.map(\.started.wall).min())
  }

  /// The numbers of each UTC day that lies in the window: those of all matching feeds together, then those of the
  /// listed ones.
  func days(_ filter: LoadFilter, listing listed: Set<Feed>) -> [DayNumbers] {
    let groups: [Feed?] = [nil] + feeds().filter { filter.admits($0) && listed.contains($0) }
    return groups.flatMap { feed in
      let mine = loads.filter { filter.admits($0.feed) && feed ?? $0.feed == $0.feed }
      let days = Set(mine.map { UTCDay(of: $0.started.wall) }).sorted()
      return days.filter { $0.start >= filter.since ?? .min && $0.end <= filter.until ?? .max }.map { day in
        let window = LoadFilter(
          feeds: feed.map { [FeedPattern(exactly: $0)] } ?? filter.feeds, since: day.start, until: day.end)
        let loads = mine.filter { window.contains($0.started.wall) && $0.state.isFinished }
        var numbers = count(window, mine)
        (numbers.running, numbers.unknown) = (0, 0)
        (numbers.duration, numbers.durationSucceeded) = (nil, nil)
        return DayNumbers(
          feed: feed, day: day, numbers: numbers, succeeded: tally(loads.filter(\.state.isSuccess)),
          others: tally(loads.filter { !$0.state.isSuccess }))
      }
    }
  }

  /// The numbers of each hour in which loads of the matching feeds started, ordered by feed and hour.
  func hours(_ filter: LoadFilter) -> [HourNumbers] {
    var hours: [Feed: [Int64: HourNumbers]] = [:]
    for load in loads where filter.admits(load.feed) && filter.contains(load.started.wall) {
      let hour = HourNumbers(feed: load.feed, containing: load.started.wall)
      hours[load.feed, default: [:]][hour.start, default: hour].count(load.state, duration: load.duration)
    }
    return hours.values.flatMap(\.values).sorted { ($0.feed, $0.start) < ($1.feed, $1.start) }
  }

  /// Busy time and peak depth of the feeds and of the record.
  func busy(_ filter: LoadFilter, progress: (_ done: Int64, _ total: Int64) -> Void) -> BusySummary {
    let window =
      (filter.since ?? .min).multipliedClamping(
        by: 1000)..<max(
        (filter.since ?? .min).multipliedClamping(by: 1000),
        (filter.until ?? .max).multipliedClamping(by: 1000))
    func time(_ loads: [LoadingSession]) -> BusyTime {
      var (time, sweep) = (BusyTime(), DepthSweep())
      for load in loads.sorted(by: { $0.started.wall < $1.started.wall }) {
        let start = load.started.wall * 1000
        sweep.add(.init(start: start, end: start + load.openAtLeast)) {
          time.add($0, within: window)
        }
      }
      sweep.advance(to: .max) { time.add($0, within: window) }
      return time
    }
    let feeds = feeds().filter(filter.admits).map { feed in (feed, time(loads.filter { $0.feed == feed })) }
    return BusySummary(
      feeds: Dictionary(uniqueKeysWithValues: feeds), store: filter.feeds.isEmpty ? time(loads) : nil)
  }

  private func status(
    of feed: Feed, _ filter: LoadFilter, runningLimit: Int64?, expectation: FeedExpectation?
  ) -> FeedStatus {
    let newest = newestFirst { $0.feed == feed }
    let running = newest.filter { $0.shownState == .running }
    let finished = newest.filter(\.state.isFinished)
    var status = FeedStatus(feed: feed, dates: dates[feed] ?? FeedDates())
    status.numbers = count(
      LoadFilter(feeds: [FeedPattern(exactly: feed)], since: filter.since, until: filter.until), newest)
    status.numbers.runningSince = running.last?.started.wall
    status.oldestRunning = running.last
    status.hasEnded = newest.contains { $0.state == .ended }
    status.hasCancelled = newest.contains { $0.state == .cancelled }
    if status.dates.lastVerdict == .failed {
      status.failedCallSite = newest.first { $0.state == .failed }?.callSite
    }
    let hasRhythm = finished.count { $0.duration != nil } >= OverrunRule.leastFinished
    let limit = runningLimit ?? expectation?.expectation.maxRunning
    status.runningLimit = limit
    if limit == nil, hasRhythm, !running.isEmpty,
      let p99 = (statistics(finished.filter(\.state.isSuccess)) ?? statistics(finished))?.p99
    {
      status.usualMaximum = Int64(exactly: p99.rounded()) ?? .max
      status.runningLimit = OverrunRule.limit(p99: p99)
    }
    if limit != nil || hasRhythm {
      status.numbers.overrunning = running.count { $0.openAtLeast > status.runningLimit ?? .max }
    }
    func successes(_ days: Range<UTCDay>) -> DurationTally {
      tally(finished.filter { $0.state.isSuccess && days.contains(UTCDay(of: $0.started.wall)) })
    }
    status.trend = DurationTrend(
      recent: successes(DurationTrend.recent(at: taken)), earlier: successes(DurationTrend.earlier(at: taken))
    )
    var facts = FeedCondition.Facts(status, expectation: expectation, now: taken)
    let recent = newest.filter { $0.started.wall > status.dates.lastSuccessStarted ?? .min }
    facts.failed = recent.count { $0.state == .failed }
    let lost = recent.filter { $0.state.isUnfinishedStart && $0.acknowledgement == nil }
    facts.unfinished = lost.count
    let failed = status.dates.lastVerdict == .failed ? status.dates.lastFailed : nil
    status.lostLoad = lost.first.flatMap { failed ?? .min > $0.started.wall ? nil : $0 }
    facts.runningSince =
      running.first { $0.openAtLeast <= status.runningLimit ?? .max }?.started.wall
    if hasRhythm {
      facts.usualMaximum =
        (tally(finished.filter(\.state.isSuccess)).statistics() ?? tally(finished).statistics())?.p99
    }
    status.apply(facts)
    return status
  }

  /// Counts the loads that started in a window, the finishes that matched none, and what runs beside any window.
  private func count(_ filter: LoadFilter, _ all: [LoadingSession]) -> LoadNumbers {
    let loads = all.filter { filter.contains($0.started.wall) }
    let unmatched = unmatched.filter { filter.contains($0.at) }
    let states = loads.map(\.shownState)
    func number(_ state: ShownState) -> Int { states.count { $0 == state } }
    var numbers = LoadNumbers()
    numbers.loads = loads.count
    numbers.running = all.count { $0.shownState == .running }
    numbers.unknown = all.count { $0.shownState == .unknown }
    (numbers.succeeded, numbers.unchanged) = (number(.succeeded), number(.unchanged))
    (numbers.failed, numbers.cancelled) = (number(.failed), number(.cancelled))
    numbers.ended = number(.ended)
    for imbalance in imbalances(filter, loads, unmatched) {
      numbers.unbalanced.add(imbalance.kind, acknowledged: imbalance.acknowledgement != nil)
    }
    numbers.popsAfterReset = unmatched.count {
      $0.kind == .unmatchedFinish(.popAfterReset) && $0.feed.map(filter.admits) ?? false
    }
    numbers.duration = statistics(loads.filter(\.state.isFinished))
    numbers.durationSucceeded = statistics(loads.filter(\.state.isSuccess))
    return numbers
  }

  private func tally(_ loads: [LoadingSession]) -> DurationTally {
    loads.compactMap(\.duration).reduce(into: DurationTally()) { $0.add($1) }
  }

  private func statistics(_ loads: [LoadingSession]) -> DurationStatistics? {
    let durations = loads.compactMap(\.duration).sorted()
    return tally(loads).statistics(sorted: durations.count <= DurationStatistics.exactLimit ? durations : nil)
  }

  private func callSites(_ filter: LoadFilter) -> [CallSiteCount] {
    let inside = loads.filter { filter.contains($0.started.wall) }
    let alarming = imbalances(filter, inside, unmatched.filter { filter.contains($0.at) })
      .filter { $0.acknowledgement == nil }
    let sites = Dictionary(grouping: alarming) {
      CallSiteCount(
        feed: $0.feed, callSite: $0.callSite, isLikely: $0.isLikely, kind: $0.kind, count: 0, last: 0)
    }
    return sites.map { site, imbalances in
      var site = site
      (site.count, site.last) = (imbalances.count, imbalances.map(\.at).max() ?? 0)
      return site
    }.sorted(by: CallSiteCount.isMoreFrequent)
  }
}
