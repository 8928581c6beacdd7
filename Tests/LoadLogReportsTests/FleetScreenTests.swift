import LoadLogCore
import LoadLogReports
import LoadLogTestSupport
import Testing

@Suite struct FleetScreenTests {
  private let hosts = HostsReport(Screens.hosts, now: Screens.now, fleet: "postgresql://db/loadlog")
  private let trouble = FleetTrouble(Screens.hosts, now: Screens.now, Screens.feedsByHost)

  @Test(arguments: [40, 80, 100])
  func hostsMatchTheirSnapshot(width: Int) {
    #expect(Snapshot("hosts-\(width).txt").difference(from: hosts.text(Screens.page(width))) == nil)
  }

  @Test(arguments: [40, 80])
  func theTroubleOfAFleetMatchesItsSnapshot(width: Int) {
    let text = trouble.text(Screens.page(width))
    #expect(Snapshot("fleet-trouble-\(width).txt").difference(from: text) == nil)
  }

  @Test(arguments: 40...120)
  func theyFitTheirWidth(width: Int) {
    for text in [hosts.text(Screens.page(width)), trouble.text(Screens.page(width))] {
      for line in text.split(separator: "\n") { #expect(DisplayWidth.of(String(line)) <= width, "\(line)") }
    }
  }

  @Test func theirJSONMatchesItsSnapshot() {
    let json = hosts.json().text() + "\n" + trouble.json().text() + "\n"
    #expect(Snapshot("hosts.json").difference(from: json) == nil)
  }

  @Test func aFleetWithoutTroubleSaysNothing() {
    let fine = Screens.hosts.filter { $0.name == "db-1" }
    let text = FleetTrouble(fine, now: Screens.now, Screens.feedsByHost).text(Screens.page())
    #expect(text == "")
  }

  @Test func anEmptyFleetNamesACommandThatCanBeRun() {
    let none = HostsReport([], now: Screens.now, fleet: "loadlog at the local socket")
    #expect(
      none.text(Screens.page()) == "no host has shipped yet\nShip a store: loadlog sync --to URL\n")
  }

  @Test func threeNamesAndTheNumberOfOthersAreEnough() {
    let feeds = (1...5).map {
      Screens.feed("h\($0)/f", loads: 1, failed: 0, Screens.statistics(1, 1, 1), unbalanced: 1)
    }
    let hosts = (1...5).map { number in
      FleetHost(
        id: SessionID(), name: "h\(number)", state: .alive, version: "0.1.0", loads: "all", waiting: 0,
        clockOffset: 0,
        heard: Screens.now, leaseUntil: nil, retired: nil, recorded: 1)
    }
    let text = FleetTrouble(hosts, now: Screens.now, feeds).text(Screens.page(glyphs: .ascii))
    #expect(text == "\n5 of 5 hosts unbalanced: h1, h2, h3 and 2 more\n")
  }

