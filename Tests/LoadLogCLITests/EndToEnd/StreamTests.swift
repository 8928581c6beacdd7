import Foundation
import Testing

/// Standard streams that are closed, full or broken.
@Suite struct StreamTests {
  private static let verbs = [
    "status", "history", "unbalanced", "last-updated f", "doctor", "show 1234abcd", "--help", "--version",
    "status --json", "status --help", "--generate-completion-script bash",
  ]

  /// How the output can be lost.
  private static let losses = [">&-", "> /dev/full"].filter { Place.hasFullDevice || !$0.contains("full") }

  private let place: Place

  init() throws {
    place = try Place()
    _ = try place.begin("f")
    try place.sqlite("UPDATE session SET id = CAST(substr(id, 1, 12) || x'1234abcd' AS BLOB)")
    try place.loadlog("status")
  }

  @Test(arguments: verbs, losses)
  func aFailedWriteIsReported(line: String, redirection: String) throws {
    let before = try StoreFiles(of: place)
    let answer = try place.shell("loadlog \(line) \(redirection)")
    #expect(answer.code == 5)
    #expect(answer.isOneComplaint, "\(answer.errors)")
    #expect(answer.errors.hasPrefix("loadlog: standard output: "))
    #expect(try StoreFiles(of: place) == before)
  }

  /// What a command says, and then its exit code, if its reader has gone. The writer waits for the reader's end.
  private func withoutReader(_ line: String) throws -> String {
    try place.shell(
      """
      cd '\(place.folder.path)'; rm -f p; mkfifo p
      { read -r gone < p; loadlog \(line); echo $? >&2; } | { exec <&-; echo gone > p; }
      """
    ).errors
  }

  @Test(arguments: verbs + ["push f", "reset f"])
  func aClosedReaderIsNoError(line: String) throws {
    let answer = try place.shell("{ loadlog \(line); echo $? >&2; } | true; exit ${PIPESTATUS[0]}")
    #expect(answer.errors == "0\n")
    #expect(try withoutReader(line) == "0\n")
  }

  @Test(
    .enabled("python3 is not installed") { Place.has("python3") },
    arguments: ["status", "run f --keep-output -- echo one"])
  func aReaderThatResetsItsConnectionIsNoError(line: String) throws {
    // Without time to linger, closing resets the connection.
    let script = try place.write(
      """
      import socket, struct, subprocess, sys
      listener = socket.create_server(("127.0.0.1", 0))
      output = socket.create_connection(listener.getsockname())
      reader, _ = listener.accept()
      reader.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
      reader.close()
      sys.exit(subprocess.run(sys.argv[1:], stdout=output).returncode)
      """, to: "reset.py")
    let answer = try place.shell("python3 '\(script)' loadlog \(line)")
    #expect(answer == Finished(code: 0, output: "", errors: ""))
  }

  @Test(arguments: ["status --check", "status --check --json", "pop nothing", "import bad.ndjson", "start g"])
  func aClosedReaderHidesNoRefusal(line: String) throws {
    try place.loadlog("pop", "extra")
    try place.write("{}\n", to: "bad.ndjson")
    let said = try withoutReader(line)
    #expect(said.hasSuffix("1\n") && !said.contains("standard output"), "\(said)")
    if line == "start g" { #expect(try place.ask("history", "g")["loads"][0]["state"].text == "cancelled") }
  }

  @Test(arguments: losses) func aLoadWhoseIdIsLostIsCancelled(redirection: String) throws {
    let answer = try place.shell("loadlog start lost \(redirection)")
    #expect(answer.code == 5)
    #expect(answer.isOneComplaint)
    let load = try place.ask("history", "lost")["loads"][0]
    #expect(load["state"].text == "cancelled")
    #expect(load["reason"].text == "its id could not be printed")
  }

  @Test(arguments: losses) func aCountIsRecordedEvenIfItCannotBePrinted(redirection: String) throws {
    #expect(try place.shell("loadlog push c \(redirection)").code == 5)
    #expect(try place.loadlog("push", "c").output == "2\n")
  }

  @Test(arguments: ["status", "push f", "run f -- true", "status --nope"])
  func withoutAnyStreamItDoesNotTrap(line: String) throws {
    func size() throws -> Int { try Data(contentsOf: URL(filePath: place.store)).count }
    let before = try size()
    let answer = try place.shell("loadlog \(line) <&- >&- 2>&-")
    #expect([0, 2, 5].contains(answer.code), "ended by \(answer.code)")
    #expect(try size() == before)
    #expect(try place.loadlog("doctor").code == 0)
  }

  @Test func closedErrorsDoNotStopARefusal() throws {
    #expect(try place.shell("loadlog pop nothing 2>&-") == Finished(code: 1, output: "0\n", errors: ""))
    guard Place.hasFullDevice else { return }
    #expect(try place.shell("loadlog status --nope 2>/dev/full") == Finished(code: 2, output: "", errors: ""))
  }
}
