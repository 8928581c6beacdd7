import ArgumentParser
import LoadLog
import LoadLogCore
import LoadLogReports

/// The schedules of a crontab's lines that call `loadlog run`.
struct Crontab {
  /// A line that calls `loadlog run`.
  struct Entry {
    /// The number of the line, from 1.
    let line: Int
    let feed: Feed
    let schedule: CronSchedule
  }

  /// The entries, one for each feed, in the order of their lines.
  private(set) var entries: [Entry] = []
  /// What was left out, one sentence for each line.
  private(set) var remarks: [String] = []
  private let store: String
  /// The environment variable that names the store.
  private static let variable = "LOADLOG_DB"

  /// Reads a crontab of a user or of the system.
  ///
  /// - Parameters:
  ///   - text: the file.
  ///   - timezone: the zone of lines that no `CRON_TZ` precedes.
  ///   - store: the store that gets the expectations. Lines that name another one are left out.
  /// - Throws: `storeUnusable` if the path of the store is relative and the current folder has been deleted.
  init(_ text: String, timezone: String, store: String) throws(LoadLogError) {
    var zone = timezone
    var named: String?
    self.store = try GivenPath.absolute(store)
    let lines = text.split(omittingEmptySubsequences: false) { $0.isNewline }
    for (index, line) in lines.enumerated() {
      let line = line.drop { $0 == " " || $0 == "\t" }
      if line.isEmpty || line.first == "#" { continue }
      if let (name, value) = Self.assignment(line) {
        // Without a value it ends an earlier one.
        if name == "CRON_TZ" { zone = value.isEmpty ? timezone : value }
        if name == Self.variable { named = value }
        continue
      }
      add(line, index + 1, zone, store: named)
    }
  }

  private mutating func add(_ line: Substring, _ number: Int, _ timezone: String, store named: String?) {
    let schedule = Self.schedule(line)
    // A percent sign ends the command; cron passes what follows to it as input.
    let command = line[schedule.endIndex...].replacing("\\%", with: "\u{0}").prefix { $0 != "%" }
      .replacing("\u{0}", with: "%")
    let commands = ShellCommands(command).commands
    let calls = commands.compactMap(Self.call)
    guard !calls.isEmpty else {
      if commands.joined().contains(where: { $0.contains("loadlog run ") }) {
        remarks.append(
          "line \(number): a command within quotes calls loadlog run; set the expectation of its feed yourself."
        )
      }
      return
    }
    guard schedule.lowercased() != "@reboot" else {
      return remarks.append("line \(number): @reboot has no due times.")
    }
    // Cronie does not log a line that begins with a minus sign.
    let expression = String(schedule.first == "-" ? schedule.dropFirst() : schedule)
    for call in calls {
      do throws(LoadLogError) {
        try add(call, expression, number, timezone, store: named)
      } catch {
        remarks.append("line \(number): \(error)")
      }
    }
  }

  private mutating func add(
    _ call: (arguments: [String], store: String?), _ expression: String, _ number: Int, _ timezone: String,
    store named: String?
  ) throws(LoadLogError) {
    let command: any ParsableCommand
    do {
      command = try LoadLogCommand.command([RunVerb.configuration.commandName ?? ""] + call.arguments)
    } catch {
      // A line that asks for help runs nothing.
      if let complaint = Ending(of: error).complaint { remarks.append("line \(number): \(complaint)") }
      return
    }
    guard let verb = command as? RunVerb else { return }
    guard !verb.feed.contains("$"), !verb.feed.contains("`") else {
      return remarks.append(
        "line \(number): the shell computes the name of the feed \(VisibleText.quoted(verb.feed)); expect it by its name yourself."
      )
    }
    // What stands for bytes that are no text.
    guard !verb.feed.contains("\u{FFFD}") else {
      return remarks.append("line \(number): the feed \(VisibleText.quoted(verb.feed)) is not UTF-8.")
    }
    let given = verb.store.db ?? call.store ?? named
    guard given != "" else {
      return remarks.append(
        "line \(number): its store has no name, so it records nothing; name one in $LOADLOG_DB or --db.")
    }
    if let given, given.contains("$") || given.contains("`") {
      return remarks.append(
        "line \(number): the shell computes the path of the store \(VisibleText.quoted(given)); expect the feed yourself, with --db."
      )
    }
    if let other = given, try GivenPath.absolute(other) != store {
      return remarks.append(
        "line \(number): it records in another store; add --db \(PageStyle.shellWord(other)) to read the crontab for that one."
      )
    }
    guard !FeedPattern(verb.feed).isGlob else {
      return remarks.append(
        "line \(number): \(VisibleText.quoted(verb.feed)) would be a pattern; expect takes no feed of this name."
      )
    }
    let feed = try Feed(verb.feed).validated()
    let cron = try CronSchedule(expression, timezone: timezone)
    if let first = entries.first(where: { $0.feed == feed }) {
      guard first.line != number else { return }
      return remarks.append(
        "line \(number): \(VisibleText.line(feed.name)) has the schedule of line \(first.line); "
          + "a feed can have only one.")
    }
    entries.append(Entry(line: number, feed: feed, schedule: cron))
  }
}

extension Crontab {
  /// The name and value of a line that sets a variable.
  private static func assignment(_ line: Substring) -> (name: Substring, value: String)? {
    guard let match = line.wholeMatch(of: /([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*?)\s*/) else { return nil }
    let value = match.2
    let isQuoted = value.count > 1 && (value.first == "\"" || value.first == "'") && value.first == value.last
    return (match.1, String(isQuoted ? value.dropFirst().dropLast() : value))
  }

  /// The fields before a line's command.
  private static func schedule(_ line: Substring) -> Substring {
    let count = line.first == "@" ? 1 : 5
    var end = line.startIndex
    for number in 0..<count {
      if number > 0 { end = line[end...].firstIndex { $0 != " " && $0 != "\t" } ?? line.endIndex }
      end = line[end...].firstIndex { $0 == " " || $0 == "\t" } ?? line.endIndex
    }
    return line[..<end]
  }

  /// The arguments of `loadlog run` in a simple command, and the store that is set before it; nil if it does not call it.
  /// Other words before it, such as a user or `nice`, do not matter.
  private static func call(in words: [String]) -> (arguments: [String], store: String?)? {
    let name = words.firstIndex { $0.split(separator: "/").last == "loadlog" }
    guard let name, words.dropFirst(name + 1).first == RunVerb.configuration.commandName else { return nil }
    let setting = words[..<name].last { $0.hasPrefix("\(variable)=") }
    return (Array(words.dropFirst(name + 2)), setting.map { String($0.dropFirst(variable.count + 1)) })
  }
}
