package import LoadLogCore

/// What a fleet's status says of its hosts: which are in trouble, which are silent, and whose loads are only counted.
package struct FleetTrouble: Sendable {
  private let total: Int
  private let generated: Int64
  /// The hosts with each problem, those with the most such feeds first.
  private let troubled: [(problem: FeedProblem, hosts: [String])]
  private let silent: [FleetHost]
  private let wrongClocks: [FleetHost]
  /// The hosts that do not ship every load as a row.
  private let summarized: [String]

  /// Finds the trouble of hosts.
  ///
  /// - Parameters:
  ///   - hosts: the hosts that the status is about.
  ///   - now: the time by the database's clock, in microseconds since 1970.
  ///   - feeds: their feeds with problems, which are named HOST/FEED; others may be among them.
  package init(_ hosts: [FleetHost], now: Int64, _ feeds: [FeedStatus]) {
    let hosts = hosts.filter { $0.state != .retired }
    total = hosts.count
    generated = now
    silent = hosts.filter { $0.state == .silent }.sorted {
      ($0.heard, $0.shownName) < ($1.heard, $1.shownName)
    }
    wrongClocks = hosts.filter(\.hasWrongClock)
    summarized = hosts.filter { $0.loads != "all" }.map(\.shownName)
    // A name may be the start of another one.
    let names = Set(hosts.map(\.shownName))
    troubled = FeedProblem.allCases.map { problem in
      var counts: [String: Int] = [:]
      for feed in feeds where feed.problems.contains(problem) {
        if let host = Self.host(of: feed.feed.name, names) { counts[host, default: 0] += 1 }
      }
      let worst = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
      return (problem, worst.map(\.key))
    }
  }

  private static func host(of feed: String, _ names: Set<String>) -> String? {
    var name = Substring(feed)
    while let slash = name.lastIndex(of: "/") {
      name = name[..<slash]
      if names.contains(String(name)) { return String(name) }
    }
    return nil
  }

  /// A line for people about each thing that is wrong, and about the hosts without a row for every load.
  package var lines: [String] {
    var lines = troubled.filter { !$0.hosts.isEmpty }.map {
      "\(share($0.hosts.count)) \($0.problem.rawValue): \(named($0.hosts))"
    }
    if !silent.isEmpty {
      let names = silent.map { "\($0.shownName) (last heard \(AgeText.text(of: $0.heard, at: generated)))" }
      lines.append("\(share(silent.count)) silent: \(named(names))")
    }
    if let clockLine { lines.append(clockLine) }
    if !summarized.isEmpty {
      let ship = summarized.count == 1 ? "ships" : "ship"
      lines.append("\(share(summarized.count)) \(ship) some loads only as counts: \(named(summarized))")
    }
    return lines
  }

  /// The line about the hosts whose dates may be wrong, because their clocks are; nil if there are none.
  package var clockLine: String? {
    guard !wrongClocks.isEmpty else { return nil }
    return "\(share(wrongClocks.count)) with a wrong clock: \(named(wrongClocks.map(\.shownName)))"
  }

  /// Returns the lines as text, after an empty one; nothing if there are none.
  package func text(_ page: PageStyle) -> String {
    let lines = lines
    guard !lines.isEmpty else { return "" }
    return "\n" + lines.flatMap { page.folded($0) }.map { $0 + "\n" }.joined()
  }

  private func share(_ count: Int) -> String { "\(Words.count(count)) of \(Words.count(total, "host"))" }

  private func named(_ names: [String]) -> String { Words.first(of: names.map(VisibleText.line)) }

  private func list(_ names: [String]) -> JSONValue { .array(names.map { .string($0) }) }

  /// Returns the names of the hosts with wrong clocks as the member `wrong_clock`.
  package func clockJSON() -> JSONValue { ["wrong_clock": list(wrongClocks.map(\.shownName))] }

  /// Returns the member `hosts` of the status as JSON: the number of hosts, and names by what is wrong with them.
  package func json() -> JSONValue {
    var members: JSONValue = ["total": .integer(Int64(total))]
    for (problem, hosts) in troubled {
      members = members.appending(.object([JSONValue.Member(key: problem.rawValue, value: list(hosts))]))
    }
    return [
      "hosts": members.appending(["silent": list(silent.map(\.shownName))]).appending(clockJSON())
        .appending(["without_rows": list(summarized)])
    ]
  }
}
