import Foundation
import Testing

/// Only the owner of a store can read it.
@Suite struct PrivacyTests {
  private let place: Place
  private static let hasTracer = Place.has("strace")

  init() throws { place = try Place() }

  @Test(.enabled("strace is not installed") { hasTracer })
  func noFileOfAStoreIsOpenedThroughALink() throws {
    let copy = place.folder.path + "/copies/copy.db"
    try FileManager.default.createDirectory(
      atPath: place.folder.path + "/copies", withIntermediateDirectories: true)
    let commands = [
      ["run", "f", "--", "true"], ["push", "g"], ["status"], ["doctor", "--repair"],
      ["export", "--format", "sqlite", "-o", copy], ["export", "--format", "csv", "-o", copy + ".csv"],
    ]
    var opened: [Substring] = []
    for command in commands {
      let trace = place.folder.path + "/trace"
      let tracer = ["strace", "-f", "-qq", "-s", "4096", "-e", "trace=open,openat", "-o", trace, "loadlog"]
      #expect(try place.start(tracer + command).wait().code == 0, "\(command)")
      opened += try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n")
    }
    let files = opened.filter { $0.contains("loads.db") || $0.contains("copy.db") }
    for kind in [
      "-gate\"", "-owner-", "-wal\"", "-shm\"", "loads.db\"", "loads.db-loadlog-draft-",
      "copy.db-loadlog-draft-", "csv-loadlog-draft-",
    ] {
      #expect(files.contains { $0.contains(kind) }, "the trace sees \(kind)")
    }
    for file in files { #expect(file.contains("O_NOFOLLOW") || file.contains("O_EXCL"), "\(file)") }

    // A draft is in the same folder, under a random name, and is readable by its owner only.
    let drafts = files.filter { $0.contains("O_EXCL") && $0.contains("-loadlog-draft-") }
    #expect(drafts.count == 3 && drafts.allSatisfy { $0.contains(", 0600)") }, "\(drafts)")
    for start in [place.store, copy, copy + ".csv"] {
      #expect(drafts.contains { $0.contains("\"\(start)-loadlog-draft-") }, "\(start)")
    }
    #expect(Set(drafts.compactMap { $0.split(separator: "-loadlog-draft-").last?.prefix(6) }).count == 3)
  }

  @Test func aGateThatIsALinkIsRefused() throws {
    try place.loadlog("push", "f")
    let victim = try place.write("precious", to: "victim")
    let gate = place.store + "-gate"
    try FileManager.default.removeItem(atPath: gate)
    try FileManager.default.createSymbolicLink(atPath: gate, withDestinationPath: victim)
    let answer = try place.loadlog("push", "f")
    #expect(answer.code == 3 && answer.errors.contains(gate), "\(answer.errors)")
    #expect(try String(contentsOfFile: victim, encoding: .utf8) == "precious")
    #expect(try place.status("f")["loads"].number == 1)
  }

  @Test func errorsContainNoTextsOfLoads() throws {
    let secret = "hunter2"
    let id = try place.begin("f", "-m", secret, "--tag", secret)
    try place.loadlog("finish", id, "--failed", "--reason", secret)
    let texts = ["-m", secret, "--tag", secret]
    let again = ["finish", id, "--failed", "--reason", secret]
    let commands = [
      again, ["finish", id + "0", "--reason", secret, "--failed"], ["start", "bad\u{1}feed"] + texts,
      ["start", "f", "--owner-pid", "0"] + texts, ["run", "f"] + texts + ["--", "/no/such/program"],
      ["start", "f", "--db", place.folder.path] + texts, ["start", "f", "--db", "/dev/null"] + texts,
      ["run", "f", "--db", "/dev/null"] + texts + ["--", "true"],
    ]
    var failures = 0
    for command in commands {
      let answer = try place.loadlog(command)
      failures += answer.code == 0 ? 0 : 1
      #expect(!answer.errors.contains(secret), "\(command): \(answer.errors)")
    }
    #expect(failures >= 6)
    #expect(try !place.loadlog("doctor").output.contains(secret))
  }
}
