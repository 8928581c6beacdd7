import Foundation
import Testing
import TestProcesses

/// `recover` saves what is readable of a damaged store, whatever the damage, and changes nothing in it.
@Suite struct RecoverTests {
  private let place: Place

  init() throws { place = try Place() }

  private var new: String { place.folder.path + "/new.db" }

  /// Records enough loads that the tree of their table has inner pages; some texts are longer than a page.
  private func record(_ loads: Int = 400) throws {
    let lines = (0..<loads).map { number -> String in
      let id = "01a1f90f-9824-7b1e-a0d2-\(String(0x1000_0000_0000 + number, radix: 16))"
      let at = "2026-11-20T09:\(10 + number / 60 % 50):\(10 + number % 50)Z"
      let message = number % 50 == 0 ? String(repeating: "長", count: 1900) + "\(number)" : "message \(number)"
      let start =
        #"{"event":"start","at":"\#(at)","feed":"feed \#(number % 7)","id":"\#(id)","message":"\#(message)"}"#
      let verdict = ["succeeded", "failed", "unchanged"][number % 3]
      return start + "\n" + #"{"event":"finish","at":"\#(at)","id":"\#(id)","verdict":"\#(verdict)"}"#
    }
    let file = try place.write(lines.joined(separator: "\n") + "\n", to: "loads.ndjson")
    try #require(place.loadlog("import", file).code == 0)
  }

  /// Moves the write-ahead log into the file.
  private func checkpoint() throws { try place.sqlite("PRAGMA wal_checkpoint(TRUNCATE)") }

  private func change(_ file: String, _ change: (inout [UInt8]) throws -> Void) throws {
    let url = URL(filePath: file)
    var bytes = [UInt8](try Data(contentsOf: url))
    try change(&bytes)
    try Data(bytes).write(to: url)
  }

  private func pages(_ condition: String) throws -> [Int] {
    try place.sqlite("SELECT pageno FROM dbstat WHERE \(condition) ORDER BY pageno")
      .split(separator: "\n").compactMap { Int($0) }
  }

  private struct Recovered {
    let finished: Finished
    let answer: Answer
    let problems: String

    func saved(_ table: String) -> Int { row(table)?["saved"].int ?? 0 }
    func rejected(_ table: String, _ reason: String) -> Int { row(table)?["rejected"][reason].int ?? 0 }
    private func row(_ table: String) -> Answer? { answer["tables"].all.first { $0["table"].text == table } }
  }

  /// Recovers the store, and expects that it stays as it is and that `doctor` finds nothing in the new one.
  private func recover() throws -> Recovered {
    let before = try StoreFiles(of: place)
    try? FileManager.default.removeItem(atPath: new)
    let finished = try place.loadlog("recover", place.store, "-o", new, "--json")
    #expect(try StoreFiles(of: place) == before)
    try #require([0, 1].contains(finished.code) && finished.errors == "", "\(finished)")
    let doctor = try place.loadlog("doctor", "--db", new, "--json")
    let findings = try Answer(doctor.output)["findings"].all
    let problems = findings.filter { ["warning", "problem"].contains($0["severity"].text) }
    #expect(problems.isEmpty, "\(problems)")
    return try Recovered(finished: finished, answer: Answer(finished.output), problems: "\(problems)")
  }

  @Test func aSoundStoreIsSavedWhole() throws {
    try record()
    try place.loadlog("run", "nightly", "--keep-output", "-m", "all", "--", "sh", "-c", "seq 9000; exit 3")
    try place.loadlog("push", "open")
    try place.loadlog("pop", "closed")
    try place.loadlog("unbalanced", "--ack", "--all", "-m", "known")
    try place.loadlog("expect", "nightly", "--every", "1d")
    try place.loadlog("prune", "--keep", "30d", "--by-default")
    try place.loadlog("notify", "--once", "--on-change", "cat > /dev/null")
    let recovered = try recover()
    #expect(recovered.finished.code == 0, "\(recovered.finished.output)")
    #expect(recovered.answer["complete"].bool == true)
    let same = "cmp <(loadlog export --with-output) <(loadlog export --with-output --db \(new))"
    #expect(try place.shell(same) == Finished(code: 0, output: "", errors: ""))
    let sums = try place.shell("sha256sum $LOADLOG_DB $LOADLOG_DB-wal").output.split(separator: "\n")
    #expect(recovered.answer["sources"].all.map { $0["sha256"].text } == sums.map { String($0.prefix(64)) })
  }

