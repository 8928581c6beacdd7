extension LoadReading {
  /// The one load whose id is, or ends in, what was typed.
  ///
  /// - Throws: `notFound` or `ambiguousID`, or what the store throws.
  public func load(matching tail: IDTail) throws(LoadLogError) -> LoadingSession {
    try tail.only(of: loads(endingIn: tail.digits), kind: "load", id: \.id)
  }

  /// The ids of the imbalances whose ids are, or end in, what was typed.
  ///
  /// - Throws: `notFound` or `ambiguousID`, or what the store throws.
  public func imbalances(matching tails: [IDTail]) throws(LoadLogError) -> [SessionID] {
    let known = try unbalanced(LoadFilter())
    var ids: [SessionID] = []
    for tail in tails {
      let found = known.filter { tail.matches($0.id) }
      ids.append(try tail.only(of: found, kind: "imbalance", id: \.id).id)
    }
    return ids
  }

  /// Makes sure that each pattern stands for some feed of the record.
  ///
  /// - Throws: `notFound`, with the name that was probably meant.
  public func expectFeeds(_ patterns: [FeedPattern]) throws(LoadLogError) {
    guard !patterns.isEmpty else { return }
    let known = try feeds()
    for pattern in patterns where !known.contains(where: pattern.matches) {
      throw Self.unknownFeed(pattern.text, isPattern: pattern.isGlob, known)
    }
  }

  /// The dates of a feed that the record knows.
  ///
  /// - Throws: `notFound`, with the name that was probably meant.
  public func knownDates(of feed: Feed) throws(LoadLogError) -> FeedDates {
    if let dates = try dates(of: feed) { return dates }
    throw Self.unknownFeed(feed.name, isPattern: false, try feeds())
  }

  private static func unknownFeed(_ name: String, isPattern: Bool, _ known: [Feed]) -> LoadLogError {
    let meant = isPattern ? nil : SimilarName.of(name, among: known.map(\.name))
    return LoadLogError(
      .notFound, what: "feed", value: name,
      why: isPattern ? "no feed fits the pattern" : "there is no such feed",
      advice: meant.map { "Did you mean \(VisibleText.quoted($0))?" })
  }
}
