import Testing

/// A window that cuts days with pruned loads says so on every surface.
@Suite struct PrunedWindowTests {
  private let place: Place

  /// Imports a load every 10 minutes from 11 to 14 October 2026, the last of which fail, and prunes all but the last ones.
  init() throws {
    place = try Place()
    var lines = ""
    for number in 0..<576 {
      let (day, minute) = (11 + number / 144, number % 144 * 10)
      func time(_ seconds: Int) -> String {
        let digits = [minute / 60, minute % 60, seconds].map { $0 < 10 ? "0\($0)" : "\($0)" }
        return "2026-10-\(day)T\(digits.joined(separator: ":"))Z"
      }
      let id = "00000000-0000-4000-8000-\(100_000_000_000 + number)"
      lines += #"{"event":"start","at":"\#(time(0))","feed":"reviews","id":"\#(id)"}"# + "\n"
      lines += #"{"event":"finish","at":"\#(time(2))","id":"\#(id)","verdict":"succeeded"}"# + "\n"
    }
    let imported = try place.loadlog("import", try place.write(lines, to: "loads.ndjson"))
    try #require(imported.code == 0, "\(imported.errors)")
    try #require(place.loadlog("prune", "--older-than", "1s").code == 0)
  }

  private let cut = ["--since", "2026-10-12 18:00", "--until", "2026-10-13 06:00"]

  @Test func statusMarksItsNumbersAndNamesTheDays() throws {
    let text = try place.loadlog(["status"] + cut).output.withoutYears
    #expect(text.contains("~288 loads from ") && text.contains("~2.00 s"))
    #expect(text.split(separator: "\n").contains { $0.contains("reviews") && $0.contains(" ~288 ") })
    #expect(text.contains("\n~ 12 and 13 Oct count as whole UTC days: loads of them were pruned\n"))
    let json = try Answer(place.loadlog(["status", "--json"] + cut).output)
    #expect(json["whole_days"].all.map(\.text) == ["2026-10-12", "2026-10-13"])
    #expect(json["totals"]["approximate"].bool == true && json["feeds"][0]["approximate"].bool == true)
  }

  @Test func wholeDaysAreExactAndUnmarked() throws {
    let whole = ["--since", "2026-10-12", "--until", "2026-10-14"]
    let text = try place.loadlog(["status"] + whole).output
    #expect(text.contains(" 288 loads from ") && !text.contains("~288") && !text.contains("whole UTC"))
    #expect(try Answer(place.loadlog(["status", "--json"] + whole).output)["whole_days"].all.isEmpty)
  }

  @Test func theReportMarksItsNumbersAndNamesTheDays() throws {
    let page = try place.loadlog(["report"] + cut).output.withoutYears
    #expect(page.contains("~288 loads from ") && page.contains("<td>~288"))
    #expect(page.contains("~ 12 and 13 Oct count as whole UTC days: loads of them were pruned."))
    #expect(!page.contains("the exact window") && !page.contains("No loads were open"))
    let counted = "288 loads that started on 12 and 13 Oct (UTC) were only counted."
    #expect(page.contains("The timeline lacks loads: \(counted)"))
  }

  @Test func historyReportsThePrunedLoads() throws {
    let empty = try place.loadlog(["history"] + cut).output.withoutYears
    #expect(empty == "no loads; 288 loads that started on 12 and 13 Oct (UTC) were pruned\n")
    let moment = try place.loadlog("history", "--at", "2026-10-12 18:00").output.withoutYears
    #expect(moment == "no loads; 144 loads that started on 12 Oct (UTC) were pruned\n")
    let all = try place.loadlog("history", "--since", "2026-10-01").output.withoutYears
    #expect(all.contains("\n575 loads that started from 11 Oct to 14 Oct (UTC) were pruned.\n"))
    #expect(!(try place.loadlog("history").output.contains("pruned")))
    #expect(try place.ask("history")["pruned"].int == 575)
    #expect(try place.loadlog("history", "--since", "2026-10-15").output == "no loads\n")
  }
}
