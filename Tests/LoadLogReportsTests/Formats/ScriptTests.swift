import Foundation
import LoadLogCore
import LoadLogReports
import TestProcesses
import Testing

@Suite struct ScriptTests {
  @Test(arguments: RealInput.files)
  func realFilesMatchAnIndependentScript(file: RealInput) throws {
    let items = try compare(file.importFormat, file.bytes())
    #expect(items.contains { $0.load != nil } && !items.contains { $0.fault != nil })
  }

  @Test func samplesMatchAnIndependentScript() throws {
    try compare(.har, Array(Samples.har.utf8))
    try compare(.otlp, Array(Samples.otlp.utf8).filter { $0 != 0x0A }, sources: [.name])
    try compare(.chromeTrace, Array(Samples.openTrace.utf8), sources: [.name])
  }

  @Test(arguments: [1, 2, 3])
  func randomPairsMatchAnIndependentScript(seed: UInt64) throws {
    var generator = Lcg(state: seed)
    let phases = ["B", "B", "E", "E", "b", "e", "S", "F", "X", "i"]
    let events = (0..<600).map { number in
      let phase = phases[Int(generator.next() % 10)]
      let name = phase == "E" && generator.next() % 3 == 0 ? "" : #""name":"n\#(generator.next() % 3)","#
      let id = generator.next() % 2 == 0 ? "\(generator.next() % 3)" : "\"\(generator.next() % 3)\""
      let place =
        #""pid":\#(generator.next() % 2),"tid":\#(generator.next() % 2),"cat":"c\#(generator.next() % 2)""#
      let time = generator.next() % 2 == 0 ? "\(number).\(generator.next() % 10000)" : "\(number)e0"
      return
        #"{"ph":"\#(phase)",\#(name)"id":\#(id),\#(place),"ts":\#(time),"dur":\#(generator.next() % 1000)}"#
    }
    try compare(.chromeTrace, Array("[\(events.joined(separator: ",\n"))".utf8))
  }

  /// Compares with the script for a format; returns the last items.
  @discardableResult
  private func compare(
    _ format: ImportFormat, _ bytes: [UInt8], sources: [FeedSource]? = nil
  ) throws -> [ImportedItem] {
    let (name, arguments) =
      switch format {
      case .har: ("har_loads.py", [String]())
      case .otlp: ("otlp_loads.py", [])
      default: ("trace_loads.py", [String(Reading.noon)])
      }
    var items: [ImportedItem] = []
    for source in sources ?? format.feedSources {
      items = try Reading.items(format, bytes, by: source)
      let script = try Script.output(name, of: bytes, arguments + [source.rawValue])
      #expect(Self.summary(items, isSorted: format == .chromeTrace) == script)
      #expect(!script.isEmpty)
    }
    return items
  }

  /// Formats items like the scripts.
  private static func summary(_ items: [ImportedItem], isSorted: Bool) -> String {
    var lines = items.filter { $0.load != nil || $0.orphan != nil }.map(\.printed)
    if isSorted { lines.sort() }
    let counts = Dictionary(grouping: items.compactMap(\.load)) { "\($0.feed)\n\($0.state.rawValue)" }
    lines += counts.sorted { $0.key < $1.key }.map { key, loads in
      let parts = key.split(separator: "\n")
      return "count \(loads.count) \(parts[1]) \(parts[0])"
    }
    let rejections = items.compactMap(\.rejection).count
    if rejections > 0 { lines.append("rejected \(rejections)") }
    lines += items.map(\.printed).filter { $0.hasPrefix("skipped") }
    return lines.map { $0 + "\n" }.joined()
  }
}
