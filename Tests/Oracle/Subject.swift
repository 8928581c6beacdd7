/// A recorder under test, with the operations that a schedule needs.
protocol Subject: AnyObject {
  func open(_ who: Int, _ owner: PlainModel.Owner, at moment: Moment) throws
  /// Commits a batch and returns the outcome of each event in the model's words, or nil for outcomes that are
  /// not compared.
  func commit(_ who: Int, _ events: [Happening]) throws -> [String?]
  func judge(_ who: Int, at moment: Moment) throws
  /// Ends a process without closing its owners.
  func end(process: Int, _ fate: PlainModel.Fate)
  func setLock(of who: Int, _ lock: PlainModel.Owner.Lock)
  func status(_ question: Question) throws -> [String: Figure]
  /// Returns the imbalances over all time and whether they are acknowledged.
  func troubles(_ question: Question) throws -> [(trouble: PlainModel.Trouble, isAcknowledged: Bool)]
}

extension PlainModel {
  /// Plays a step if its owner can do it, and returns the outcomes of the events of a commit.
  mutating func apply(_ step: Step) -> [String] {
    switch step {
    case .open(let who, let owner, _): open(who, owner)
    case .commit(let who, let events): return commit(events, by: who)
    case .fate(let process, let fate): fates[process] = fate
    case .lock(let who, let lock): owners[who]?.lock = lock
    case .judge(let who, _): judgeDeadOwners(by: who)
    case .ask: break
    }
    return []
  }
}

extension Schedule {
  /// Plays the schedule to a new model and a new subject, and returns the first difference between them.
  func firstDifference(_ subject: any Subject) -> String? {
    var model = PlainModel()
    for (index, step) in steps.enumerated() {
      do {
        let difference = try difference(step, &model, subject)
        if let difference { return "step \(index): \(difference)" }
      } catch {
        return "step \(index): \(error)"
      }
    }
    return nil
  }

  private func difference(
    _ step: Step, _ model: inout PlainModel, _ subject: any Subject
  ) throws -> String? {
    // A shortened schedule may lack the step that opens the store.
    switch step {
    case .commit(let who, _), .judge(let who, _), .lock(let who, _):
      if model.owners[who] == nil { return nil }
    case .ask where model.owners.isEmpty: return nil
    default: break
    }
    let outcomes = model.apply(step)
    switch step {
    case .open(let who, let owner, let at): try subject.open(who, owner, at: at)
    case .commit(let who, let events):
      for (mine, (theirs, event)) in zip(outcomes, zip(try subject.commit(who, events), events)) {
        if let theirs, theirs != mine { return "\(event): \(theirs), expected \(mine)" }
      }
    case .fate(let process, let fate): subject.end(process: process, fate)
    case .lock(let who, let lock): subject.setLock(of: who, lock)
    case .judge(let who, let at): try subject.judge(who, at: at)
    case .ask(let question):
      let different = Self.difference(
        compared(try subject.status(question)), compared(model.status(question)))
      guard different == nil, question.isAboutEverything else { return different }
      return Self.difference(
        Self.tally(try subject.troubles(question)), Self.tally(model.troubles(from: question.place)))
    }
    return nil
  }

  private func compared(_ figures: [String: Figure]) -> [String: Figure] {
    guard !ignored.isEmpty else { return figures }
    return figures.filter { key, _ in
      key.split { $0 == "/" || $0 == "." }.last.map { !ignored.contains(String($0)) } ?? true
    }
  }

  private static func difference(_ found: [String: Figure], _ expected: [String: Figure]) -> String? {
    let differences = Set(found.keys).union(expected.keys).sorted().compactMap { key -> String? in
      if let mine = expected[key], let theirs = found[key], mine.agrees(with: theirs) { return nil }
      let (theirs, mine) = (found[key]?.description ?? "missing", expected[key]?.description ?? "missing")
      return "\(key) is \(theirs), expected \(mine)"
    }
    let more = differences.count > 6 ? "; and \(differences.count - 6) more" : ""
    return differences.isEmpty ? nil : differences.prefix(6).joined(separator: "; ") + more
  }

  private static func tally(
    _ troubles: [(trouble: PlainModel.Trouble, isAcknowledged: Bool)]
  ) -> [String: Figure] {
    let groups = Dictionary(grouping: troubles) { "\($0.trouble) acknowledged \($0.isAcknowledged)" }
    return groups.mapValues { Figure($0.count) }
  }
}

extension Schedule {
  /// Removes steps and events as long as a difference remains, and returns the shortest schedule.
  func shrunk(tries: Int = 2000, _ subject: () throws -> any Subject) rethrows -> Schedule {
    var best = self
    var left = tries
    var size = max(1, best.steps.count / 2)
    while left > 0 {
      var shortened = false
      var start = 0
      while start < best.steps.count, left > 0 {
        var candidate = best
        candidate.steps.removeSubrange(start..<min(start + size, best.steps.count))
        left -= 1
        if try candidate.firstDifference(subject()) != nil {
          (best, shortened) = (candidate, true)
        } else {
          start += size
        }
      }
      if size == 1 && !shortened { break }
      if !shortened { size /= 2 }
    }
    for index in best.steps.indices {
      guard case .commit(let who, var events) = best.steps[index] else { continue }
      for position in events.indices.reversed() where events.count > 1 && left > 0 {
        let event = events.remove(at: position)
        var candidate = best
        candidate.steps[index] = .commit(who, events)
        left -= 1
        if try candidate.firstDifference(subject()) != nil {
          best = candidate
        } else {
          events.insert(event, at: position)
        }
      }
    }
    return best
  }
}
