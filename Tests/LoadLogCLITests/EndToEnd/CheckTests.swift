import Testing

/// `status --check` prints nothing, or one line per problem.
@Suite struct CheckTests {
  private let place: Place

  init() throws { place = try Place() }

  @Test func allIsWell() throws {
    try place.loadlog("run", "f", "--", "true")
    for flags in [[], ["--max-age", "1h"], ["--max-running", "1h"]] {
      let answer = try place.loadlog(["status", "--check"] + flags)
      #expect(answer == Finished(code: 0, output: "", errors: ""), "\(flags)")
    }
  }

  @Test(arguments: [
    ("finish $(loadlog start f) --failed", "--max-age 1h", "f"),
    ("push f --owner-pid $PPID", "--max-running 0.000001s", "f"),
    ("pop f", "", "f"), ("start f --owner-pid 999999999", "--unbalanced", "f"),
    ("run f -- true", "--max-age 0.000001s", "f"), ("run f -- false; true", "", "f"),
  ])
  func aProblemIsNamed(line: String, flags: String, feed: String) throws {
    _ = try place.shell("loadlog \(line)")
    let answer = try place.shell("loadlog status --check \(flags)")
    #expect(answer.code == 1)
    #expect(answer.errors == "")
    #expect(answer.output.split(separator: "\n").count == 1)
    #expect(answer.output.contains(feed))
  }

  @Test func aNamedProblemIsTheOnlyCheck() throws {
    try place.loadlog("pop", "popped")
    _ = try place.shell("loadlog run failed -- false")
    _ = try place.shell("loadlog run silent -- true; loadlog expect silent --every 1s --grace 0s; sleep 1")
    for (flag, feed) in [("--failed", "failed"), ("--unbalanced", "popped"), ("--late", "silent")] {
      let answer = try place.loadlog("status", "--check", flag)
      #expect(answer.code == 1 && answer.errors == "")
      #expect(answer.output.hasPrefix("\(feed): ") && answer.output.split(separator: "\n").count == 1)
    }
    #expect(
      try place.loadlog("status", "--check", "--overrunning") == Finished(code: 0, output: "", errors: ""))
    let all = try place.loadlog("status", "--check", "--json")
    #expect(all.code == 1)
    #expect(all.output.matches(of: /"problem": "(\w+)"/).map(\.1) == ["failing", "unbalanced", "late"])
    try place.loadlog("expect", "silent", "--pause")
    #expect(
      try place.loadlog("status", "--check", "--late", "--max-age", "0s").output.contains("silent") == false)
  }

  @Test func anAcknowledgementThatChangesNothingSaysWhy() throws {
    for (command, state) in [("true", "succeeded"), ("false", "failed")] {
      try place.loadlog("run", "g", "--", command)
      let id = try #require(try place.ask("history", "g")["loads"][0]["id"].text)
      let answer = try place.loadlog("unbalanced", "--ack", id)
      #expect(answer.code == 1 && answer.isOneComplaint, "\(answer)")
      #expect(
        answer.errors.contains("its state is \(state). There is nothing to acknowledge."), "\(answer)")
    }
    try place.loadlog("pop", "f")
    let id = try #require(try place.ask("unbalanced")["unbalanced"][0]["id"].text)
    #expect(try place.loadlog("unbalanced", "--ack", id).errors == "")
    let again = try place.loadlog("unbalanced", "--ack", id)
    #expect(again.code == 0 && again.output == "0 acknowledged\n")
    #expect(
      again.errors.contains(#/^loadlog: \w{7} was acknowledged before: by .+, .+ UTC\n$/#), "\(again)")
    #expect(try place.loadlog("unbalanced", "--ack", id, "-q").errors == "")
  }

  @Test func aGivenLimitIsTheOnlyCheck() throws {
    try place.loadlog("run", "f", "--", "true")
    try place.loadlog("pop", "f")
    #expect(try place.loadlog("status", "--check").code == 1)
    #expect(try place.loadlog("status", "--check", "--max-age", "1h").code == 0)
    #expect(try place.loadlog("unbalanced", "--ack", "--all").output == "1 acknowledged\n")
    #expect(try place.loadlog("status", "--check").code == 0)
  }
}
