#if os(Linux)
  import Foundation
  import Testing

  /// A file that is written under a temporary name is complete when it gets its final name, even after a power cut.
  @Suite struct CompleteFileTests {
    private let place: Place
    private static let hasTracer = Place.has("strace")

    init() throws { place = try Place() }

    @Test(
      .enabled("strace is not installed") { hasTracer },
      arguments: [["push", "f"], ["export", "--format", "sqlite"], ["export", "--format", "csv"]])
    func theFileIsSyncedBeforeItsRenameAndTheFolderAfter(command: [String]) throws {
      var (command, file) = (command, place.store)
      if command[0] == "export" {
        try place.loadlog("push", "f")
        file = try place.write("old", to: "copies/copy")
        command += ["-o", file]
      }
      let trace = place.folder.path + "/trace"
      let calls = "trace=fsync,fdatasync,rename,renameat,renameat2"
      let tracer = ["strace", "-f", "-y", "-qq", "-s", "4096", "-e", calls, "-o", trace, "loadlog"]
      #expect(try place.start(tracer + command).wait().code == 0)
      let lines = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n")
      let named = try #require(lines.firstIndex { $0.contains("rename") && $0.contains("\"\(file)\"") })
      let folder = (file as NSString).deletingLastPathComponent
      #expect(lines[..<named].contains { $0.contains("sync(") && $0.contains("<\(file)-loadlog-draft-") })
      #expect(lines[named...].contains { $0.contains("sync(") && $0.contains("<\(folder)>") })
    }

    @Test(.enabled("strace is not installed") { hasTracer })
    func theFoldersOfANewStoreAreSynced() throws {
      let trace = place.folder.path + "/trace"
      let tracer = ["strace", "-f", "-y", "-qq", "-s", "4096", "-e", "trace=fsync", "-o", trace, "loadlog"]
      let command = ["push", "f", "--db", place.folder.path + "/new/folder/loads.db"]
      #expect(try place.start(tracer + command).wait().code == 0)
      let synced = try String(contentsOfFile: trace, encoding: .utf8)
      for folder in ["", "/new", "/new/folder"] {
        #expect(synced.contains("<\(place.folder.path)\(folder)>"), "\(folder)")
      }
    }
  }
#endif
