import ArgumentParser
import LoadLogCore

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

  /// Reads a crontab of a user or of the system.
  ///
  /// - Parameters:
  ///   - text: the file.
  ///   - timezone: the zone of lines that no `CRON_TZ` precedes.
  /// - Throws: `invalidInput` with the number of a line whose schedule, zone or feed is invalid.
  init(_ text: String, timezone: String) throws(LoadLogError) {
    var timezone = timezone
    let lines = text.split(omittingEmptySubsequences: false) { $0.isNewline }
    for (index, line) in lines.enumerated() {
      let line = line.drop { $0 == " " || $0 == "\t" }
      if line.isEmpty || line.first == "#" { continue }
      if let (name, value) = Self.assignment(line) {
        if name == "CRON_TZ" { timezone = value }
        continue
      }
      do throws(LoadLogError) {
        try add(line, index + 1, timezone)
      } catch {
        throw LoadLogError(
          error.code, what: "line \(index + 1) of the crontab: \(error.what)", value: error.value,
          why: error.why,
          advice: error.advice)
      }
    }
  }

  private mutating func add(_ line: Substring, _ number: Int, _ timezone: String) throws(LoadLogError) {
    let schedule = Self.schedule(line)
    // A percent sign ends the command; cron passes what follows to it as input.
    let command = line[schedule.endIndex...].replacing("\\%", with: "\u{0}").prefix { $0 != "%" }
      .replacing("\u{0}", with: "%")
    guard let words = ShellCommands(command).commands.lazy.compactMap(Self.runArguments).first else { return }
    guard schedule.lowercased() != "@reboot" else {
      return remarks.append("line \(number): @reboot has no due times.")
    }
    let verb: RunVerb
    do {
      verb = try RunVerb.parse(words)
    } catch {
      return remarks.append("line \(number): \(RunVerb.message(for: error))")
    }
    guard !verb.feed.contains("$"), !verb.feed.contains("`") else {
      return remarks.append(
        "line \(number): the feed \(VisibleText.quoted(verb.feed)) is known only to the shell.")
    }
    let feed = try Feed(verb.feed).validated()
    let cron = try CronSchedule(String(schedule), timezone: timezone)
    if let first = entries.first(where: { $0.feed == feed }) {
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

  /// The arguments of `loadlog run` in a simple command; nil if it does not call it. Words before it, such as a user or
  /// `nice`, do not matter.
  private static func runArguments(of words: [String]) -> [String]? {
    let name = words.firstIndex { $0.split(separator: "/").last == "loadlog" }
    guard let name, words.dropFirst(name + 1).first == RunVerb.configuration.commandName else { return nil }
    return Array(words.dropFirst(name + 2))
  }
}
