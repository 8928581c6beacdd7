import Foundation
import LoadLogCore
@testable import LoadLogReports
import LoadLogTestSupport
import TestProcesses
import Testing

@Suite struct ExportTests {
  @Test func aTraceIsImportedAsItWasExported() throws {
    let items = try Reading.items(.chromeTrace, Exported.bytes(.chromeTrace))
    try expectSame(items)
    let finishes = Dictionary(uniqueKeysWithValues: items.compactMap(\.orphan).map { ($0.identity, $0) })
    #expect(finishes.count == Exported.unmatched.count)
    for unmatched in Exported.unmatched {
      let found = try #require(finishes[.id(unmatched.id)])
      #expect(Imbalance.Kind.unmatchedFinish(found.kind) == unmatched.kind && found.at == unmatched.at)
      #expect(found.feed == unmatched.feed && found.callSite == unmatched.callSite)
    }
    #expect(!items.contains { $0.rejection != nil || $0.fault != nil })
  }

  @Test func anUnknownDurationBesideOtherLoadsStaysUnknown() throws {
    let loads = [
      Screens.load("0000001", "a", "2026-11-21T06:00:00", .succeeded, 10),
      Screens.load("0000002", "a", "2026-11-21T06:00:01", .succeeded, 1) {
        ($0.duration, $0.durationSource) = (nil, nil)
      },
      Screens.load("0000003", "a", "2026-11-21T06:00:02", .succeeded, 1),
    ]
    var bytes: [UInt8] = []
    var exporter = try #require(ExportFormat.chromeTrace.exporter())
    exporter.begin(into: &bytes)
    for load in loads { exporter.add(load, into: &bytes) }
    exporter.end(into: &bytes)
    let found = try Reading.items(.chromeTrace, bytes).compactMap(\.load)
    #expect(found.map(\.identity) == loads.map { .id($0.id) })
    #expect(found.map(\.duration) == loads.map(\.duration))
    let text = String(decoding: bytes, as: UTF8.self)
    #expect(text.ranges(of: #""ph":"b""#).count == 1, "the third still overlaps the first")
  }

  /// A machine that does not know the time dates its loads like this.
  @Test func loadsOfTheYear1970KeepTheirTimes() throws {
    let loads = [
      Screens.load("0000001", "a", "1970-01-02T00:10:00", .succeeded, 10),
      Screens.load("0000002", "a", "1970-01-02T00:10:01", .succeeded, 1),
      Screens.load("0000003", "a", "1970-01-02T00:10:02", .crashed, 4),
    ]
    let at = Screens.at("1970-01-02T00:10:03")
    var bytes: [UInt8] = []
    var exporter = try #require(ExportFormat.chromeTrace.exporter())
    exporter.begin(into: &bytes)
    for load in loads { exporter.add(load, into: &bytes) }
    exporter.add(
      Imbalance(
        id: Screens.id("0000101"), kind: .unmatchedFinish(.extraPop), feed: "a", at: at, evidence: "",
        isLikely: false), into: &bytes)
    exporter.end(into: &bytes)
    var importer = try ImportFormat.chromeTrace.importer()
    let items = importer.items(of: bytes)
    #expect(items.compactMap(\.load).map(\.started) == loads.map(\.started.wall))
    #expect(items.compactMap(\.load).map(\.duration) == [10_000_000_000, 1_000_000_000, nil])
    #expect(items.compactMap(\.orphan).map(\.at) == [at] && !importer.hasRelativeTimes)
  }

  /// No end of them follows, so that none of them waits for one.
  @Test func anyNumberOfUnfinishedLoadsIsImportedInTheirOrder() throws {
    let loads = (0..<20_000).map { number in
      let id = String(number + 0x1000000, radix: 16)
      return Screens.load(id, "a", "2026-11-21T06:00:00", number % 2 == 0 ? .crashed : .running, 4)
    }
    var bytes: [UInt8] = []
    var exporter = try #require(ExportFormat.chromeTrace.exporter())
    exporter.begin(into: &bytes)
    for load in loads { exporter.add(load, into: &bytes) }
    exporter.end(into: &bytes)
    let items = try Reading.items(.chromeTrace, bytes)
    #expect(items.count == loads.count)
    #expect(items.compactMap(\.load).map(\.identity) == loads.map { .id($0.id) })
    #expect(items.compactMap(\.load).map(\.state) == loads.map(\.state))
  }

