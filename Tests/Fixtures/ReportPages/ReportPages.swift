import Foundation
import LoadLogCore
import LoadLogReports
import ReportExamples

/// Writes the example pages to a folder: LoadLogReportFixture FOLDER.
///
/// It also writes `hostile.json`, the expected appearance of the texts on the hostile page.
@main
enum ReportPages {
  struct WrongUsage: Error {}

  static func main() throws {
    guard CommandLine.arguments.count == 2 else { throw WrongUsage() }
    let folder = URL(filePath: CommandLine.arguments[1])
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for (name, make) in ExamplePages.all {
      let page = HTMLReport(try make(), zone: ExampleStore.zone).html()
      try page.write(to: folder.appending(path: "\(name).html"), atomically: true, encoding: .utf8)
    }
    let shown = ExamplePages.hostileTexts.map { VisibleText.line(Feed($0).name) }
    try JSONEncoder().encode(shown).write(to: folder.appending(path: "hostile.json"))
  }
}
