import Foundation
import Testing

/// Counts, resets and finishes of the built program.
@Suite struct CountTests {
  private let place: Place

  init() throws { place = try Place() }

  @Test func anExtraPopIsRecordedAndReported() throws {
    let verbs = ["push", "push", "pop", "pop", "pop"]
    let answers = try verbs.map { try place.loadlog($0, "f") }
    #expect(answers.map(\.output) == ["1\n", "2\n", "1\n", "0\n", "0\n"])
    #expect(answers.map(\.code) == [0, 0, 0, 0, 1])
    #expect(answers.map(\.errorLines.count) == [0, 0, 0, 0, 1])
    #expect(answers.last?.errors.contains("count already 0") == true)
    #expect(try place.unbalanced("f") == ["extra_pop": 1])
    #expect(try place.status("f")["ended"].int == 2)
  }

  @Test func aFeedThatIsOnlyPushedAndPoppedLooksTheSameInEveryWindow() throws {
    for verb in ["push", "pop"] { try place.loadlog(verb, "f") }
    for window in [[], ["--since", "2100-01-01"]] {
      let text = try place.loadlog(["status", "f"] + window).output
      #expect(text.contains(#/\n✓ f +– +idle +\d +– /#), "\(text)")
    }
    try place.loadlog("finish", try place.begin("f"), "--cancelled")
    for window in [[], ["--since", "2100-01-01"]] {
      let text = try place.loadlog(["status", "f"] + window).output
      #expect(text.contains(#/\n✓ f +never +idle +\d +0 /#), "\(text)")
    }
  }

  @Test func scriptsLeaveAShortLog() throws {
    for count in 1...40 {
      #expect(try place.loadlog("push", "f").output == "\(count)\n")
      let size = try FileManager.default.attributesOfItem(atPath: place.store + "-wal")[.size]
      #expect(try #require(size as? Int) < 1_000_000)
    }
  }

  @Test func theFirstVerdictStands() throws {
    let id = try place.begin("f")
    #expect(try place.loadlog("finish", id, "--unchanged") == Finished(code: 0, output: "", errors: ""))
    let second = try place.loadlog("finish", id, "--failed", "--reason", "late doubts")
    #expect(second.code == 1)
    #expect(second.errorLines.count == 1)
    #expect(try place.unbalanced("f") == ["duplicate_finish": 1])
    let load = try place.ask("history", "f")["loads"][0]
    #expect(load["state"].text == "unchanged")
    #expect(load["reason"].isNull)
  }

  @Test func popsAfterAResetAreNotUnbalanced() throws {
    let verbs = ["push", "push", "reset", "pop", "pop", "pop"]
    let answers = try verbs.map { try place.loadlog($0, "f") }
    #expect(answers.map(\.output) == ["1\n", "2\n", "0\n", "0\n", "0\n", "0\n"])
    #expect(answers.map(\.code) == [0, 0, 0, 0, 0, 1])
    let status = try place.status("f")
    #expect(status["pops_after_reset"].int == 2)
    #expect(status["unbalanced"]["extra_pop"].int == 1)
    #expect(status["unbalanced"]["abandoned"].int == 2)
  }

  @Test func resettingAllLeavesLoadsWithAnIdAlone() throws {
    for feed in ["a", "b"] { try place.loadlog("push", feed) }
    try place.loadlog("start", "a")
    #expect(try place.loadlog("reset", "--all") == Finished(code: 0, output: "0\n", errors: ""))
    #expect(try place.status("a")["running"].int == 1)
    #expect(try place.unbalanced("a") == ["abandoned": 1])
    #expect(try place.unbalanced("b") == ["abandoned": 1])
    #expect(try place.loadlog("push", "b").output == "1\n")
  }

  @Test func anUnknownFinishIsAnOrphan() throws {
    try place.loadlog("push", "f")
    let unknown = "01a1fc32-57d5-72e7-9cd7-dec9fca2a1f4"
    let answer = try place.loadlog("finish", unknown)
    #expect(answer.code == 1)
    #expect(answer.errorLines.count == 1)
    #expect(answer.errors.contains(unknown))
    #expect(try place.ask("status")["totals"]["unbalanced"]["orphan_finish"].int == 1)
    #expect(try place.status("f")["unbalanced"]["orphan_finish"].int == 0)
    #expect(try place.loadlog("finish", "fca2a1f4").code == 1, "its tail is of no load")
  }

  @Test(
    arguments: [
      ([], "succeeded", nil), (["--succeeded"], "succeeded", nil), (["--unchanged"], "unchanged", nil),
      (["--failed"], "failed", nil), (["--cancelled"], "cancelled", nil),
      (["--failed", "--reason", "no route"], "failed", "no route"), (["--exit", "0"], "succeeded", nil),
      (["--exit", "0", "--reason", "quick"], "succeeded", "quick"), (["--exit", "3"], "failed", "exit 3"),
      (["--exit", "3", "--reason", "no route"], "failed", "exit 3: no route"),
      (["--exit", "255"], "failed", "exit 255"), (["--cancelled", "--reason", "-x"], "cancelled", "-x"),
    ] as [([String], String, String?)])
  func aFinishRecordsItsVerdict(flags: [String], state: String, reason: String?) throws {
    let id = try place.begin("f")
    let tail = String(id.suffix(7))
    #expect(try place.loadlog(["finish", tail] + flags) == Finished(code: 0, output: "", errors: ""))
    let load = try place.ask("history", "f")["loads"][0]
    #expect(load["id"].text == id)
    #expect(load["state"].text == state)
    #expect(load["reason"].text == reason)
  }

  /// A script writes such an option as `--reason="$why"`.
  @Test func anEmptyValueTakesNoOtherOption() throws {
    let id = try place.begin("f")
    #expect(try place.loadlog("finish", id, "--reason=", "--failed").code == 0)
    #expect(try place.ask("history", "f")["loads"][0]["state"].text == "failed")
    try place.loadlog("start", "g", "--message=", "--tag=x", "--detached")
    #expect(try place.ask("history", "g", "--tag", "x")["total"].int == 1)
    let limit = try place.loadlog("history", "--limit=", "5")
    #expect(limit.code == 2 && limit.isOneComplaint && limit.errors.contains("--limit"), "\(limit)")
  }

  @Test func aValueMayLookLikeAnOptionWithoutOne() throws {
    try place.loadlog("start", "f", "-m", "--tag=", "--tag=", "--detached")
    let load = try place.ask("history", "f")["loads"][0]
    #expect(load["message"].text == "--tag=", "\(load)")
  }
}
