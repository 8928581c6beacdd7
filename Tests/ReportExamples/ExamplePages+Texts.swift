import LoadLogCore
package import LoadLogReports

extension ExamplePages {
  /// Texts that would run code or add elements on a page that does not escape them, and texts that are hard
  /// to lay out.
  ///
  /// U+0600 combines with the scalar after it into one character, and U+0301 with the one before it. Code
  /// that escapes character by character therefore misses the `<` or `"`.
  package static let hostileTexts = [
    "<script>window.acted = 1</script>", "\"><img src=x onerror=\"window.acted = 2\">",
    "'><img src=x onerror='window.acted = 3'>", "</title></style></script><svg onload=\"window.acted = 4\">",
    "\u{600}<script>window.acted = 5</script>", "\u{600}<img src=x onerror=window.acted=6>",
    "\"\u{301} onmouseover=\"window.acted = 7\" autofocus=\"", "'\u{301} onfocus='window.acted = 8",
    "<a href=\"javascript:window.acted = 9\">click</a>", "<!-- <iframe src=https://example.com> -->",
    "{{store}} {{{script}}} {{#feeds}}", "&lt;b&gt;&amp;&#60;b&#62;",
    "\u{202E}txt.exe \u{2066}isolated\u{2069}",
    "שלום עולם / مرحبا بالعالم", "👩‍👩‍👧‍👦 🧑‍💻 🏳️‍🌈 漢字かな交じり文", "one\ntwo\tthree\u{1B}[31m\u{0}",
    "Z\u{310}\u{311}\u{312}\u{313}\u{327}\u{328}\u{329}a\u{310}\u{311}\u{312}\u{313}\u{327}\u{328}l\u{301}go",
    String(repeating: "W", count: 200), String(repeating: "🧵", count: 200),
    String(repeating: "a\u{200B}", count: 100), String(repeating: "long name ", count: 19) + "end of name",
    "\u{600}" + String(repeating: "<\u{301}\"\u{301}", count: 99),
  ].map { Feed($0).name }

  /// Contents in which each text is used everywhere that a user's text can appear.
  package static func carrying(_ texts: [String], store: String) throws -> ReportContents {
    let now = ExampleStore.now
    let feeds = texts.enumerated().map { index, text in
      let feed = Feed(text)
      var status = FeedStatus(feed: feed)
      status.numbers.loads = 500 - index
      status.numbers.failed = 3
      status.numbers.succeeded = 400
      status.numbers.durationSucceeded = tally([0.5, 0.7, 1.2, 3.4]).statistics()
      status.numbers.duration = status.numbers.durationSucceeded
      status.numbers.unbalanced.add(.unfinishedStart(.crashed), acknowledged: false)
      status.dates.lastUpdated = now - 3 * minute
      status.dates.lastFailed = now - minute
      status.dates.lastFailure = text
      status.dates.lastVerdict = .failed
      status.failedCallSite = text
      status.numbers.running = 1
      status.oldestRunning = load(feed, at: now - day, .running, took: 86_400, callSite: text)
      // The page lists a limited number of reasons; those of these two feeds fit.
      if index < 2 {
        var lost = load(feed, at: now - day, .crashed, took: 2, callSite: text)
        lost.evidence = text
        status.lostLoad = lost
      }
      return status.judged(at: now)
    }
    var totals = LoadNumbers()
    totals.loads = feeds.reduce(0) { $0 + $1.numbers.loads }
    for _ in feeds { totals.unbalanced.add(.unfinishedStart(.crashed), acknowledged: false) }
    let callSites = texts.map { text in
      CallSiteCount(
        feed: Feed(text), callSite: text, isLikely: true, kind: .unfinishedStart(.crashed), count: 1,
        last: now)
    }
    return try contents(
      StatusSummary(
        generated: now, since: nil, until: nil, feeds: feeds, totals: totals, callSites: callSites,
        firstStart: now - 9 * day),
      store: store,
      days: { first, _ in
        feeds.map { status in
          var day = DayNumbers(feed: status.feed, day: first)
          day.numbers.loads = 12
          day.numbers.failed = Int(first.number % 2)
          day.succeeded = tally([0.5, 0.7, 1.2 + Double(first.number % 10), 3.4])
          return day
        }
      },
      successes: { _ in [3, 8, 13, 20].map { now - $0 * minute } },
      loads: { feed, window in
        let loads = [SessionState.succeeded, .failed, .crashed].enumerated().map { index, state in
          load(feed, at: window.upperBound - Int64(index + 1) * 3600_000_000, state, took: 900, callSite: "x")
        }
        return LoadPage(loads: loads, total: 5)
      },
      failures: { feed in [load(feed, at: now - minute, .failed, took: 1, callSite: "x", reason: feed.name)] }
    )
  }
}
