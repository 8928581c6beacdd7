import Foundation
import Testing

/// `report`, run as a program.
@Suite struct ReportTests {
  private let place: Place

  init() throws {
    place = try Place()
    try place.loadlog("run", "backup/db", "--", "true")
    try place.loadlog("run", "reviews", "--", "false")
    try place.loadlog("pop", "network", "--call-site", "Cache.swift:9")
  }

  private var file: String { place.folder.path + "/pages/status.html" }

  private func page() throws -> String { try String(contentsOfFile: file, encoding: .utf8) }

  private func makeFolder() throws {
    try FileManager.default.createDirectory(
      atPath: place.folder.path + "/pages", withIntermediateDirectories: true)
  }

  @Test func goesToAFileAndSaysSo() throws {
    try makeFolder()
    let answer = try place.loadlog("report", "-o", file)
    #expect(answer.code == 0)
    #expect(answer.output == "")
    #expect(answer.errors.wholeMatch(of: /loadlog: wrote ".*\/status\.html", \d+\.\d kB\n/) != nil)
    let page = try page()
    #expect(page.hasPrefix("<!doctype html>") && page.hasSuffix("</html>\n"))
    #expect(page.contains("3 feeds · 2 loads since"))
    for feed in ["backup/db", "reviews", "network"] { #expect(page.contains("<bdi>\(feed)</bdi>")) }
    #expect(page.contains("<code dir=\"auto\">Cache.swift:9</code>"))
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: place.folder.path + "/pages") == ["status.html"])
    #expect(try place.loadlog("report", "-q", "-o", file) == Finished(code: 0, output: "", errors: ""))
  }

  @Test func keepsThePermissionsOfTheFileItReplaces() throws {
    try makeFolder()
    let done = Finished(code: 0, output: "", errors: "")
    #expect(try place.loadlog("report", "-qo", file) == done)
    #expect(try place.mode(of: file) == "600")
    #expect(try place.shell("chmod 644 \(file); loadlog report -qo \(file)") == done)
    #expect(try place.mode(of: file) == "644")
  }

  @Test(arguments: [[], ["-o", "-"]]) func goesToStandardOutput(options: [String]) throws {
    let answer = try place.loadlog(["report"] + options)
    #expect(answer.code == 0 && answer.errors == "")
    #expect(answer.output.hasPrefix("<!doctype html>") && answer.output.hasSuffix("</html>\n"))
  }

  @Test(.enabled("script is not installed") { Place.hasScript })
  func doesNotFloodATerminal() throws {
    let answer = try place.shell("script -qec 'loadlog report' /dev/null")
    #expect(answer.code == 2)
    #expect(
      answer.output
        == "loadlog: A terminal cannot show an HTML page. Name a file: -o status.html. See loadlog help report.\r\n"
    )
  }

  @Test func showsTheFeedsThatWereAskedFor() throws {
    let answer = try place.loadlog("report", "back*")
    #expect(answer.output.contains("1 feed · 1 load"))
    #expect(!answer.output.contains("reviews"))
    let unknown = try place.loadlog("report", "revews", "-o", file)
    #expect(unknown.code == 1)
    #expect(unknown.errors.contains("Did you mean \"reviews\"?"))
  }

  @Test func anEmptyStoreMakesAPageThatSaysSo() throws {
    let place = try Place()
    try place.loadlog("reset", "--all")
    let answer = try place.loadlog("report")
    #expect(answer.code == 0)
    #expect(answer.output.contains("There is nothing to show yet"))
    #expect(answer.output.contains("<code>loadlog run FEED -- COMMAND</code>"))
    let other = place.folder.path + "/other.db"
    try place.loadlog("reset", "--all", "--db", other)
    #expect(
      try place.loadlog("report", "--db", other).output
        .contains("<code>loadlog run FEED --db \(other) -- COMMAND</code>"))
  }

  @Test func noStoreMakesNoPage() throws {
    try makeFolder()
    let answer = try place.loadlog("report", "-o", file, "--db", place.folder.path + "/none.db")
    #expect(answer.code == 3)
    #expect(answer.isOneComplaint)
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.folder.path + "/pages") == [])
  }

  @Test(
    arguments: ["> /dev/full", ">&-", "-o /dev/full", "-o .", "-o none/page.html", "-o ''"].filter {
      Place.hasFullDevice || !$0.contains("full")
    })
  func anUnwritablePathIsReportedInOneLine(redirection: String) throws {
    let answer = try place.shell("loadlog report \(redirection)")
    #expect(answer.code == 5, "\(answer.errors)")
    #expect(answer.isOneComplaint)
  }

  @Test func anOldPageStaysUntilTheNewOneIsComplete() throws {
    try makeFolder()
    try Data("old".utf8).write(to: URL(filePath: file))
    let failed = try place.shell("ulimit -f 4; loadlog report -o \(file)")
    #expect(failed.code == 5)
    #expect(try page() == "old")
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: place.folder.path + "/pages") == ["status.html"])
    #expect(try place.loadlog("report", "-o", file).code == 0)
    #expect(try page().hasPrefix("<!doctype html>"))
  }

  @Test(arguments: ["<script>alert(1)</script>", "\"><img src=x onerror=\"alert(2)\">", "\u{600}<img src=x>"])
  func userTextsAreEscaped(text: String) throws {
    let id = try place.begin(text, "--call-site", text)
    try place.loadlog("finish", id, "--failed", "--reason", text)
    try place.loadlog("pop", text, "--call-site", text)
    let page = try place.loadlog("report").output
    let scalars = Array(page.unicodeScalars)
    let tags = scalars.indices.filter { scalars[$0] == "<" }
    #expect(tags.count { scalars[$0...].starts(with: "<img".unicodeScalars) } == 0)
    #expect(tags.count { scalars[$0...].starts(with: "<script".unicodeScalars) } == 1)
    #expect(page.contains("&lt;") && page.contains("(&quot;") == text.hasPrefix("\""))
  }
}