  @Test func hintsOfAFleetAskTheFleet() {
    var page = PageStyle(width: 160, hasHints: true, hintedStore: "x.db", zone: Screens.cet)
    page.fleetOptions = "--fleet --host web-1"
    let status = StatusReport(Screens.status, store: "x").text(page)
    #expect(status.contains(" loadlog unbalanced --fleet --host web-1 "), "\(status)")
    #expect(!status.contains("x.db") && !status.contains("No notifier"))
    let head = JSONHead(generated: Screens.now, store: "x")
    #expect(HistoryReport(Screens.history, head: head).text(page).contains(" --fleet --host web-1\n"))
    var counted = LoadPage(loads: [], total: 0)
    counted.pruned = 2
    #expect(
      HistoryReport(counted, head: head).text(page) == "no loads; 2 loads were only counted\n", "not pruned")
    counted.hostsWithoutRows = ["db-1", "web-1"]
    counted.loads = Screens.history.loads
    let history = HistoryReport(counted, head: head)
    #expect(
      history.text(page).contains(
        "\n2 loads were only counted; db-1 and web-1 do not ship every load as a row.\n"))
    #expect(history.json().text().contains("\"without_rows\": [\"db-1\", \"web-1\"]"))
    counted.hostsWithoutMessages = ["db-1"]
    let searched = HistoryReport(counted, head: head)
    #expect(
      searched.text(page).contains(
        " as a row.\n\ndb-1 ships no messages, so loads may be missing.\n"))
    #expect(searched.json().text().contains("\"without_messages\": [\"db-1\"]"))
    var imbalances = Screens.imbalances
    let unbalanced = UnbalancedReport(imbalances, store: "x").text(page)
    #expect(!unbalanced.contains("--ack"), "the fleet refuses it")
    imbalances.onlyCounted = 2
    let more = UnbalancedReport(imbalances, store: "x")
    #expect(more.text(page).contains("\n\n2 more imbalances were only counted.\n\n"))
    #expect(more.json().text().contains("\"only_counted\": 2"))
    var none = ImbalanceSummary(
      generated: Screens.now, since: Screens.now, until: nil, imbalances: [], overrunning: [])
    none.onlyCounted = 1
    let rowless = UnbalancedReport(none, store: "x").text(page)
    #expect(
      rowless.hasPrefix("no imbalances ")
        && rowless.hasSuffix("\n\n1 imbalance of all time was only counted.\n"))
    let empty = StatusSummary(
      generated: Screens.now, since: nil, until: nil, feeds: [], totals: LoadNumbers(), callSites: [],
      firstStart: nil)
    #expect(!StatusReport(empty, store: "x").text(page).contains("loadlog"))
  }

  @Test func aLoadOfAFleetHasItsHost() {
    var page = Screens.history
    for index in page.loads.indices { page.loads[index].fleetHost = "web-\(index)" }
    let head = JSONHead(generated: Screens.now, store: "x")
    let history = HistoryReport(page, head: head)
    #expect(history.text(Screens.page(120)).contains("  41b6c1e  web-4\n"))
    #expect(history.json().text().contains("\"fleet_host\": \"web-4\""))
    var late = page
    late.loads[0].isFinishedAfterVerdict = true
    for (width, loads) in (60...120).flatMap({ [($0, page), ($0, late)] }) {
      let text = HistoryReport(loads, head: head).text(Screens.page(width))
      for index in page.loads.indices { #expect(text.contains(" web-\(index)"), "\(text)") }
      #expect(text.contains(" HOST\n") != text.contains(" on web-0"))
      for line in text.split(separator: "\n") { #expect(DisplayWidth.of(String(line)) <= width, "\(line)") }
    }
    for index in page.loads.indices {
      page.loads[index].feed = Feed("web-\(index)/\(page.loads[index].feed.name)")
    }
    #expect(
      !HistoryReport(page, head: head).text(Screens.page(120)).contains(" HOST"), "the feeds say it")
    var context = Screens.context
    context.load.fleetHost = "web-4"
    let show = LoadReport(context, head: head)
    #expect(show.text(Screens.page()).contains("\n  host        web-4\n  owner "))
    #expect(show.json().text().contains("\"fleet_host\": \"web-4\""))
    var imbalances = Screens.imbalances
    imbalances.imbalances[0].fleetHost = "web-4"
    let unbalanced = UnbalancedReport(imbalances, store: "x").text(Screens.page(120))
    #expect(unbalanced.contains("on web-4: token dropped unfinished"))
    var status = Screens.status
    status.feeds[0].lostLoad = context.load
    let text = StatusReport(status, store: "x").text(Screens.page(120))
    #expect(text.contains(" on web-4, never finished"), "a process is one of its machine")
  }

  @Test func whatHasNoRowIsNotDenied() throws {
    var context = Screens.context
    (context.before, context.nextSuccess) = (nil, nil)
    context.hasLoadsWithoutRows = true
    func show() -> String {
      LoadReport(context, head: JSONHead(generated: Screens.now, store: "x")).text(Screens.page(160))
    }
    #expect(
      show().contains(
        "meanwhile   no other load of reviews that is kept was open; it was the first that is kept\n"))
    #expect(show().contains("then        no success since\n"))
    #expect(!show().contains("  rows  "), "a store, or a fleet whose hosts ship all, was pruned")
    let json = LoadReport(context, head: JSONHead(generated: Screens.now, store: "x")).json().text()
    #expect(json.contains(#""has_loads_without_rows": true"#))
    context.hostsWithoutRows = ["db-1"]
    #expect(
      show().contains(
        "meanwhile   no other load of reviews with a row was open; it was the first with a row\n"))
    #expect(show().contains("rows        db-1 does not ship every load as a row\n"))
    var feed = FeedStatus(feed: "reviews")
    feed.dates.lastUpdated = context.load.started.wall + 3_600_000_000
    context.feed = feed
    #expect(show().contains("then        last success 15:05:11, of which there is no row\n"), "\(show())")
    context.lastSuccessHasRow = true
    #expect(show().contains("then        no success since\n"))
    context.before = Screens.context.before
    #expect(show().contains("; the last one before it with a row "), "\(show())")
  }

  @Test func whatIsSaidOfAStoreIsNotSaidOfAFleet() {
    var status = Screens.status
    status.wholeDays = [UTCDay(of: Screens.now)]
    status.feeds[0].numbers.unknown = 1
    func note() -> String { StatusReport(status, store: "x").text(Screens.page(120)) }
    #expect(note().contains("~ 21 Nov counts as a whole UTC day: loads of it were pruned\n"))
    status.isOfFleet = true
    #expect(note().contains("~ 21 Nov counts as a whole UTC day: hosts ship counts of whole days\n"))
    #expect(
      note().contains("1 load may be running: its host is silent, closed or retired, or it is detached"))
  }

  @Test func hostsOfOneNameHaveTheirIDs() {
    var twins = Screens.hosts
    twins[1].name = "db-1"
    let text = HostsReport(twins, now: Screens.now, fleet: "x").text(Screens.page(160))
    for host in twins { #expect(text.contains(host.id.description)) }
    #expect(!hosts.text(Screens.page(160)).contains(twins[0].id.description))
  }

  @Test func aCheckFindsHostsThatAreSilent() {
    #expect(
      hosts.findings().map(\.line) == ["web-17: silent beyond its lease, last heard 14 m ago"])
    #expect(hosts.findings().map(\.problem) == ["silent"])
    #expect(StatusCheck().findsEverything && !StatusCheck([.late]).findsEverything)
  }

  @Test func anAlarmIsOfHostsThatAreSilent() {
    let found = hosts.found(with: [])
    #expect(
      found.map(\.status.feed.name).sorted() == ["db-1", "web-1", "web-17", "web-2"], "none is retired")
    #expect(found.filter { $0.state != .fine }.map(\.status.feed) == ["web-17"])
    #expect(found.first?.reason == "silent beyond its lease, last heard 14 m ago")
    #expect(found.first?.since == Screens.now - 660 * 1_000_000)
  }

  /// Otherwise each check would find the name in the state in which the last one did not.
  @Test func hostsOfOneNameHaveOneState() {
    var twins = Screens.hosts
    for index in twins.indices { twins[index].name = "web-17" }
    let found = HostsReport(twins, now: Screens.now, fleet: "x").found(with: [])
    #expect(found.map(\.state) == [.silent])
  }

  /// A feed that is expected on any host is named without one.
  @Test func aHostAndAFeedOfOneNameHaveOneState() {
    let feeds = ["web-1", "web-17", "other"].map { name in
      var status = FeedStatus(feed: Feed(name))
      status.problems = [.late]
      return FoundState(status, in: Screens.status, reason: nil)
    }
    let states = hosts.found(with: feeds).map { "\($0.status.feed.name) \($0.state.rawValue)" }
    #expect(states.sorted() == ["db-1 fine", "other late", "web-1 late", "web-17 silent", "web-2 fine"])
  }

  @Test func gapsOfAnExportAreNamed() {
    let gaps = FleetGaps.lines(
      counted: 1_204, cutsDays: false, withoutMessages: ["a", "b", "c", "d", "e"], in: .csv)
    #expect(
      gaps == [
        "the fleet has 1,204 loads only as counts. They are not in the file.",
        "a, b, c and 2 more ship no messages, so the file has none of theirs.",
      ])
    #expect(FleetGaps.lines(counted: 0, cutsDays: true, withoutMessages: [], in: .ndjson).isEmpty)
    #expect(
      FleetGaps.lines(counted: 1, cutsDays: true, withoutMessages: [], in: .ndjson) == [
        "the fleet has 1 load on the UTC days of the window only as counts. The file has the counts of those "
          + "that finished on days that lie in the window as a whole, as far as the fleet has kept them."
      ])
  }
}

