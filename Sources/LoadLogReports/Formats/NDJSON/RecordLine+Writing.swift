public import LoadLogCore

extension RecordLine {
  /// Appends the line as a JSON object, followed by a line feed.
  public func append(to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "{"))
    switch self {
    case .start(let line): line.append(to: &bytes)
    case .finish(let line): line.append(to: &bytes)
    case .push(let line): line.append("push", to: &bytes)
    case .pop(let line): line.append("pop", to: &bytes)
    case .reset(let line): line.append("reset", to: &bytes)
    case .owner(let line): line.append(to: &bytes)
    case .feed(let line): line.append(to: &bytes)
    case .unmatched(let line): line.append(to: &bytes)
    case .acknowledged(let line): line.append(to: &bytes)
    case .expectation(let line): line.append(to: &bytes)
    case .flip(let line): line.append(to: &bytes)
    case .output(let line): line.append(to: &bytes)
    case .sealedDay(let line): line.append(to: &bytes)
    }
    bytes.append(text: "}\n")
  }
}

extension StartLine {
  fileprivate func append(to bytes: inout [UInt8]) {
    bytes.append("event", text: "start")
    bytes.append("at", time: at)
    bytes.append("feed", text: feed.name)
    bytes.append("id", id: id)
    bytes.append("message", text: message)
    bytes.append("tag", text: tag)
    bytes.append("call_site", text: callSite)
    bytes.append("anonymous", ifTrue: isAnonymous)
    bytes.append("owner", ifAny: owner)
    bytes.append("boot_ns", ifAny: boot)
    bytes.append("attempt", ifAny: attempt)
  }
}

extension FinishLine {
  fileprivate func append(to bytes: inout [UInt8]) {
    bytes.append("event", text: "finish")
    bytes.append("at", time: at)
    bytes.append("id", id: id)
    bytes.append("verdict", text: verdict.rawValue)
    bytes.append("reason", text: reason)
    if duration != nil || isDurationUnknown { bytes.append("duration_ns", number: duration) }
    bytes.append("unseen", ifTrue: isUnseen)
    bytes.append("finished_after_verdict", ifTrue: isFinishedAfterVerdict)
    bytes.append("wall", ifTrue: durationSource == .wall)
    bytes.append("imported", ifTrue: durationSource == .imported)
    bytes.append("visible_ns", ifAny: visible)
    bytes.append("suppressed", ifAny: suppressed)
    bytes.append("forgiven", ifTrue: isForgiven)
    run?.append(to: &bytes)
  }
}

extension CountLine {
  fileprivate func append(_ event: String, to bytes: inout [UInt8]) {
    bytes.append("event", text: event)
    bytes.append("at", time: at)
    bytes.append("feed", text: feed?.name)
    bytes.append("call_site", ifAny: callSite)
    if verdict != .ended { bytes.append("verdict", text: verdict.rawValue) }
    bytes.append("reason", ifAny: reason)
    bytes.append("owner", ifAny: owner)
  }
}

extension UnmatchedLine {
  fileprivate func append(to bytes: inout [UInt8]) {
    bytes.append("event", text: "unmatched")
    bytes.append("id", id: id)
    bytes.append("kind", text: kind.rawValue)
    bytes.append("at", time: at)
    bytes.append("feed", ifAny: feed?.name)
    if let session { bytes.append("load", id: session) }
    bytes.append("verdict", text: verdict.rawValue)
    bytes.append("reason", ifAny: reason)
    bytes.append("call_site", ifAny: callSite)
    bytes.append("owner", ifAny: owner)
    bytes.append("boot_ns", ifAny: boot)
  }
}

extension AcknowledgedLine {
  fileprivate func append(to bytes: inout [UInt8]) {
    bytes.append("event", text: "acknowledged")
    bytes.append("id", id: id)
    bytes.append("at", time: acknowledgement.at)
    bytes.append("by", text: acknowledgement.by)
    bytes.append("note", text: acknowledgement.note)
  }
}

extension FeedLine {
  fileprivate func append(to bytes: inout [UInt8]) {
    bytes.append("event", text: "feed")
    bytes.append("feed", text: feed.name)
    bytes.append("last_updated", ifAnyTime: dates.lastUpdated)
    bytes.append("adopted", ifTrue: isAdopted)
    bytes.append("last_changed", ifAnyTime: dates.lastChanged)
    bytes.append("last_attempted", ifAnyTime: dates.lastAttempted)
    bytes.append("last_success_started", ifAnyTime: dates.lastSuccessStarted)
    if prunedFailures != 0 { bytes.append("pruned_failures", number: prunedFailures) }
    bytes.append("last_failed", ifAnyTime: dates.lastFailed)
    bytes.append("last_failure", ifAny: dates.lastFailure)
    bytes.append("last_verdict", ifAny: dates.lastVerdict?.rawValue)
    if overlaps != 0 { bytes.append("overlaps", number: overlaps) }
  }
}

extension OwnerLine {
  fileprivate func append(to bytes: inout [UInt8]) {
    bytes.append("event", text: "owner")
    bytes.append("uid", text: uid)
    bytes.append("kind", text: kind)
    bytes.append("machine_id", text: machineID)
    bytes.append("boot_id", text: bootID)
    bytes.append("pid", number: pid == 0 ? nil : pid)
    bytes.append("start_ticks", ifAny: startTicks)
    bytes.append("pid_namespace", ifAny: pidNamespace)
    bytes.append("time_namespace", ifAny: timeNamespace)
    bytes.append("lock_name", ifAny: lockName)
    bytes.append("lock_inode", ifAny: lockInode)
    bytes.append("host", text: host)
    bytes.append("app", text: app)
    bytes.append("opened_at", time: openedAt)
    bytes.append("opened_boot_ns", number: openedBoot)
    bytes.append("last_event", number: lastEvent)
    bytes.append("last_commit_at", time: lastCommitAt)
    bytes.append("last_commit_boot_ns", number: lastCommitBoot)
    bytes.append("closed_at", ifAnyTime: closedAt)
    bytes.append("verdict", ifAny: verdict)
    bytes.append("evidence", ifAny: evidence)
    if dropped != 0 { bytes.append("dropped", number: dropped) }
  }
}
