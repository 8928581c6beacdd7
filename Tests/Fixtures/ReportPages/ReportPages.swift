import Foundation
import LoadLogReports
import ReportExamples

/// Writes the example pages into a folder: LoadLogReportFixture FOLDER.
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
  }
}
