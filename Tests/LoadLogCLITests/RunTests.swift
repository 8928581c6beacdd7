import Foundation
import LoadLog
@testable import LoadLogCLI
import LoadLogReports
import Testing

@Suite struct RunTests {
  @Test func endsBecomeVerdicts() {
    #expect(ChildEnd(waitStatus: 0x0300) == .exited(3))
    #expect(ChildEnd(waitStatus: 0x0089) == .signalled(9))
    #expect(ChildEnd.exited(0).verdict() == .succeeded)
    #expect(ChildEnd.exited(4).verdict(unchangedExit: 4) == .unchanged)
    #expect(ChildEnd.exited(0).verdict(unchangedExit: 0) == .unchanged)
    #expect(ChildEnd.exited(2).verdict(remark: "refused") == .failed("exit 2: refused"))
    #expect(ChildEnd.signalled(SIGINT).verdict() == .cancelled("interrupted"))
    #expect(ChildEnd.signalled(9).verdict() == .failed("signal 9"))
    #expect(ChildEnd.signalled(9).exitCode == 137)
  }

  @Test(
    arguments: [
      ("", nil), ("\n\n", nil), ("one", "one"), ("one\ntwo\n", "two"), ("one\n  \n\t\n", "one"),
      ("10 %\r20 %\r", "20 %"),
      (" a \r\n", "a"),
      ("error: disk full\nbye\n", "error: disk full"), ("Error 1\nfatal: no\nbye", "fatal: no"),
      ("ValueError: bad\nbye", "ValueError: bad"), ("an ERROR\nbye", "an ERROR"),
      ("disk error\nbye", "disk error"),
      ("fatal: 1\nERROR 2\n0 errors\nerror: 3\nnonfatal\nbye", "error: 3"), ("0 errors\nbye", "bye"),
      ("terrors\nnonfatal\nbye", "bye"),
      ("\u{1B}[1;31merror\u{1B}[0m: x\nbye", "error: x"), ("a\u{1B}]0;title\u{07}b\u{1B}(Bc\n", "abc"),
      ("one\n\u{1B}[2K\u{1B}[1G\n", "one"), ("\u{1B}P1;2|x\u{1B}\\a\u{1B}", "a"),
    ] as [(String, String?)])
  func theLineThatExplainsMostIsKept(text: String, line: String?) {
    var last = ErrorLine()
    for byte in text.utf8 { withUnsafeBytes(of: byte) { last.append($0) } }
    #expect(last.text == line)
    var once = ErrorLine()
    Array(("first\n" + text).utf8).withUnsafeBytes { once.append($0) }
    #expect(once.text == line ?? "first", "all lines at once")
  }

  @Test func anEndlessLineTakesBoundedMemory() {
    var last = ErrorLine()
    let bytes = [UInt8](repeating: 0x61, count: 1000)
    for _ in 0..<1000 { bytes.withUnsafeBytes { last.append($0) } }
    #expect(last.text?.count == 8000)
  }

  @Test func framesFitTheTerminal() {
    var indicator = RunIndicator(feed: "backup/db", message: "Nightly dump", usual: nil, glyphs: .unicode)
    #expect(indicator.frame(0, elapsed: 2_500_000_000, width: 80) == "⠋ backup/db  Nightly dump  2 s")
    indicator.usual = 4.2e9
    let frame = indicator.frame(11, elapsed: 2_100_000_000, width: 80)
    #expect(frame == "⠙ backup/db  Nightly dump  2 s  ████████░░░░░░░░  usually 4.20 s")
    #expect(DisplayWidth.of(indicator.frame(1, elapsed: 1, width: 60)) < 60)
  }

  @Test func theLastLineShowsTheResult() {
    let indicator = RunIndicator(feed: "backup/db", message: nil, usual: 250e9, glyphs: .unicode)
    #expect(
      indicator.lastLine(.succeeded, took: 248_000_000_000)
        == "backup/db succeeded in 4 m 08 s, usual 4 m 10 s")
  }

  @Test(
    arguments: [
      (["LANG": "C.UTF-8"], true), (["LANG": "de_DE.utf8"], true), (["LANG": "C"], false), ([:], false),
      (["LANG": "C.UTF-8", "LC_ALL": "C"], false), (["LC_ALL": "", "LC_CTYPE": "en_US.UTF-8"], true),
    ] as [([String: String], Bool)])
  func glyphsFollowTheLocale(environment: [String: String], isUnicode: Bool) {
    #expect((Terminal { environment[$0] }.glyphs == .unicode) == isUnicode)
  }
}
