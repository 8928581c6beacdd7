extension LoadReading {
  /// Returns the load whose id ends in the given digits.
  ///
  /// - Throws: `notFound` or `ambiguousID`, or an error of the store.
  public func load(matching tail: IDTail) throws(LoadLogError) -> LoadingSession {
    let none = (self as? any FollowedReading)?.noSuchLoad
    return try tail.only(of: loads(endingIn: tail.digits), kind: "load", none: none, id: \.id)
  }

  /// Returns the imbalances whose ids end in the given digits.
  ///
  /// - Throws: `notFound` or `ambiguousID`, or an error of the store.
  public func imbalances(matching tails: [IDTail]) throws(LoadLogError) -> [Imbalance] {
    let known = try unbalanced(LoadFilter())
    var imbalances: [Imbalance] = []
    for tail in tails {
      let found = known.filter { tail.matches($0.id) }
      let none = found.isEmpty ? try balanced(tail) : nil
      imbalances.append(try tail.only(of: found, kind: "imbalance", none: none, id: \.id))
    }
    return imbalances
  }

  /// What to say of digits in which the id of a balanced load ends; nil if there is none, or several.
  private func balanced(_ tail: IDTail) throws(LoadLogError) -> (why: String, advice: String)? {
    let loads = try loads(endingIn: tail.digits)
    guard let load = loads.first, loads.count == 1 else { return nil }
    return (
      "the load with this id is not unbalanced; its state is \(load.shownState.rawValue)",
      "There is nothing to acknowledge."
    )
  }

  /// Returns the imbalance whose id ends in the given digits; nil if there is none.
  ///
  /// - Throws: `ambiguousID`, or an error of the store.
  package func imbalance(matching tail: IDTail) throws(LoadLogError) -> Imbalance? {
    let found = try unbalanced(LoadFilter()).filter { tail.matches($0.id) }
    return found.isEmpty ? nil : try tail.only(of: found, kind: "imbalance", id: \.id)
  }

  /// Checks that each pattern matches a recorded feed.
  ///
  /// - Throws: `notFound`, with a similar name if there is one.
  public func expectFeeds(_ patterns: [FeedPattern]) throws(LoadLogError) {
    for pattern in patterns where try feeds(matching: pattern).isEmpty {
      throw unknownFeed(pattern.text, isPattern: pattern.isGlob, try feeds())
    }
  }

  /// Checks that each pattern matches a recorded feed, or that some flip belongs to a feed that they match: a feed without
  /// loads disappears with its expectation, but its flips stay.
  ///
  /// - Throws: what ``expectFeeds(_:)`` throws.
  package func expectFeedsOrFlips(_ patterns: [FeedPattern]) throws(LoadLogError) {
    for pattern in patterns where try flips(LoadFilter(feeds: [pattern])).isEmpty {
      try expectFeeds([pattern])
    }
  }

  /// Returns the dates of a recorded feed.
  ///
  /// - Throws: `notFound`, with a similar name if there is one.
  public func knownDates(of feed: Feed) throws(LoadLogError) -> FeedDates {
    if let dates = try dates(of: feed) { return dates }
    throw unknownFeed(feed.name, isPattern: false, try feeds())
  }

  private func unknownFeed(_ name: String, isPattern: Bool, _ known: [Feed]) -> LoadLogError {
    let meant = isPattern ? nil : SimilarName.of(name, among: known.map(\.name))
    return LoadLogError(
      .notFound, what: "feed", value: name,
      why: isPattern ? "no recorded feed matches this pattern" : "no feed with this name is recorded",
      advice: meant.map { "Did you mean \(VisibleText.quoted($0))?" }
        ?? (self as? any FollowedReading)?.listsFeeds)
  }
}
