import ArgumentParser
import LoadLog
import LoadLogReports

extension ExpectVerb {
  /// Sets the expectations of a crontab, or prints the commands that would set them.
  func expect(crontab file: String) throws {
    let path = try store.path()
    let input = try InputFile(file, besides: path)
    let crontab = try Crontab(try input.text(), timezone: LocalZoneName.current, store: path)
    crontab.remarks.forEach(Output.note)
    guard !crontab.entries.isEmpty else {
      Output.note(
        crontab.remarks.isEmpty ? "no line calls loadlog run with a schedule" : "no expectation was set")
      throw ExitCode(Ending.refused)
    }
    guard !dryRun else {
      return try Output.write(crontab.entries.map { store.command($0.words) + "\n" }.joined())
    }
    let controller = try store.controller(for: .detached)
    defer { try? controller.close() }
    for entry in crontab.entries {
      let expectation = try Expectation(.cron(entry.schedule)).validated()
      _ = try controller.record(.expect(expectation, FeedPattern(exactly: entry.feed)), callSite: nil)
    }
    let names = Set(crontab.entries.map(\.feed))
    try printList { !$0.isGlob && names.contains(Feed($0.text)) }
  }

  /// Prints commands that set expectations for feeds with a rhythm.
  func printSuggestions() throws {
    let reader = try store.reader()
    let status = try reader.status(LoadFilter(), runningLimit: nil)
    let feeds = status.feeds.filter { $0.expectation == nil }
      // As an argument of expect, such a name would be a pattern, or an option.
      .filter { !FeedPattern($0.feed.name).isGlob && !$0.feed.name.hasPrefix("-") }
    let found = try ExpectationSuggestion.all(in: reader, of: feeds)
    if found.isEmpty { Output.note("no feed without an expectation has succeeded regularly enough") }
    for suggestion in found { store.remark("\(VisibleText.line(suggestion.feed.name)) \(suggestion.reason)") }
    try Output.write(found.map { store.command($0.words) + "\n" }.joined())
  }
}

extension Crontab.Entry {
  /// The words of the command that sets the expectation, without the store.
  var words: String {
    let values = [feed.name, schedule.expression, schedule.timezone].map(PageStyle.shellWord)
    return "expect \(values[0]) --cron \(values[1]) --timezone \(values[2])"
  }
}
