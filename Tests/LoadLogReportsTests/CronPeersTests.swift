import Foundation
import LoadLogCore
import Testing
import TestProcesses

/// Due times of random expressions, compared with cronsim, croniter and a replay of Debian's cron.
@Suite struct CronPeersTests {
  /// The number of cases; more when the variable says so.
  private static let cases = ProcessInfo.processInfo.environment["LOADLOG_CRON_CASES"] ?? "2000"

  @Test func randomExpressionsAreDueAsInOtherPrograms() throws {
    try #require(
      FileManager.default.isExecutableFile(atPath: TestPlaces.python),
      "\(TestPlaces.python) is missing. Run ./dev test, which installs it with cronsim and croniter.")
    let made = try Script.output("cron_peers.py", ["make", "1", Self.cases], python: TestPlaces.python)
    var lines = ""
    for line in made.split(separator: "\n") {
      let parts = line.split(separator: "\t").map(String.init)
      guard let schedule = try? CronSchedule(parts[0], timezone: parts[1]), let minute = Int64(parts[2])
      else { continue }
      var (time, dues) = (minute * 60_000_000, [String]())
      for _ in 0..<6 {
        time = try #require(schedule.next(after: time))
        dues.append(String(time / 60_000_000))
      }
      lines += "\(line)\t\(dues.joined(separator: " "))\n"
    }
    let answer = try Script.output("cron_peers.py", of: Array(lines.utf8), python: TestPlaces.python)
    print(answer, terminator: "")
    #expect(answer.contains("; 0 wrong"), "\(answer)")
  }
}
