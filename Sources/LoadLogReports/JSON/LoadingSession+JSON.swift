import LoadLogCore

extension LoadingSession {
  /// Load as an object of `history --json` and `show --json`.
  var json: JSONValue {
    let members: JSONValue = [
      "id": .string(id.description), "feed": .string(feed.name), "message": .text(message), "tag": .text(tag),
      "anonymous": .bool(isAnonymous), "state": .string(shownState.rawValue),
      "finished_after_verdict": .bool(isFinishedAfterVerdict),
      "started": .moment(started.wall), "finished": .moment(finished), "duration": .seconds(duration),
      "duration_source": .text(durationSource?.rawValue),
      "clock_jump": clockJump.map { .number(Double($0) / 1_000_000) } ?? .null,
      "owner": owner.owner.json, "call_site": .text(callSite), "reason": .text(reason),
      "run": run?.json ?? .null,
    ]
    return members.appending(.fleetHost(fleetHost))
  }
}

extension JSONValue {
  /// The member that names the host of a load; none if the answer is a store's.
  fileprivate static func fleetHost(_ name: String?) -> JSONValue {
    name.map { ["fleet_host": .string($0)] } ?? [:]
  }
}

extension RunFacts {
  fileprivate var json: JSONValue {
    [
      "attempt": .count(attempt), "retried": .bool(isRetried), "user_time": .seconds(userTime),
      "system_time": .seconds(systemTime), "max_memory": maxMemory.map { .integer($0) } ?? .null,
    ]
  }
}

extension Owner {
  fileprivate var json: JSONValue {
    [
      "pid": process.pid == 0 ? nil : .integer(Int64(process.pid)), "host": .string(host),
      "app": .string(app), "inferred": .bool(kind == .inferred),
      "remote": .bool(kind == .remote),
    ]
  }
}

extension Imbalance {
  /// Imbalance as an object of `unbalanced --json`.
  var json: JSONValue {
    let members: JSONValue = [
      "id": .string(id.description), "kind": .string(kind.word), "feed": .text(feed?.name),
      "load": .text(session?.description), "at": .moment(at), "evidence": .string(evidence),
      "call_site": .text(callSite), "likely": .bool(isLikely),
      "acknowledged": acknowledgement?.json ?? .null,
    ]
    return members.appending(.fleetHost(fleetHost))
  }
}

extension Acknowledgement {
  var json: JSONValue { ["at": .moment(at), "by": .string(by), "note": .text(note)] }
}
