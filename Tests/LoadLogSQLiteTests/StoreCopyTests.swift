import Foundation
import LoadLogCore
import LoadLogSQLite
import LoadLogTestSupport
import TestProcesses
import Testing

/// Tests that a `StoreCopy` of a store in use is an independent store.
@Suite struct StoreCopyTests {
  private let bench: StoreBench
  private let target: String

  init() throws {
    bench = try StoreBench()
    target = bench.place.folder.path + "/copy.db"
  }

  private var names: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: bench.place.folder.path)) ?? []).sorted()
  }

  @Test func aCopyContainsAllCommitsAndCanBeRecordedIn() throws {
    let store = try bench.open()
    let id = SessionID()
    try bench.commit(.start(id, "reviews", message: "Loading…", tag: nil), .push("network"), to: store)
    try StoreCopy.make(of: bench.path, at: target)
    try bench.commit(.pop("network", .ended), to: store, from: 3)

    let diagnosis = try StoreDoctor.examine(at: target, processes: bench.processes, clock: bench.clock)
    #expect(!diagnosis.needsAttention, "\(diagnosis.findings)")
    let reader = try bench.reader(at: target)
    #expect(try reader.history(LoadFilter()).loads.map(\.state) == [.running, .running])
    #expect(try reader.loads(endingIn: id.tail).first?.message == "Loading…")

    let copy = try bench.open(at: target)
    try bench.commit(.finish(id, .succeeded), to: copy)
    #expect(try copy.reader.loads(endingIn: id.tail).first?.state == .succeeded)
    #expect(
      try store.reader.loads(endingIn: id.tail).first?.state == .running, "the original store does not change"
    )
    copy.close(finally: true)
    store.close(finally: true)
  }

  @Test func aCopyReplacesAPlainFileAndKeepsItsPermissions() throws {
    try bench.makeStore()
    try Data("old".utf8).write(to: URL(fileURLWithPath: target))
    #expect(chmod(target, 0o640) == 0)
    try StoreCopy.make(of: bench.path, at: target)
    #expect(try bench.reader(at: target).feeds() == ["network"])
    #expect(names.filter { $0.hasPrefix("copy.db") } == ["copy.db"])
    #expect(try bench.mode(of: "copy.db") == 0o640)
  }

  @Test func aNewCopyIsItsOwnersAloneAlsoIfAGroupSharesTheStore() throws {
    #expect(chmod(bench.place.folder.path, 0o2770) == 0)
    try bench.makeStore()
    #expect(try bench.mode(of: "loadlog.db") == 0o660)
    try StoreCopy.make(of: bench.path, at: target)
    #expect(try bench.mode(of: "copy.db") == 0o600)
  }

  #if os(Linux)
    @Test(.enabled("becoming another user needs root") { getuid() == 0 })
    func aFileThatIsReadOnlyIsNotReplaced() async {
      await #expect(processExitsWith: .success) {
        let bench = try StoreBench()
        #expect(chown(bench.place.folder.path, 65_534, 65_534) == 0)
        let isTried = try SystemCalls.asUser(65_534) {
          try bench.makeStore()
          let target = bench.place.folder.path + "/copy.db"
          try Data("old".utf8).write(to: URL(fileURLWithPath: target))
          #expect(chmod(target, 0o440) == 0)
          let error = #expect(throws: LoadLogError.self) { try StoreCopy.make(of: bench.path, at: target) }
          #expect(error?.code == .io && error?.path == target)
          #expect(try Data(contentsOf: URL(fileURLWithPath: target)) == Data("old".utf8))
        }
        #expect(isTried)
      }
    }
  #endif

  @Test func refusesToReplaceAStoreOrAnythingButARegularFile() throws {
    try bench.makeStore()
    let other = try StoreBench()
    try other.makeStore()
    let folder = bench.place.folder.path
    try FileManager.default.createSymbolicLink(atPath: folder + "/link", withDestinationPath: bench.path)
    let before = try bench.snapshot()
    for path in [bench.path, folder + "/link", folder, other.path, "", "/dev/null"] {
      let error = #expect(throws: LoadLogError.self) { try StoreCopy.make(of: bench.path, at: path) }
      #expect(error?.code == .invalidInput, "\(path)")
    }
    #expect(try bench.snapshot() == before)
    #expect(try other.reader().feeds() == ["network"])
  }

  @Test func reportsAnUnwritableTargetAndAMissingStore() throws {
    let error = #expect(throws: LoadLogError.self) { try StoreCopy.make(of: bench.path, at: target) }
    #expect(error?.code == .storeMissing)
    #expect(names == [])
    try bench.makeStore()
    let nowhere = bench.place.folder.path + "/missing/copy.db"
    let other = #expect(throws: LoadLogError.self) { try StoreCopy.make(of: bench.path, at: nowhere) }
    #expect(other?.code == .io)
    #expect(other?.path == nowhere)
  }
}
