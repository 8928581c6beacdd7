import Foundation
import Testing

/// Many processes that write to one store, and processes that are killed while they write.
@Suite(.enabled("the sqlite3 shell is not installed") { Place.has("sqlite3") })
struct StressTests {
  private let place: Place

  init() throws { place = try Place() }

  @Test func eightProcessesLoseNothing() throws {
    let programs = try (0..<8).map { number in
      try place.start(["LoadLogStressFixture", place.store, "f\(number % 3)", "500", "\(number + 1)"])
    }
    var acknowledged: Set<String> = []
    for program in programs {
      let answer = try program.wait()
      #expect(answer.code == 0, "\(answer.errors)")
      #expect(answer.output.hasSuffix("closed\n"))
      let ids = Self.ids("finished", in: answer.output)
      #expect(ids.count == 500)
      acknowledged.formUnion(ids)
    }
    #expect(acknowledged.count == 4000)
    #expect(try stored("succeeded") == acknowledged)
    #expect(try place.sqlite("PRAGMA integrity_check") == "ok\n")
    #expect(try place.sqlite("SELECT count(*) FROM unbalanced") == "0\n")
    let totals = try place.ask("status")["totals"]
    #expect(totals["loads"].int == 4000)
    #expect(totals["succeeded"].int == 4000)
    #expect(totals["running"].int == 0)
    #expect(totals["unbalanced"]["total"].int == 0)
    #expect(try place.loadlog("doctor").code == 0)
  }

  /// Kills the writer after a number of acknowledged loads that differs in each round.
  @Test(arguments: 0..<20)
  func whatWasAcknowledgedSurvivesAKill(round: Int) throws {
    let survivor = try place.begin("survivor")
    let program = try place.start(["LoadLogStressFixture", place.store, "f", "1000000", "\(1 + round % 4)"])
    let lines = Int.random(in: 1...(round % 2 == 0 ? 20 : 400))
    _ = try program.line(lines)
    try program.killAndReap()
    let started = Self.ids("started", in: program.output)
    let finished = Self.ids("finished", in: program.output)
    #expect(!started.isEmpty)

    let isDead = try place.ask("status", "f")["feeds"][0]["unbalanced"]
    let before = try place.loadlog("unbalanced", "f", "--json").output
    _ = try place.loadlog("doctor", "--repair")
    let all = try stored()
    #expect(all.isSuperset(of: started))
    #expect(try stored("succeeded").isSuperset(of: finished))
    let crashed = try stored("crashed")
    #expect(crashed.isSuperset(of: started.subtracting(try stored("succeeded"))))
    #expect(crashed.isDisjoint(with: finished))
    #expect(try stored("running") == [survivor])
    #expect(try stored("succeeded").union(crashed).union([survivor]) == all, "no other state")
    #expect(isDead["crashed"].int == crashed.count)
    #expect(isDead["total"].int == crashed.count)
    #expect(Set(try Answer(before)["unbalanced"].all.compactMap(\.["load"].text)) == crashed)
    #expect(try place.sqlite("PRAGMA integrity_check") == "ok\n")
  }

  private static func ids(_ word: String, in output: String) -> Set<String> {
    // The last line may have been cut by the kill.
    let lines = output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    return Set(lines.filter { $0.hasPrefix(word + " ") }.map { String($0.dropFirst(word.count + 1)) })
  }

  private func stored(_ state: String? = nil) throws -> Set<String> {
    let filter = state.map { " WHERE state = '\($0)'" } ?? ""
    return Set(
      try place.sqlite("SELECT id FROM session_history" + filter).split(separator: "\n").map(String.init))
  }
}
