import Foundation
import LoadLogCore
import LoadLogReports
import TestProcesses
import Testing

@Suite struct ScriptTests {
  @Test("counts, starts and durations are those of an independent script", arguments: Reading.sharedFiles)
  func shared(file: Reading.SharedFile) throws {
    for source in file.format.feedSources {
      let items = try Reading.items(file.format, file.bytes(), by: source)
      #expect(
        Self.summary(items, isSorted: file.format == .chromeTrace)
          == (try Self.script(file.format, file.url.path, source)))
      #expect(items.contains { $0.load != nil })
      #expect(!items.contains { $0.fault != nil || $0.rejection != nil })
    }
  }

  static func script(_ format: ImportFormat, _ path: String, _ source: FeedSource) throws -> String {
    let name =
      switch format {
      case .har: "har_loads.py"
      case .otlp: "otlp_loads.py"
      default: "trace_loads.py"
      }
    let script = Reading.package.appending(path: "Tests/Scripts/\(name)").path
    let epoch = format == .chromeTrace ? [String(Reading.noon)] : []
    let child = try Child(["/usr/bin/env", "python3", script, path] + epoch + [source.rawValue])
    let text = try child.rest()
    #expect(child.waitForEnd() == 0)
    return text
  }

  /// What the scripts print.
  static func summary(_ items: [ImportedItem], isSorted: Bool) -> String {
    var lines = items.filter { $0.load != nil || $0.orphan != nil }.map(\.printed)
    if isSorted { lines.sort() }
    let counts = Dictionary(grouping: items.compactMap(\.load)) { "\($0.feed)\n\($0.state.rawValue)" }
    lines += counts.sorted { $0.key < $1.key }.map { key, loads in
      let parts = key.split(separator: "\n")
      return "count \(loads.count) \(parts[1]) \(parts[0])"
    }
    lines += items.map(\.printed).filter { $0.hasPrefix("skipped") }
    return lines.map { $0 + "\n" }.joined()
  }
}
