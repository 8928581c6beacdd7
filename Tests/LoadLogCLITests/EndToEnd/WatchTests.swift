import Foundation
@testable import LoadLogCLI
import TestProcesses
import Testing

/// `status --watch` on a terminal.
@Suite(.enabled("python3 is not installed") { Place.has("python3") })
struct WatchTests {
  private let place: Place
  private static let script = TestPlaces.package.appending(path: "Tests/Scripts/terminal.py").path
  /// Beside the shell, whose modes it asks for: keys are shown, and lines are read whole.
  private static let isUsual = [
    "echo mode $(stty -a | grep -o '[- ]icanon\\|[- ]echo ' | tr -d '\\n')\n", "?mode icanon echo",
  ]
  private static let watch = "env -u COLUMNS loadlog status --watch --interval 100ms"
  private static let (entered, left) = ("\u{1B}[?1049h", "\u{1B}[?1049l")

  init() throws {
    place = try Place()
    try place.loadlog("run", "first", "--", "true")
  }

  /// Types into a shell of 80 columns; see `terminal.py` for the steps.
  ///
  /// - Returns: what appeared on the terminal.
  @discardableResult
  private func type(_ steps: [String]) throws -> String {
    let answer = try place.start(["python3", Self.script, "=80x24", "?$ "] + steps).wait()
    try #require(answer.code == 0, "\(answer.errors)")
    return answer.output
  }

  /// Runs a command in the background as soon as the screen is taken, and watches.
  private static func watch(while command: String) -> String {
    "T=$(tty); (until stty -a < $T | grep -q -e -icanon; do :; done; \(command)) & \(watch); echo code $?\n"
  }

  @Test func aLoadThatAnotherProcessRecordsAppears() throws {
    let command = Self.watch(while: "loadlog run second -- true 2> /dev/null")
    let shown = try type(
      [command, "?\(Self.entered)", "?2 feeds", "?second", "q", "?\(Self.left)", "?code 0"] + Self.isUsual)
    // What stays is not drawn again: the head is drawn only when a column has become wider or narrower.
    let heads = shown.components(separatedBy: "\u{1B}[K").filter { $0.contains("UNBAL.") }
    #expect(!heads.isEmpty && zip(heads, heads.dropFirst()).allSatisfy { $0 != $1 }, "\(shown)")
  }

  @Test(arguments: [("INT", 130), ("TERM", 143), ("HUP", 129), ("SEGV", 139), ("ABRT", 134)])
  func howeverItEndsTheTerminalIsAsBefore(signal: String, code: Int) throws {
    let command = Self.watch(while: "kill -\(signal) $(pgrep -n -P $$ loadlog)")
    try type([command, "?\(Self.entered)", "?\(Self.left)", "?code \(code)"] + Self.isUsual)
  }

  @Test func itIsInterruptedAndSuspendedByKeys() throws {
    try type(
      ["\(Self.watch)\n", "?\(Self.entered)", "?first", "\u{1A}", "?\(Self.left)", "?Stopped"] + Self.isUsual
        + ["fg\n", "?\(Self.entered)", "?first", "\u{3}", "?\(Self.left)", "echo code $?\n", "?code 130"]
        + Self.isUsual)
  }

  @Test func withoutKeysItNamesAnotherWayToEndIt() throws {
    try type(["\(Self.watch) < /dev/null\n", "?first", "?; Ctrl-C quits", "\u{3}", "?\(Self.left)"])
  }

  @Test func itFollowsTheSizeOfTheTerminal() throws {
    for number in 0..<12 { try place.loadlog("run", "feed\(number)", "--", "true") }
    let shown = try type([
      "\(Self.watch)\n", "?feed9", "=80x8", "?more lines; every 100 ms", "=80x40", "?feed9", "q",
    ])
    #expect(!shown.contains("14 more lines"), "\(shown)")
    #expect(
      shown.ranges(of: "\u{1B}[2J").count == 3, "what a terminal does to its lines is unknown: \(shown)")
  }

  /// The boot clock is hurried, because a store whose file was replaced is noticed only after a while.
  @Test(.enabled("there is no C compiler") { MovedClocks.canBe })
  func anErrorIsShownBelowTheLastStatus() throws {
    try MovedClocks(place).hurry(place, milliseconds: 500)
    let command = Self.watch(while: "mv $LOADLOG_DB $LOADLOG_DB.away")
    try type([command, "?first", "?loadlog: cannot use store", "q", "?\(Self.left)", "?code 0"])
  }

  @Test func withoutATerminalItSaysSo() throws {
    let answer = try place.loadlog("status", "--watch")
    #expect(answer.code == 2 && answer.isOneComplaint && answer.errors.contains("not a terminal"))
    for options in [["--check"], ["--busy"], ["--json"], ["--interval", "10ms"]] {
      let answer = try place.loadlog(["status", "--watch"] + options)
      #expect(answer.code == 2 && answer.isOneComplaint, "\(options)")
    }
    #expect(try place.loadlog("status", "--interval", "1s").code == 2)
    #expect(try place.loadlog("status", "--watch", "--interval", "15250w").errors.contains("it is too long"))
  }

  @Test func theLastLineSaysHowManyThereWasNoRoomFor() {
    func screen(_ height: Int) -> [String] {
      ScreenPicture.fitted("a\nb\n", height: height, footer: "q quits")
    }
    #expect(screen(4) == ["a", "b", "", "q quits"])
    #expect(screen(3) == ["a", "b", "q quits"])
    #expect(screen(2) == ["a", "1 more line; q quits"])
    #expect(screen(1) == ["2 more lines; q quits"])
  }

  @Test func onlyLinesThatChangedAreDrawnAgain() {
    var picture = ScreenPicture()
    #expect(picture.changes(to: ["a", "b", "c"]).contains("\u{1B}[3;1Hc\u{1B}[K"))
    #expect(picture.changes(to: ["a", "x", "c"]) == "\u{1B}[2;1Hx\u{1B}[K")
    #expect(picture.changes(to: ["a", "x", "c"]) == "")
    #expect(picture.changes(to: ["a"]) == "\u{1B}[2;1H\u{1B}[J")
    picture.forget()
    #expect(picture.changes(to: ["a"]) == "\u{1B}[1;1Ha\u{1B}[K")
  }
}
