import LoadLogCore
@testable import LoadLogReports
import TestProcesses
import Testing

@Suite struct ImportTests {
  @Test(arguments: Samples.all)
  func piecesOfAnySizeGiveTheSameItems(sample: Samples.Sample) throws {
    let whole = try Reading.items(sample.format, sample.bytes)
    #expect(!whole.contains { $0.fault != nil })
    for size in 1...sample.bytes.count {
      #expect(try Reading.items(sample.format, sample.bytes, pieces: size) == whole, "pieces of \(size)")
    }
  }

  @Test(arguments: Samples.all)
  func aTruncatedSampleKeepsEverythingBeforeItsEnd(sample: Samples.Sample) throws {
    try expectPrefixes(sample.format, sample.bytes)
  }

  /// All but the large trace, of which each byte would take minutes.
  @Test(arguments: RealInput.files.filter { $0.name != "chromium.json" })
  func aTruncatedRealFileKeepsEverythingBeforeItsEnd(file: RealInput) throws {
    try expectPrefixes(file.importFormat, file.bytes())
  }

  /// Reads byte by byte, and finishes a copy of the importer after each byte.
  private func expectPrefixes(_ format: ImportFormat, _ bytes: [UInt8]) throws {
    let whole = try Reading.items(format, bytes).filter { !$0.isLeftOpen }
    var importer = try Reading.importer(format)
    var found: [ImportedItem] = []
    for (offset, byte) in bytes.enumerated() {
      withUnsafeBytes(of: byte) { importer.read($0, into: &found) }
      var ended = importer
      var rest: [ImportedItem] = []
      ended.finish(into: &rest)
      let faults = rest.compactMap(\.fault)
      #expect(faults.count == (ended.isFaulty ? 1 : 0))
      #expect(faults.allSatisfy { $0.position.offset <= offset + 1 })
      // A file may end between two lines, documents or elements of an open array.
      if faults.isEmpty { #expect(mayEnd(format, bytes[...offset]), "byte \(offset)") }
    }
    importer.finish(into: &found)
    #expect(found.filter { !$0.isLeftOpen } == whole)
  }

  private func mayEnd(_ format: ImportFormat, _ bytes: ArraySlice<UInt8>) -> Bool {
    let last = bytes.last { $0 > 0x20 && (format != .chromeTrace || $0 != UInt8(ascii: ",")) } ?? 0
    let isComplete = bytes.count { $0 == UInt8(ascii: "{") } == bytes.count { $0 == UInt8(ascii: "}") }
    return isComplete && (format == .chromeTrace ? "[}]" : "}").utf8.contains(last)
  }

  @Test(arguments: ImportFormat.allCases)
  func nonsenseIsAFaultAndNotACrash(format: ImportFormat) throws {
    var generator = Lcg(state: 7)
    let binary = (0..<20_000).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
    let files: [(String, [UInt8])] = [
      ("empty", []), ("binary", binary), ("UTF-16", [0xFF, 0xFE, 0x7B, 0x00]),
      ("a word", Array("hello".utf8)),
      ("a number", [0x31]), ("an object", Array("{}".utf8)), ("null", Array("null".utf8)),
      ("deep", Array(repeating: 0x5B, count: 20_000)),
      ("deep objects", Array(String(repeating: #"{"log":"#, count: 10_000).utf8)),
      ("a huge key", Array(("{\"" + String(repeating: "k", count: 3_000_000) + "\":1}").utf8)),
      ("a huge text", Array(("{\"log\":\"" + String(repeating: "é", count: 1_000_000) + "\"}").utf8)),
    ]
    for (name, bytes) in files {
      let items = try Reading.items(format, bytes, pieces: 4096)
      #expect(items.contains { $0.fault != nil || $0.rejection != nil }, "\(name)")
      #expect(!items.contains { $0.load != nil || $0.line != nil }, "\(name)")
    }
  }

  @Test(arguments: Samples.all)
  func filesWithWrongBytesAreReadAsFarAsPossible(sample: Samples.Sample) throws {
    var generator = Lcg(state: 11)
    let whole = try Reading.items(sample.format, sample.bytes)
    for _ in 0..<1000 {
      var bytes = sample.bytes
      let first = Int(generator.next() % UInt64(bytes.count))
      bytes[first] = UInt8(truncatingIfNeeded: generator.next())
      if generator.next() % 2 == 0 {
        bytes.removeSubrange(first..<min(bytes.count, first + Int(generator.next() % 40)))
      }
      let items = try Reading.items(sample.format, bytes, pieces: 1 + Int(generator.next() % 100))
      #expect(items.compactMap(\.fault).count <= 1 && items.count <= whole.count + 40)
    }
  }

  @Test func theFirstBytesShowTheFormat() throws {
    for sample in Samples.all { #expect(ImportFormat(head: sample.bytes) == sample.format) }
    for file in RealInput.files {
      #expect(try ImportFormat(head: Array(file.bytes().prefix(300))) == file.importFormat)
    }
    for text in ["", "{}", "5", "{\"x\":{\"log\":1}}", "no", "{\"log"] {
      #expect(ImportFormat(head: Array(text.utf8)) == nil)
    }
  }

  @Test func aFileOfAnotherFormatIsAFault() throws {
    for sample in Samples.all {
      for format in ImportFormat.allCases where format != sample.format {
        let items = try Reading.items(format, sample.bytes)
        #expect(
          items.contains { $0.fault != nil || $0.rejection != nil }, "\(sample.testDescription) as \(format)")
        #expect(!items.contains { $0.load != nil || $0.line != nil })
      }
    }
  }

  @Test func aFeedSourceThatTheFormatLacksIsRefused() throws {
    for format in ImportFormat.allCases {
      for source in FeedSource.allCases where !format.feedSources.contains(source) {
        let error = #expect(throws: LoadLogError.self) {
          try format.importer(ImportOptions(feedSource: source))
        }
        #expect(error?.code == .invalidInput)
      }
    }
  }

  @Test func nothingIsReadAfterAFault() throws {
    var importer = try Reading.importer(.har)
    var items: [ImportedItem] = []
    Array(#"{"log":{"entries":[!"#.utf8).withUnsafeBytes { importer.read($0, into: &items) }
    #expect(importer.isFaulty && items.count == 1)
    Array(Samples.har.utf8).withUnsafeBytes { importer.read($0, into: &items) }
    importer.finish(into: &items)
    #expect(items.count == 1)
  }
}

extension ImportedItem {
  /// Whether the item is found only at the end of a file and depends on where that is.
  fileprivate var isLeftOpen: Bool {
    switch self {
    case .load(let load): load.state == .abandoned
    case .skipped, .ignored, .fault: true
    default: false
    }
  }
}
