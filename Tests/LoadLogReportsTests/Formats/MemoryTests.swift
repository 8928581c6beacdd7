import Foundation
import LoadLogReports
import LoadLogTestSupport
import TestProcesses
import Testing

@Suite struct MemoryTests {
  @Test(arguments: ImportFormat.allCases)
  func importersTakeNoMoreMemoryForLargerFiles(format: ImportFormat) throws {
    let small = try figures(format, megabytes: 1)
    let large = try figures(format, megabytes: 9)
    let found = (large["load"] ?? 0) + (large["line"] ?? 0)
    #expect(found > 5 * ((small["load"] ?? 0) + (small["line"] ?? 0)) && found > 4000)
    #expect(try #require(large["peak_kilobytes"]) - #require(small["peak_kilobytes"]) < 5000)
  }

  @Test(
    arguments: [
      (ImportFormat.chromeTrace, "one", 96), (.chromeTrace, "deep", 96), (.har, "plain", 70),
      (.chromeTrace, "open", 12),
    ])
  func extremeFilesStayUnder64Megabytes(format: ImportFormat, shape: String, megabytes: Int) throws {
    let figures = try figures(format, shape, megabytes: megabytes)
    #expect(try #require(figures["bytes"]) > megabytes << 20)
    #expect(try #require(figures["peak_kilobytes"]) < 64 << 10)
  }

  /// With fewer loads than these, SQLite's cache is not full yet.
  @Test func importingIntoAStoreTakesNoMoreMemoryForMoreLoads() throws {
    let small = try figures(.chromeTrace, "nested", megabytes: 4, isStored: true)
    let large = try figures(.chromeTrace, "nested", megabytes: 16, isStored: true)
    #expect(try #require(large["load"]) > 50_000)
    #expect(try #require(large["peak_kilobytes"]) - #require(small["peak_kilobytes"]) < 8000)
    #expect(try #require(large["peak_kilobytes"]) < 64 << 10)
  }

  /// Figures that the fixture prints for a file it wrote.
  private func figures(
    _ format: ImportFormat, _ shape: String = "plain", megabytes: Int, isStored: Bool = false
  ) throws -> [String: Int] {
    let program = BuiltPrograms.folder.appending(path: "LoadLogFormatsFixture").path
    let place = try TemporaryStore()
    defer { withExtendedLifetime(place) {} }
    let verb = isStored ? #"store "$1" "$4""# : #"read "$1""#
    let child = try Child([
      "/bin/sh", "-c", #""$0" write "$1" "$2" "$3" | "$0" "# + verb, program, format.rawValue,
      String(megabytes), shape, place.path,
    ])
    let lines = try child.rest().split(separator: "\n").map { $0.split(separator: " ") }
    #expect(child.waitForEnd() == 0)
    return Dictionary(lines.compactMap { line in Int(line[1]).map { (String(line[0]), $0) } }) { first, _ in
      first
    }
  }
}
