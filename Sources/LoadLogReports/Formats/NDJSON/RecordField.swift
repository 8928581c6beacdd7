import LoadLogCore
import LoadLogJSON
import LoadLogText

/// Keys of all kinds of ndjson lines. Those of loads come first because they are the most frequent.
enum RecordField: Int, JSONField {
  case event, at, feed, id, message, tag, callSite, verdict, reason, durationNs
  case anonymous, owner, bootNs, unseen, finishedAfterVerdict, wall, imported, visibleNs, suppressed, forgiven
  case attempt, retried, userNs, systemNs, maxMemory
  // Owners.
  case uid, kind, machineId, bootId, pid, startTicks, pidNamespace, timeNamespace, lockName, lockInode
  case host, app, openedAt, openedBootNs, lastEvent, lastCommitAt, lastCommitBootNs, closedAt, evidence,
    dropped
  // Feeds.
  case lastUpdated, adopted, lastChanged, lastAttempted, lastSuccessStarted, lastFailed, lastFailure,
    lastVerdict
  case prunedFailures, popsAfterReset, overlaps
  // Unmatched finishes and acknowledgements.
  case load, by, note
  // Expectations.
  case exact, everyNs, cron, timezone, graceNs, maxRunningNs, maxFailures, anywhere, since, pausedAt,
    pausedUntil
  // Flips.
  case from, to, downNs, missed, lastSuccess
  // Kept output.
  case total, kept, offset, text, base64
  // Sealed days.
  case day, rows, firstStart, loads, busyNs, peakDepth, busyUntil
  case running, succeeded, unchanged, failed, cancelled, ended, crashed, rebooted, abandoned
  case succeededCount, succeededSumNs, succeededMinNs, succeededMaxNs, succeededZeros, succeededBuckets
  case otherCount, otherSumNs, otherMinNs, otherMaxNs, otherZeros, otherBuckets

  /// Name of the key in the file: `duration_ns` for ``durationNs``.
  var name: String { Self.names[rawValue] }

  private static let names = allCases.map { "\($0)".snakeCased }

  /// Key for the number of loads in a state.
  init?(_ state: SessionState) { self.init(named: state.rawValue) }

  private init?(named name: String) {
    guard let index = Self.names.firstIndex(of: name) else { return nil }
    self.init(rawValue: index)
  }
}
