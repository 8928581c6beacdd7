#if Fleet
  import LoadLogCore

  /// The last successes of feeds, for reports that show many of them.
  extension FleetQuestion {
    /// The finish times of the last successes of each of some feeds, newest first.
    func successes(of feeds: ArraySlice<Feed>, limit: Int) throws(LoadLogError) -> [[Int64]] {
      let sql = """
        SELECT s.id, s.started_at, s.duration, s.wall_drift FROM session AS s \(feedJoin(of: "s"))
        WHERE \(chosen("s")) AND s.state IN (1, 2)
        ORDER BY s.started_at DESC, s.host DESC, s.seq DESC LIMIT \(2 * limit)
        """
      let statements = feeds.map {
        PostgresConnection.Statement(sql, [hostIDs, PostgresArray.text([$0.name])])
      }
      var found: [[Int64]] = []
      for answer in try connection.run(statements) {
        // A copied store ships its loads twice, with the same ids, so the limit is twice as high.
        var ids: Set<String?> = []
        var times: [Int64] = []
        for row in answer.rows where times.count < limit && ids.insert(row[0]).inserted {
          let (duration, drift) = (try row[2].map(Self.number) ?? 0, try row[3].map(Self.number) ?? 0)
          times.append(try Self.number(row[1]).addingClamping(duration / 1000).addingClamping(drift))
        }
        found.append(times.sorted(by: >))
      }
      return found
    }
  }
#endif
