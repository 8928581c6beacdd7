import Foundation
import Testing

/// Text with control characters is shown escaped, whichever way it entered the store.
@Suite struct HostileTextTests {
  private static let texts = [
    "\u{1B}[31mred\u{1B}[0m", "\u{1B}]0;title\u{7}", "one\rtwo", "bell\u{7}", "line\nbreak", "tab\tstop",
    "\u{9B}31m", "\u{202E}abc", "\u{2066}x\u{2069}", "a\u{200F}b", "\u{2028}", "\u{85}", "\u{7F}\u{8}",
    "\u{1B}P+q\u{1B}\\", "<b>&amp;\"'", "%s%n%d", "=1+1", "\u{FEFF}mark", "\u{E0001}\u{E0061}tag",
    "é\u{301}\u{301}\u{301}", "🧑‍💻 漢字",
    "--json", "'; DROP TABLE session; --", String(repeating: "\u{1B}[2J", count: 400),
  ]

  private let place: Place

  init() throws { place = try Place() }

  @Test(arguments: texts)
  func hostileTextIsEscaped(text: String) throws {
    let id = try place.begin("f", "-m", text, "--tag", String(text.prefix(200)), "--call-site", text)
    try place.loadlog("finish", id, "--failed", "--reason", text)
    try place.loadlog("start", "f", "-m", text, "--call-site", text, "--owner-pid", "999999999")
    try place.loadlog("pop", "f", "--call-site", text)
    try place.loadlog("run", "f", "--record-command", "--", "false", text)
    try place.loadlog("run", "f", "--keep-stderr", "--", "sh", "-c", "cat >&2; exit 3", input: .text(text))
    try place.loadlog("unbalanced", "--ack", "--all", "-m", text)

    let pages = [
      ["status"], ["status", "--check", "--max-age", "1s"], ["history"], ["unbalanced"], ["show", id],
      ["doctor"],
      ["show", text], ["finish", text], ["status", "f", text], [text], ["push", text + "\u{1B}"],
    ]
    for page in pages {
      let answer = try place.loadlog(page)
      for (stream, output) in [("output", answer.output), ("errors", answer.errors)] {
        let found = Hostile.found(in: output)
        #expect(found.isEmpty, "\(stream) of \(page.first.debugDescription): \(output.debugDescription)")
      }
    }
    for page in [["history"], ["unbalanced"], ["show", id], ["status"]] {
      let output = try place.loadlog(page + ["--json"]).output
      _ = try Answer(output)
      #expect(Hostile.found(in: output).isEmpty, "\(output.debugDescription)")
    }
    let load = try place.ask("show", id)["load"]
    #expect(load["message"].text == text)
    #expect(load["call_site"].text == text)
    #expect(load["reason"].text == text)
  }

  @Test func colourIsOnlyWhereItWasAskedFor() throws {
    try place.loadlog("run", "f", "--", "false")
    #expect(Hostile.found(in: try place.loadlog("status", "--color", "always").output).contains("\u{1B}"))
    for choice in ["auto", "never"] {
      #expect(Hostile.found(in: try place.loadlog("status", "--color", choice).output).isEmpty)
    }
  }

  @Test func aTextThatIsTooLongIsCutAndWorkGoesOn() throws {
    let long = String(repeating: "ü", count: 5000)
    let id = try place.begin("f", "-m", long)
    #expect(try place.loadlog("finish", id, "--failed", "--reason", long).code == 0)
    let load = try place.ask("show", id)["load"]
    for field in ["message", "reason"] {
      let text = try #require(load[field].text)
      #expect(text.unicodeScalars.count == 2000)
      #expect(text.hasSuffix("ü…"))
    }
  }
}