  /// As another host, because what the damaged store has shipped may be lost.
  @Test(arguments: [("all", "web-1|all|1|-1|\n"), ("some", "")])
  func aSavedStoreShipsAsBefore(loads: String, kept: String) throws {
    try place.loadlog("run", "a", "--", "true")
    try place.sqlite(
      """
      INSERT INTO fleet (only, host, machine_id, name, loads, with_messages, token, rev, through)
      VALUES (1, zeroblob(16), (SELECT machine_id FROM owner), 'web-1', '\(loads)', 1, zeroblob(16), 9, 9)
      """)
    _ = try recover()
    let question = "SELECT name, loads, with_messages, through, token FROM fleet"
    #expect(try place.shell("sqlite3 '\(new)' '\(question)'").output == kept)
    let isSame = "SELECT host = zeroblob(16) FROM fleet"
    #expect(try place.shell("sqlite3 '\(new)' '\(isSame)'").output == (kept == "" ? "" : "0\n"))
  }

  @Test func aSavedStoreIsSharedAsItsNewFolderSays() throws {
    try record(5)
    let shared = place.folder.path + "/shared"
    for (source, target, mode) in [
      (place.store, "\(shared)/saved.db", "660"), ("\(shared)/saved.db", new, "600"),
    ] {
      let script = """
        mkdir -p \(shared) && chmod 2770 \(shared) && loadlog recover \(source) -o \(target) > /dev/null &&
        loadlog doctor --db \(target) > /dev/null
        """
      #expect(try place.shell(script) == Finished(code: 0, output: "", errors: ""))
      #expect(try place.mode(of: target) == mode)
    }
  }

  @Test func rowsWithoutAWayToThemAreFound() throws {
    try record()
    try checkpoint()
    let lost = try pages("pagetype = 'internal' AND name IN ('session', 'text')")
    try #require(lost.count == 2)
    try change(place.store) { bytes in
      // The inner pages of two tables, and the first page, which leads to everything.
      for page in lost {
        bytes.replaceSubrange(4096 * (page - 1)..<4096 * page, with: repeatElement(0, count: 4096))
      }
      bytes.replaceSubrange(0..<4096, with: repeatElement(0xFF, count: 4096))
    }
    let recovered = try recover()
    #expect(recovered.finished.code == 1)
    #expect(recovered.saved("session") == 400 && recovered.saved("feed") == 7, "\(recovered.finished.output)")
    #expect(recovered.answer["lost_references"].int == 0)
    #expect(try place.loadlog("history", "--limit", "all", "--db", new).output.contains("message 399"))
  }

  @Test func aLostPageCostsItsRowsAlone() throws {
    try record()
    try checkpoint()
    let leaves = try pages("pagetype = 'leaf' AND name = 'session'")
    let rows = try place.sqlite("SELECT ncell FROM dbstat WHERE pageno = \(leaves[1])")
    try change(place.store) { $0[4096 * (leaves[1] - 1)] ^= 0xFF }
    let recovered = try recover()
    #expect(recovered.finished.code == 1 && recovered.answer["unreadable_pages"].int == 1)
    #expect(recovered.saved("session") == 400 - (Int(rows.dropLast()) ?? 0), "\(rows)")
    let text = try place.loadlog("recover", place.store, "-o", new + "2").output
    #expect(text.contains("cannot be read, or assigned to a table: \(leaves[1])\n"), "\(text)")
  }

