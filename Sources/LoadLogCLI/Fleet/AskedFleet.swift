import Foundation
package import LoadLog
package import LoadLogReports

/// A fleet, and the hosts that questions are about.
package struct AskedFleet: Sendable {
  /// The database, as messages and JSON name it.
  package let name: String
  /// The options with which commands ask it, as a shell reads them.
  package let words: String?
  /// Answers about the chosen hosts. Keeps its connection.
  package let reader: any FleetReading
  /// Answers about each of the chosen hosts by itself. Keeps a connection of its own.
  private let singleHosts: any FleetReading
  /// Names or patterns of the chosen hosts; all that are not retired if it is empty.
  private let patterns: [FeedPattern]

  /// - Parameters:
  ///   - isByHost: whether the feeds of hosts are kept apart, whatever the options say.
  ///   - deadline: how long the database may take for a question; nil for the usual time for each of its statements.
  init(
    _ options: FleetOptions, isByHost: Bool = false, deadline: Duration? = nil,
    _ connect: (FleetAddressOptions) throws -> any FleetConnection
  ) throws {
    let connection = try connect(options.address)
    var chosen = options.reader
    chosen.byHost = chosen.byHost || isByHost
    chosen.deadline = deadline
    patterns = chosen.hosts
    name = connection.name
    words = options.words
    reader = try connection.reader(chosen)
    chosen.byHost = true
    singleHosts = try connection.reader(chosen)
  }

  /// Connects, so that the next question has all of its time, however many hosts of the address are silent.
  package func connect() throws(LoadLogError) {
    try reader.connect()
    try singleHosts.connect()
  }

  /// The store in which `notify` keeps what it noticed of the fleet: one for each database and choice of hosts.
  ///
  /// - Parameter store: names the store that it is beside.
  func book(besides store: StoreOptions) throws(LoadLogError) -> String {
    let hash = StableHash(fields: [name] + patterns.map(\.text).sorted())
    return try GivenPath.absolute(try store.path()) + "-fleet-" + hash.name.suffix(8)
  }

  /// The chosen hosts by name, and the time by the database's clock, in microseconds since 1970.
  ///
  /// - Parameter asked: another reader to ask, which has a connection already.
  func hosts(
    _ asked: (any FleetReading)? = nil
  ) throws(LoadLogError) -> (hosts: [FleetHost], now: Int64) {
    let (hosts, now) = try (asked ?? reader).fleetHosts(countingLoads: false)
    return (hosts.filter { host in patterns.isEmpty || patterns.contains { host.isNamed(by: $0) } }, now)
  }

  /// What is wrong with the chosen hosts.
  ///
  /// - Parameter feeds: the feeds whose problems count; empty for all.
  package func trouble(_ feeds: [FeedPattern]) throws(LoadLogError) -> FleetTrouble {
    let (hosts, now) = try hosts()
    return FleetTrouble(hosts, now: now, try reader.suspects(feeds))
  }

  /// What a verb answers.
  func answer(_ verb: any AnsweringVerb) throws -> Answer {
    if let status = verb as? StatusVerb, status.check {
      // What is wrong with one host may be fine on another one, and all of them together fine.
      let (hosts, now) = try hosts(singleHosts)
      return try status.answer(
        { () throws(LoadLogError) in singleHosts }, at: name, hosts: HostsReport(hosts, now: now, fleet: name)
      )
    }
    var answer = try verb.answer({ () throws(LoadLogError) in reader }, at: name)
    let (text, json) = (answer.text, answer.json)
    if let status = verb as? StatusVerb {
      let trouble = try trouble(status.window.patterns)
      answer.text = { text($0) + trouble.text($0) }
      answer.json = { json().appending(trouble.json()) }
    } else if verb is LastUpdatedVerb {
      let (hosts, now) = try hosts()
      let trouble = FleetTrouble(hosts, now: now, [])
      answer.note = trouble.clockLine
      answer.json = { json().appending(trouble.clockJSON()) }
    } else if let history = verb as? HistoryVerb, history.flips {
      let book = try book(besides: history.store)
      guard FileManager.default.fileExists(atPath: book) else { return answer }
      let command = "loadlog history --flips --db \(PageStyle.shellWord(book))"
      answer.text = { page in
        text(page) + "\nWhat loadlog notify --fleet noticed on this machine:\n  \(command)\n"
      }
    }
    return answer
  }
}