  /// The whole trace can still finish it.
  @Test func aLoadWhoseEndWasCutOffIsUnfinished() throws {
    let text = String(decoding: try Exported.bytes(.chromeTrace), as: UTF8.self)
    let end = try #require(text.firstRange(of: #",\#n{"ph":"e""#)).lowerBound
    let loads = try Reading.items(.chromeTrace, String(text[..<end])).compactMap(\.load)
    let whole = try Reading.items(.chromeTrace, text).compactMap(\.load)
    let cut = try #require(loads.last)
    #expect(cut.state == .abandoned && cut.reason == "import" && cut.duration == nil)
    #expect(whole.contains { $0.identity == cut.identity && $0.state.isFinished && $0.duration != nil })
  }

  @Test func anOTLPDocumentIsImportedAsItWasExported() throws {
    try expectSame(try Reading.items(.otlp, Exported.bytes(.otlp)))
    let services = try Reading.items(.otlp, Exported.bytes(.otlp), by: .service).compactMap(\.load).map(
      \.feed)
    #expect(Set(services) == ["Reader", "loadlog"])
  }

  private func expectSame(_ items: [ImportedItem]) throws {
    let found = Dictionary(uniqueKeysWithValues: items.compactMap(\.load).map { ($0.identity, $0) })
    #expect(found.count == Exported.loads.count)
    for load in Exported.loads {
      let same = try #require(found[.id(load.id)])
      #expect(same.feed == load.feed && same.started == load.started.wall && same.duration == load.duration)
      #expect(same.state == load.state && same.reason == load.reason)
      if load.duration != nil { #expect(same.durationSource == load.durationSource) }
      #expect(same.message == load.message && same.callSite == load.callSite)
    }
  }

  @Test func independentScriptsFindTheSameLoads() throws {
    for (format, name, arguments) in [
      (ExportFormat.chromeTrace, "trace_loads.py", ["0"]), (.otlp, "otlp_loads.py", []),
    ] {
      let rows = try Script.output(name, of: Exported.bytes(format), arguments).split(separator: "\n").map {
        line in
        line.split(separator: " ", maxSplits: 4).map(String.init)
      }
      let loads = rows.filter { $0[0] == "load" }
      #expect(loads.count == Exported.loads.count)
      let found = Set(loads.map { $0[1...].joined(separator: " ") })
      let wanted = Set(
        Exported.loads.map { load in
          "\(load.started.wall) \(load.duration.map(String.init) ?? "-") \(load.state.rawValue) \(load.feed)"
        })
      #expect(found == wanted)
      let sum = loads.compactMap { Int64($0[2]) }.reduce(0, +)
      #expect(sum == Exported.loads.compactMap(\.duration).reduce(0, +))
      #expect(
        rows.filter { $0[0] == "orphan" }.count == (format == .chromeTrace ? Exported.unmatched.count : 0))
    }
  }

