import Foundation
import LoadLogCore
import LoadLogReports
import ReportExamples

/// Writes the example pages to a folder: LoadLogReportFixture FOLDER.
///
/// It also writes `hostile.json`, the expected appearance of the texts on the hostile page. With `--store FILE` instead, it
/// records the loads of the realistic page into a new store, as if they had just happened.
@main
enum ReportPages {
  struct WrongUsage: Error {}

  static func main() throws {
    let words = CommandLine.arguments.dropFirst()
    if words.first == "--store", words.count == 2, let file = words.last {
      let now = Int64(Date.now.timeIntervalSince1970 * 1e6)
      return try ExamplePages.record(in: ExampleStore(at: URL(filePath: file), now: now))
    }
    guard let folder = words.first.map({ URL(filePath: $0) }), words.count == 1 else { throw WrongUsage() }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for (name, make) in ExamplePages.all {
      let page = HTMLReport(try make(), zone: ExampleStore.zone).html()
      try page.write(to: folder.appending(path: "\(name).html"), atomically: true, encoding: .utf8)
    }
    let shown = ExamplePages.hostileTexts.map { VisibleText.line(Feed($0).name) }
    try JSONEncoder().encode(shown).write(to: folder.appending(path: "hostile.json"))
  }
}
