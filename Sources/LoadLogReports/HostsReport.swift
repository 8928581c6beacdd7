package import LoadLogCore

/// Report of `loadlog fleet hosts`: the hosts of a fleet, those in trouble first.
package struct HostsReport: Sendable {
  private let hosts: [FleetHost]
  private let now: Int64
  private let fleet: String

  /// Creates a report.
  ///
  /// - Parameters:
  ///   - hosts: the hosts.
  ///   - now: the time by the database's clock, in microseconds since 1970.
  ///   - fleet: the database, as JSON names it.
  package init(_ hosts: [FleetHost], now: Int64, fleet: String) {
    self.hosts = hosts.sorted {
      (Self.rank($0), $0.name) < (Self.rank($1), $1.name)
    }
    self.now = now
    self.fleet = fleet
  }

  private static func rank(_ host: FleetHost) -> Int {
    switch host.state {
    case .silent: 0
    case .alive: host.hasWrongClock ? 1 : 2
    case .closed: 3
    case .retired: 4
    }
  }

  /// Returns the report as text in the given style.
  package func text(_ page: PageStyle) -> String {
    guard !hosts.isEmpty else {
      let hint = page.hints("Ship a store:", [page.command("sync --to URL")])
      return (["no host has shipped yet"] + (page.hasHints ? hint : [])).map { $0 + "\n" }.joined()
    }
    var table = Table(
      [
        Table.Column(title: ""), Table.Column(title: "HOST", shrinksTo: 8, cut: .middle, gap: 1),
        Table.Column(title: "HEARD"), Table.Column(title: "LOADS", alignment: .right, sacrifice: 2),
        Table.Column(title: "ROWS", sacrifice: 4),
        Table.Column(title: "WAITING", alignment: .right, sacrifice: 3),
        Table.Column(title: "VERSION", sacrifice: 5),
        Table.Column(title: "NOTE", shrinksTo: 8),
      ] + (repeatsNames ? [Table.Column(title: "ID", sacrifice: 1)] : []))
    for host in hosts {
      table.add(
        [
          mark(host, page.glyphs), Table.Cell(VisibleText.line(host.name)),
          Table.Cell(AgeText.text(of: host.heard, at: now)),
          Table.Cell(host.recorded.map { Words.count($0) } ?? ""),
          Table.Cell(host.loads), Table.Cell(Words.count(host.waiting)),
          Table.Cell(VisibleText.line(host.version)),
          Table.Cell(note(host)),
        ] + (repeatsNames ? [Table.Cell(host.id.description, .quiet)] : []))
    }
    return table.lines(page).map { $0 + "\n" }.joined()
  }

  /// Whether a name does not say which host is meant.
  private var repeatsNames: Bool { Set(hosts.map(\.name)).count < hosts.count }

  private func mark(_ host: FleetHost, _ glyphs: Glyphs) -> Table.Cell {
    switch host.state {
    case .silent: Table.Cell(glyphs.alarm, .alarm)
    case .alive where host.hasWrongClock: Table.Cell(glyphs.bad, .bad)
    case .alive: Table.Cell(glyphs.good, .good)
    case .closed, .retired: Table.Cell(glyphs.none, .quiet)
    }
  }

  private func note(_ host: FleetHost) -> String {
    let offset = DurationText.measured(Double(host.clockOffset.magnitude) * 1000)
    let clock =
      host.hasWrongClock ? "its clock is \(offset) \(host.clockOffset > 0 ? "behind" : "ahead")" : nil
    let condition: String? =
      switch host.state {
      case .silent: Self.silent
      case .closed: "closed cleanly"
      case .retired: "retired"
      case .alive: nil
      }
    return [condition, clock].compactMap(\.self).joined(separator: ", ")
  }

  private static let silent = "silent beyond its lease"

  /// Returns the hosts that are silent, as `status --check` reports them.
  package func findings() -> [StatusCheck.Finding] {
    found().filter { $0.state == .silent }.map { host in
      StatusCheck.Finding(
        feed: host.status.feed, problem: host.state.rawValue, reason: host.reason ?? Self.silent,
        since: host.since, callSite: nil)
    }
  }

  /// Returns the states of feeds and hosts, as an alarm finds them. Each name has one state: it is silent if any host of
  /// that name is; otherwise it is that of the feed, if there is one.
  package func found(with feeds: [FoundState]) -> [FoundState] {
    let hosts = found()
    let silent = Set(hosts.filter { $0.state == .silent }.map(\.status.feed))
    let others = feeds.filter { !silent.contains($0.status.feed) }
    let names = Set(others.map(\.status.feed))
    return others + hosts.filter { !names.contains($0.status.feed) }
  }

  private func found() -> [FoundState] {
    var names: Set<String> = []
    // Those that are silent come first.
    return hosts.filter { $0.state != .retired && names.insert($0.shownName).inserted }.map { host in
      let heard = AgeText.text(of: host.heard, at: now)
      return FoundState(
        host, silentBecause: host.state == .silent ? "\(Self.silent), last heard \(heard)" : nil)
    }
  }

  /// Returns the report as JSON.
  package func json() -> JSONValue {
    JSONHead(generated: now, store: fleet).object.appending([
      "hosts": .array(
        hosts.map { host in
          [
            "host": .string(host.name), "host_id": .string(host.id.description),
            "state": .string(host.state.rawValue),
            "heard": .moment(host.heard), "lease_until": .moment(host.leaseUntil),
            "retired": .moment(host.retired),
            "loads": host.recorded.map { .integer(Int64($0)) } ?? .null, "rows": .string(host.loads),
            "waiting": .integer(Int64(host.waiting)),
            "clock_offset": .seconds(host.clockOffset * 1000), "version": .string(host.version),
          ]
        })
    ])
  }
}