  @Test func openTelemetrysOwnClassesReadTheDocument() throws {
    try #require(
      FileManager.default.isExecutableFile(atPath: TestPlaces.python),
      "\(TestPlaces.python) is missing. Run ./dev test, which installs it with OpenTelemetry's classes.")
    let lines = try Script.output("otlp_proto_loads.py", of: Exported.bytes(.otlp), python: TestPlaces.python)
    let wanted = Exported.loads.map { load in
      let digits = load.id.description.filter { $0 != "-" }
      let status =
        switch load.state {
        case .succeeded, .unchanged: "STATUS_CODE_OK"
        case .failed: "STATUS_CODE_ERROR"
        default: "STATUS_CODE_UNSET"
        }
      let app = load.owner.owner.app.isEmpty ? "loadlog" : load.owner.owner.app
      return "span \(digits) \(digits.suffix(16)) \(load.started.wall * 1000) "
        + "\(load.duration.map(String.init) ?? "-") \(status) \(load.state.rawValue) \(app) \(load.feed)"
    }
    #expect(lines.split(separator: "\n").map(String.init) == wanted)
  }

  @Test func loadsOnOneTrackDoNotOverlap() throws {
    let trace = try #require(
      try JSONSerialization.jsonObject(with: Data(Exported.bytes(.chromeTrace))) as? [String: Any])
    let events = try #require(trace["traceEvents"] as? [[String: Any]])
    var names: [Int: String] = [:]
    var ends: [Int: Double] = [:]
    for event in events {
      guard let phase = event["ph"] as? String, let track = event["tid"] as? Int else { continue }
      if phase == "M", track > 0 { names[track] = (event["args"] as? [String: String])?["name"] }
      guard phase == "X", let start = event["ts"] as? Double else { continue }
      #expect(names[track] == event["name"] as? String && start >= ends[track] ?? 0)
      ends[track] = start + (event["dur"] as? Double ?? 0)
    }
    #expect(Set(names.values).isSuperset(of: Exported.loads.filter { $0.state.isFinished }.map(\.feed.name)))
  }

  @Test(arguments: [ExportFormat.chromeTrace, .otlp])
  func theExportOfAnEmptyStoreCanBeImported(format: ExportFormat) throws {
    var bytes: [UInt8] = []
    var exporter = try #require(format.exporter())
    exporter.begin(into: &bytes)
    exporter.end(into: &bytes)
    let importFormat = try #require(ImportFormat(rawValue: format.rawValue))
    #expect(try Reading.items(importFormat, bytes).filter { $0.load != nil || $0.fault != nil }.isEmpty)
  }

  @Test(arguments: [ExportFormat.chromeTrace, .otlp, .csv])
  func exportsMatchTheDocumentedFormats(format: ExportFormat) throws {
    let text = String(decoding: try Exported.bytes(format), as: UTF8.self)
    let name = format == .csv ? "export.csv" : "export-\(format.rawValue).json"
    #expect(Snapshot(name).difference(from: text) == nil)
  }
}

@Suite struct CSVTests {
  @Test func pythonReadsTheRowsAsTheyWereWritten() throws {
    let lines = try Script.output("csv_rows.py", of: Exported.bytes(.csv)).split(separator: "\n")
    let rows = try lines.map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String])
    }
    #expect(rows.count == Exported.loads.count + 1 && Set(rows.map(\.count)) == [19])
    let columns = try #require(rows.first)
    for (load, row) in zip(Exported.loads, rows.dropFirst()) {
      let values = Dictionary(uniqueKeysWithValues: zip(columns, row))
      #expect(values["id"] == load.id.description && values["state"] == load.shownState.rawValue)
      #expect(values["duration"].flatMap(Double.init) == load.duration.map { Double($0) / 1e9 })
    }
  }

  @Test(
    arguments: [
      ("=1+1", "'=1+1"), ("+1", "'+1"), ("-1", "'-1"), ("@SUM(A1)", "'@SUM(A1)"), ("\tx", "'\\tx"),
      ("\rx", "'\\rx"),
      ("a\nb", "a\\nb"), ("\u{202E}x", "\\u{202E}x"), ("\u{1B}[31m", "\\u{1B}[31m"), ("a,b", "a,b"),
      ("say \"a\"", "say \"a\""),
      ("", ""), ("plain = text", "plain = text"), ("\u{0}=1", "\\u{0}=1"),
    ])
  func formulasAndControlCharactersAreEscaped(text: String, shown: String) throws {
    var load = Exported.loads[0]
    load.reason = text
    var bytes: [UInt8] = []
    var exporter = CSVExporter()
    exporter.add(load, into: &bytes)
    let line = try Script.output("csv_rows.py", of: bytes)
    let row = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String])
    #expect(row.last == shown)
    #expect(!bytes.dropLast(2).contains { $0 < 0x20 } && bytes.suffix(2) == [0x0D, 0x0A])
  }
}
