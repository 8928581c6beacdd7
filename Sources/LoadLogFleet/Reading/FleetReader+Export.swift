#if Fleet
  package import LoadLogCore
  package import LoadLogSQLite

  extension FleetReader {
    /// Begins an export of what the hosts have shipped: one consistent read, which is in a temporary file until the export
    /// ends.
    ///
    /// Days with loads that only counters know are exported as days with pruned loads are, so that a store that imports
    /// every line counts them.
    ///
    /// - Parameters:
    ///   - filter: the feeds, and the time window of the loads' starts.
    ///   - onlyFlips: whether to export only the flips.
    /// - Returns: the export, how many loads of the window only counters know, and which hosts ship no messages.
    /// - Throws: what ``feeds()`` throws.
    package func export(
      _ filter: LoadFilter, onlyFlips: Bool
    ) throws(LoadLogError) -> (rows: StoreExport, counted: Int, withoutMessages: [String]) {
      let filter = LoadFilter(feeds: filter.feeds, since: filter.since, until: filter.until)
      let (reader, counted, hosts) = try ask(.long) { (question) throws(LoadLogError) in
        try question.addFeeds(filter)
        try question.addFlips(filter)
        guard !onlyFlips else { return (try question.reader(), 0, [String]()) }
        try question.addExpectations()
        try question.addRecord(filter)
        let hosts = try question.hostsWithoutMessages()
        let rowless = try question.rowless(filter, question.hasEveryRow())
        return (try question.reader(), rowless.loads, hosts)
      }
      return (try StoreExport(of: reader, filter.ofImage, onlyFlips: onlyFlips), counted, hosts)
    }
  }

  extension FleetQuestion {
    /// Adds the rows of a filter's window, and the summaries of days that contain other loads.
    fileprivate func addRecord(_ filter: LoadFilter) throws(LoadLogError) {
      let window = StatusWindow(filter)
      var days = Days()
      days.days = [window.isAllTime ? 0..<Int64.max : window.days]
      days.sealsOnlyRowless = true
      try addSummaries(days)
      try addAllSessions(window.bounds)
      try addAllUnmatched(window.bounds)
    }
  }
#endif
