import Foundation
import Testing

/// Invalid or truncated files: one line says where and why, and the records before that place are imported.
@Suite struct BadFileTests {
  struct BadFile: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let name: String
    let bytes: @Sendable () -> [UInt8]
    let says: String
    var imported = 0

    init(
      _ what: String, _ name: String, _ text: @autoclosure @escaping @Sendable () -> String, says: String,
      imported: Int = 0
    ) {
      testDescription = what
      self.name = name
      bytes = { Array(text().utf8) }
      self.says = says
      self.imported = imported
    }

    init(_ what: String, _ name: String, bytes: [UInt8], says: String) {
      testDescription = what
      self.name = name
      self.bytes = { bytes }
      self.says = says
    }
  }

  private static let push = #"{"event":"push","at":"2026-11-20T09:00:00Z","feed":"a"}"# + "\n"
  private static let entry =
    #"{"startedDateTime":"2026-11-20T09:00:00Z","time":5,"request":{"url":"https://a.example/"}}"#

  private static func start(at time: String) -> String {
    #"{"event":"start","at":"\#(time)","feed":"a"}"# + "\n"
  }

  private static let files: [BadFile] = [
    BadFile("empty", "x", "", says: "it is empty"),
    BadFile("empty har", "x.har", "", says: "the file is empty"),
    BadFile("white space", "x.json", " \n\n ", says: "line 1"),
    BadFile("binary", "x.bin", bytes: (0...255).map { UInt8($0) }, says: "line 1"),
    BadFile("binary har", "x.har", bytes: (0...255).map { UInt8($0) }, says: "line 1, column 1 (byte 0)"),
    BadFile(
      "a SQLite database", "x", "SQLite format 3\u{0}", says: "loadlog export --db FILE | loadlog import -"),
    BadFile("compressed", "x.har.gz", bytes: [0x1F, 0x8B, 8, 0], says: "gunzip -c"),
    BadFile("compressed har", "x.har", bytes: [0x1F, 0x8B, 8, 0], says: "gunzip -c"),
    BadFile("a database of ndjson", "x.ndjson", "SQLite format 3\u{0}", says: "loadlog export --db FILE"),
    BadFile("UTF-16 of Windows", "x.json", bytes: [0xFF, 0xFE, 0x5B, 0], says: "iconv -f UTF-16 -t UTF-8"),
    BadFile("UTF-16 of a network", "x.har", bytes: [0xFE, 0xFF, 0, 0x7B], says: "iconv -f UTF-16"),
    BadFile("plain text", "x.txt", "hello\n", says: "--format"),
    BadFile("another JSON", "x.json", #"{"a":1}"#, says: "--format"),
    BadFile("no har", "x.har", #"{"a":1}"#, says: "is not a HAR file"),
    BadFile("truncated har", "x.har", #"{"log":{"entries":[\#(entry),{"started"#, says: "ends", imported: 1),
    BadFile(
      "broken har", "x.har", #"{"log":{"entries":[\#(entry),}]}}"#, says: "line 1, column", imported: 1),
    BadFile("broken ndjson", "x.ndjson", push + "{\"event\":\n" + push, says: "line 2", imported: 2),
    BadFile(
      "deeply nested", "x.json",
      #"{"traceEvents":[{"ph":"X","ts":1,"name":"a"},"# + String(repeating: "[", count: 10_000), says: "ends",
      imported: 1),
    BadFile("only brackets", "x.har", String(repeating: "[", count: 10_000), says: "line 1"),
    BadFile(
      "a huge field", "x.ndjson",
      push + #"{"event":"push","feed":""# + String(repeating: "x", count: 3_000_000) + "\"}\n",
      says: "line 2", imported: 1),
    BadFile(
      "before 1970", "x.ndjson", push + start(at: "1969-12-31T23:59:59Z"), says: "before 1970", imported: 1),
    BadFile(
      "after 2199", "x.ndjson", push + start(at: "2200-01-01T00:00:00Z"), says: "in 2200 or later",
      imported: 1),
    BadFile(
      "NaN", "x.json", #"[{"ph":"X","ts":NaN,"name":"a"},{"ph":"X","ts":1,"name":"a"}]"#, says: "line 1",
      imported: 1),
    BadFile(
      "30 February", "x.ndjson", push + start(at: "2026-02-30T00:00:00Z"),
      says: "names a day that does not exist",
      imported: 1),
    BadFile(
      "duplicate ids", "x.ndjson",
      ["a", "b"].map {
        #"{"event":"start","at":"2026-11-20T09:00:00Z","feed":"\#($0)","id":"00000000-0000-4000-8000-000000000001"}"#
          + "\n"
      }.joined(),
      says: "line 2, column 1 (byte 101): id", imported: 1),
    BadFile(
      "hostile text", "x.ndjson",
      push + #"{"event":"pop","at":"2026-11-20T09:00:00Z","feed":"a","verdict":"\u001b[2J\u202e"}"# + "\n",
      says: "\\u{1B}[2J\\u{202E}", imported: 1),
  ]

  private let place: Place

  init() throws { place = try Place() }

  @Test(arguments: files)
  func aBadFileIsReportedWithItsPlaceAndExits1(file: BadFile) throws {
    let path = place.folder.path + "/" + file.name
    try Data(file.bytes()).write(to: URL(filePath: path))
    let answer = try place.loadlog("import", path, "--epoch", "2026-11-20T09:00:00Z")
    #expect(answer.code == 1)
    #expect(!answer.errorLines.isEmpty && answer.errorLines.count <= 2)
    for line in answer.errorLines {
      #expect(
        line.hasPrefix("loadlog: ") && line.contains("\"\(path)\": line ") && line.hasSuffix("."), "\(line)")
    }
    #expect(Hostile.found(in: answer.errors) == [])
    #expect(answer.errors.contains(file.says), "\(answer.errors)")
    if !answer.output.isEmpty { #expect(answer.output.hasPrefix("imported \(file.imported) load")) }
    if file.imported > 0 {
      #expect(try place.ask("status")["totals"]["loads"].int == file.imported)
      #expect(try place.loadlog("doctor").code == 0)
    } else {
      #expect(!FileManager.default.fileExists(atPath: place.store), "there was nothing to make a store for")
    }
  }

  @Test func aNamedFormatDoesNotHideThatAFileIsCompressed() throws {
    let path = place.folder.path + "/x"
    try Data([0x1F, 0x8B, 8, 0]).write(to: URL(filePath: path))
    for format in ["ndjson", "har", "otlp", "chrome-trace"] {
      let answer = try place.loadlog("import", path, "--format", format)
      #expect(answer.code == 1 && answer.errors.contains("compressed. Decompress it first"), "\(answer)")
    }
  }

  @Test(arguments: ["", "hello\n", "{\"event\":\"start\"}\n" + push])
  func standardInputHasNoName(text: String) throws {
    let answer = try place.loadlog("import", "-", input: .text(text))
    #expect(answer.code == 1 && answer.errors.contains("standard input: line 1, column 1"), "\(answer)")
    #expect(!answer.errors.contains("\"-\""), "\(answer)")
  }

  @Test
  func tenRejectionsAreListedAndTheRestCounted() throws {
    let file = try place.write(String(repeating: "{}\n", count: 25) + Self.push, to: "x.ndjson")
    let answer = try place.loadlog("import", file)
    #expect(answer.code == 1 && answer.output == "imported 1 load; skipped 0, rejected 25\n")
    #expect(answer.errorLines.count == 11)
    #expect(answer.errorLines.last?.hasSuffix(": rejected 15 more.") == true)
  }

  @Test(arguments: ["ndjson", "har", "json"])
  func aTruncatedFileNeverCrashes(ending: String) throws {
    let text =
      switch ending {
      case "ndjson": Self.push + Self.start(at: "2026-11-20T09:00:00Z") + Self.push
      case "har": #"{"log":{"version":"1.2","entries":[\#(Self.entry),\#(Self.entry)]}}"#
      default: #"{"traceEvents":[{"ph":"B","ts":1,"name":"é"},{"ph":"E","ts":5,"name":"é"}]}"#
      }
    let bytes = Array(text.utf8)
    for count in stride(from: 1, to: bytes.count, by: 7) {
      let path = place.folder.path + "/x." + ending
      try Data(bytes[..<count]).write(to: URL(filePath: path))
      let answer = try place.loadlog("import", path, "--epoch", "0", "--epoch", "2026-11-20T09:00:00Z")
      #expect([0, 1].contains(answer.code), "\(count): \(answer)")
      #expect(answer.errorLines.allSatisfy { $0.contains(": line ") }, "\(count): \(answer)")
      if answer.code == 0 { #expect(answer.errors == "", "\(count)") }
    }
    try place.write(text, to: "x." + ending)
    #expect(
      try place.loadlog("import", place.folder.path + "/x." + ending, "--epoch", "2026-11-20T09:00:00Z").code
        == 0)
    #expect(try place.loadlog("doctor").code == 0)
  }

  @Test(
    arguments: [
      Use("missing file", "import WORD", "/nowhere/x.har", says: "No such file"),
      Use("folder", "import WORD", "/tmp", says: "it is a folder"),
      Use("empty name", "import WORD", "", says: "cannot read"),
      Use("unknown format", "import x --format xml", says: "--format"),
      Use("unknown feed source", "import x --feed-by colour", says: "--feed-by"),
      Use("feed source of another format", "import x --format har --feed-by service", says: "--feed-by"),
      Use("bad epoch", "import x --epoch soon", says: "soon"),
      Use("no file", "import", says: "<file>"),
      Use("colour", "import x --color always", says: "--color"),
      Use("copy on standard output", "export --format sqlite", says: "--output"),
      Use("copy of a feed", "export a --format sqlite -o WORD", "/tmp/x", says: "contains all loads"),
      Use("copy of a window", "export --since 1d -o WORD", "/tmp/x.db", says: "contains all loads"),
      Use("har is not written", "export --format har", says: "--format"),
      Use("missing store", "export", code: 3, says: "Record a first load: loadlog run FEED -- COMMAND."),
      Use(
        "missing store by its path", "status --db WORD", "/tmp/loadlog never.db", code: 3,
        says: "Record a first load: loadlog run FEED --db '/tmp/loadlog never.db' -- COMMAND."),
      Use(
        "copy of a missing store", "export -o WORD", "/tmp/loadlog-never.db", code: 3,
        says: "Record a first load"),
    ])
  func refusedUsageAndUnreadableFilesCreateNoStore(use: Use) throws {
    let answer = try place.loadlog(use.arguments)
    #expect(answer.code == use.code)
    #expect(answer.isOneComplaint, "\(answer.errors.debugDescription)")
    #expect(answer.errors.contains(use.says), "\(answer.errors)")
    #expect(!FileManager.default.fileExists(atPath: place.store))
  }

  @Test(arguments: ["", "-wal", "-gate"])
  func theStoresOwnFilesAreNeverImported(ending: String) throws {
    _ = try place.begin("a")
    let answer = try place.loadlog("import", place.store + ending, "--format", "ndjson")
    #expect(
      answer.code == 2 && answer.isOneComplaint && answer.errors.contains("it belongs to the store itself"))
    try place.expectRunning("a")
  }
}