extension Screens {
  /// Hosts in every state.
  fileprivate static let hosts: [FleetHost] = {
    func host(
      _ name: String, _ state: FleetHost.State, heard: Int64, change: (inout FleetHost) -> Void = { _ in }
    ) -> FleetHost {
      let heard = now - heard * 1_000_000
      var host = FleetHost(
        id: id(name.filter(\.isHexDigit)), name: name, state: state, version: "0.1.0", loads: "all",
        waiting: 0, clockOffset: 12_000,
        heard: heard, leaseUntil: heard + 180_000_000, retired: nil, recorded: 24_110)
      change(&host)
      return host
    }
    return [
      host("db-1", .alive, heard: 20),
      host("web-1", .alive, heard: 4) { ($0.loads, $0.clockOffset) = ("unusual", -2_400_000) },
      host("web-2", .closed, heard: 7_200) { ($0.loads, $0.leaseUntil) = ("none", nil) },
      host("web-17", .silent, heard: 840) { ($0.waiting, $0.recorded) = (1_204, 1_000_000) },
      host("web-3", .retired, heard: 864_000) { $0.retired = now - 86_400_000_000 },
    ]
  }()

  /// The status of feeds of ``hosts``, of which two have problems.
  fileprivate static let feedsByHost = ["db-1/backup", "web-1/news", "web-17/news", "web-17/backup"].map {
    name in
    feed(name, loads: 10, failed: 0, statistics(1, 1, 1), unbalanced: name.hasPrefix("web") ? 1 : 0)
  }
}