  @Test func aCutStoreKeepsWhatIsLeft() throws {
    try record()
    try checkpoint()
    try change(place.store) { $0.removeLast($0.count / 4) }
    let recovered = try recover()
    let missing = recovered.answer["unreadable_pages"].int ?? 0
    #expect(recovered.finished.code == 1 && missing * 5 > recovered.answer["pages"].int ?? 0)
    #expect(recovered.saved("text") > 0)
  }

  @Test func theLogIsReadBehindADamagedFrame() throws {
    try record(3)
    try checkpoint()
    for number in 0..<5 { try place.loadlog("run", "feed \(number)", "--", "true") }
    // Content of the first frame; then the header of the log, which leads to all of it.
    for at in [32 + 24 + 2000, 20] {
      try change(place.store + "-wal") { $0[at] ^= 1 }
      let recovered = try recover()
      #expect(recovered.saved("session") == 8, "\(recovered.finished.output)")
    }
    #expect(try recover().answer["log"]["damaged"].int ?? 0 > 0)
  }

  @Test func whatWasNotCommittedIsNotSaved() throws {
    try record(3)
    try checkpoint()
    try place.loadlog("run", "committed", "--", "true")
    let frames = try FileManager.default.attributesOfItem(atPath: place.store + "-wal")[.size] as? Int ?? 0
    try place.loadlog("run", "cut", "--", "true")
    // The last frame of a commit makes it valid.
    try change(place.store + "-wal") { $0.removeLast($0.count - frames - 4120) }
    let recovered = try recover()
    #expect(recovered.saved("session") == 4 && recovered.saved("feed") == 4, "\(recovered.finished.output)")
  }

  @Test func deletedRowsStayDeleted() throws {
    try record()
    try place.sqlite("PRAGMA secure_delete = OFF; DELETE FROM session WHERE seq > 100")
    try checkpoint()
    try #require(place.sqlite("PRAGMA freelist_count") != "0\n")
    #expect(try recover().saved("session") == 100)
  }

  @Test func theLogOfAnotherStoreIsIgnored() throws {
    try record(5)
    try checkpoint()
    let other = place.folder.path + "/other.db"
    for _ in 0..<3 { try place.loadlog("run", "stranger", "--db", other, "--", "true") }
    try place.shell("cp \(other)-wal $LOADLOG_DB-wal")
    let recovered = try recover()
    #expect(recovered.finished.code == 1 && recovered.answer["log"]["foreign"].bool == true)
    #expect(recovered.saved("session") == 5)
    #expect(try !place.loadlog("status", "--db", new).output.contains("stranger"))
  }

  @Test func rowsThatBreakARuleAreLeftOut() throws {
    try record(20)
    try place.sqlite(
      """
      PRAGMA ignore_check_constraints = ON;
      UPDATE session SET duration = -5 WHERE seq = 3; UPDATE session SET duration_source = 9 WHERE seq = 4;
      UPDATE session SET state = 77 WHERE seq = 5; UPDATE owner SET uid = x'00';
      DELETE FROM feed WHERE id = 2; DELETE FROM text WHERE value = 'message 7';
      INSERT INTO visibility VALUES (999, 1, 1); INSERT INTO text VALUES (0, 'zero');
      UPDATE summary SET loads = 9223372036854775807
      """)
    let recovered = try recover()
    #expect(recovered.finished.code == 1)
    #expect(recovered.saved("session") == 17, "\(recovered.finished.output)")
    #expect(recovered.rejected("session", "invalid") == 2 && recovered.rejected("session", "orphaned") == 1)
    #expect(recovered.rejected("owner", "invalid") == 1 && recovered.answer["unknown_owners"].int == 1)
    #expect(recovered.rejected("visibility", "orphaned") == 1 && recovered.rejected("text", "invalid") == 1)
    #expect(recovered.answer["nameless_feeds"].int == 1 && recovered.answer["lost_references"].int == 1)
    let status = try Answer(place.loadlog("status", "recovered/2", "--db", new, "--json").output)["feeds"][0]
    #expect(
      status["loads"].int == 3 && status["last_attempted"].text == "2026-11-20T09:10:25.000Z", "\(status)")
  }

  @Test func aLoadThatEndsBeyondAllTimesIsSavedWithItsLostFeed() throws {
    try record(20)
    try place.sqlite(
      "UPDATE session SET wall_drift = 9223372036854775807 WHERE feed = 2; DELETE FROM feed WHERE id = 2")
    let recovered = try recover()
    #expect(recovered.saved("session") == 20 && recovered.answer["nameless_feeds"].int == 1)
    let status = try place.loadlog("status", "recovered/2", "--db", new, "--json")
    #expect(try Answer(status.output)["feeds"][0]["loads"].int == 3, "\(status)")
  }

  /// All that the row of the feed knew of its loads is made again, but its name. A failure that was retried counts nowhere.
  @Test(arguments: [["succeeded", "failed", "retried"], ["failed", "unchanged", "retried"], ["retried"]])
  func aLostFeedIsAsItsLoadsLeftIt(verdicts: [String]) throws {
    let lines = verdicts.enumerated().map { number, verdict -> String in
      let at = "2026-11-20T09:10:0\(number)Z"
      let id = "01a1f90f-9824-7b1e-a0d2-10000000000\(number)"
      let run = verdict == "retried" ? #","attempt":1,"retried":true"# : ""
      let end = run.isEmpty ? verdict : "failed"
      let start = #"{"event":"start","at":"\#(at)","feed":"f","id":"\#(id)"}"#
      let finish = #"{"event":"finish","at":"\#(at)","id":"\#(id)","verdict":"\#(end)""#
      return start + "\n" + finish + #","reason":"\#(verdict) \#(number)"\#(run)}"#
    }
    let file = try place.write(lines.joined(separator: "\n") + "\n", to: "loads.ndjson")
    try #require(place.loadlog("import", file).code == 0)
    func feed(_ store: String) throws -> String {
      let status = try Answer(place.loadlog("status", "--db", store, "--json").output)["feeds"][0]
      return [
        "last_updated", "last_changed", "last_attempted", "last_failed", "last_failure", "failures",
        "problems",
      ].map { "\($0): \(status[$0])" }.joined(separator: ", ")
    }
    let before = try feed(place.store)
    try place.sqlite("DELETE FROM feed")
    #expect(try recover().answer["nameless_feeds"].int == 1)
    #expect(try feed(new) == before)
    let fails = verdicts.contains("failed") && !verdicts.contains("unchanged")
    #expect(try place.loadlog("status", "--check", "--db", new).code == (fails ? 1 : 0))
  }

  /// Changes that turn the file against its reader: each is read to its end, and ends in a store or in one line.
  @Test(arguments: [
    // Inner pages that lead to themselves; records that claim to be gigabytes long; circles of overflow pages.
    "for p in inner: page(p, struct.pack('>BHHHBI', 5, 0, 400, 4096, 0, p) + struct.pack('>H', 3000) * 400 + bytes(8))",
    "for p in inner: f[4096*(p-1)+8:4096*(p-1)+12] = struct.pack('>I', p)",
    "for p in leaves: page(p, bytes([13, 0, 0, 1, 0, 0, 0, 0]) + struct.pack('>H', 1024) * 256 + bytes([255] * 3000))",
    "for p in overflow: f[4096*(p-1):4096*(p-1)+4] = struct.pack('>I', p)",
    "for p in overflow: f[4096*(p-1):4096*(p-1)+4] = struct.pack('>I', 0xFFFFFFFF)",
    // Sizes and counts of the header; a list of free pages that holds everything, in a circle.
    "f[16:18] = b'\\x00\\x01'; f[20] = 255", "f[16:18] = b'\\x02\\x00'",
    "f[28:32] = b'\\xff' * 4; f[92:96] = f[24:28]",
    "f[32:36] = struct.pack('>I', 3); page(3, struct.pack('>II', 3, 1022) + struct.pack('>I', 4) * 1022)",
    // Everything is a leaf, or an inner page.
    "f[::4096] = bytes([13]) * len(f[::4096])", "f[::4096] = bytes([2]) * len(f[::4096])",
    // Logs: a header alone; frames of absurd pages; sizes of pages.
    "open(path + '-wal', 'wb').write(struct.pack('>IIIIIIII', 0x377f0682, 3007000, 0xFFFFFFFF, 0, 0, 0, 0, 0) + bytes(9000))",
    "open(path + '-wal', 'wb').write(bytes(32) + (b'\\xff' * 24 + bytes(4096)) * 9)",
  ])
  func aHostileStoreIsReadToItsEnd(change: String) throws {
    try record()
    try checkpoint()
    func list(_ condition: String) throws -> String { try pages(condition).description }
    let script = try place.write(
      """
      import struct
      path = \(place.store.debugDescription)
      f = bytearray(open(path, 'rb').read())
      inner, leaves = \(try list("pagetype = 'internal'")), \(try list("pagetype = 'leaf'"))
      overflow = \(try list("pagetype = 'overflow'"))
      def page(number, content):
          f[4096*(number-1):4096*number] = content[:4096].ljust(4096, b'\\0')
      \(change)
      open(path, 'wb').write(f)
      """, to: "hostile.py")
    try #require(place.shell("python3 \(script)") == Finished(code: 0, output: "", errors: ""))
    let before = try StoreFiles(of: place)
    let finished = try place.shell(
      "[ $(uname) = Darwin ] || ulimit -v 4000000; exec loadlog recover $LOADLOG_DB -o \(new)")
    #expect([0, 1, 3, 6].contains(finished.code), "\(finished)")
    #expect(finished.code < 2 ? finished.errors == "" : finished.isOneComplaint, "\(finished)")
    #expect(FileManager.default.fileExists(atPath: new) == (finished.code < 2))
    #expect(try StoreFiles(of: place) == before)
    if finished.code < 2 { #expect(try place.loadlog("doctor", "--db", new).code == 0) }
  }

  @Test func whatIsNoStoreIsRefused() throws {
    try record(5)
    try checkpoint()
    let script = """
      cd \(place.folder.path); : > there; S=$LOADLOG_DB; seq 9999 > text; mkfifo pipe
      sqlite3 other.db 'CREATE TABLE t (id INTEGER PRIMARY KEY, value TEXT); INSERT INTO t VALUES (1, 2)'
      cp $S newer.db; sqlite3 newer.db "INSERT INTO migration VALUES (99, 'later', 0); PRAGMA user_version = 99"
      head -c 100000 /dev/urandom > noise; { head -c 100 $S; cat noise; } > lost
      """
    try #require(place.shell(script).code == 0)
    for (line, code, says) in [
      ("$LOADLOG_DB -o there", 2, "there is a file already"),
      ("$LOADLOG_DB -o $LOADLOG_DB", 2, "there is a file already"),
      ("missing -o new", 3, "nothing is there"), ("text -o new", 3, "not a SQLite database"),
      (". -o new", 3, "not a regular file"), ("pipe -o new", 3, "not a regular file"),
      ("other.db -o new", 3, "another application"), ("newer.db -o new", 3, "Update LoadLog"),
      ("lost -o new", 6, "none of its pages"), ("lost", 2, "--output"),
      ("lost --db x -o new", 2, "omit --db"),
    ] {
      let answer = try place.shell("cd \(place.folder.path); loadlog recover \(line)")
      #expect(
        answer.code == code && answer.isOneComplaint && answer.errors.contains(says), "\(line): \(answer)")
    }
    #expect(!FileManager.default.fileExists(atPath: place.folder.path + "/new"))
  }

  @Test func theErrorsOfADamagedStoreNameIt() throws {
    try record(5)
    try checkpoint()
    try change(place.store) { $0.removeLast($0.count - 9000) }
    for verb in ["status", "push f", "doctor"] {
      let answer = try place.shell("loadlog \(verb)")
      #expect(answer.code == 6 && answer.errors.contains("loadlog recover"), "\(answer)")
    }
  }
}
