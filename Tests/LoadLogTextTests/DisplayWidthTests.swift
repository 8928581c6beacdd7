import LoadLogText
import Testing

@Suite struct DisplayWidthTests {
  @Test(arguments: [
    ("", 0), ("abc", 3), ("…", 1), ("é", 1), ("e\u{301}", 1), ("日本", 4), ("ｱ", 1), ("Ａ", 2), ("👍", 2),
    ("👩‍👩‍👧", 2),
    ("🇩🇪", 2), ("한", 2), ("\u{1112}\u{1161}", 2), ("☎\u{FE0F}", 2), ("\u{200B}", 0), ("✓", 1),
    ("\u{1112}\u{1161}\u{11AB}", 2), ("น้ำ", 2), ("ทำไม่ได้", 6), ("ກຳ", 2), ("हिन्दी", 5), ("क्ष", 2), ("தமிழ்", 4),
    ("বাংলা", 5), ("\u{DC1}\u{DCA}\u{200D}\u{DBB}\u{DD3}", 2), ("ｶﾞ", 2), ("☝🏽", 2), ("👍🏽", 2), ("1️⃣", 2), ("❤️‍🔥", 2),
    ("🏴󠁧󠁢󠁥󠁮󠁧󠁿", 2),
    ("“a – b”…", 8), ("—\u{301}", 1), ("a\u{AD}b", 2), ("×\u{FE0F}", 2),
  ])
  func widthIsTheNumberOfTerminalCells(text: String, cells: Int) {
    #expect(DisplayWidth.of(text) == cells)
  }

  @Test func longTextIsCutAtTheGivenPart() {
    #expect(Glyphs.unicode.fitted("abcdefgh", to: 5) == "abcd…")
    #expect(Glyphs.unicode.fitted("abcdefgh", to: 5, cutting: .start) == "…efgh")
    #expect(Glyphs.unicode.fitted("abcdefgh", to: 5, cutting: .middle) == "ab…gh")
    #expect(Glyphs.unicode.fitted("abcdefgh", to: 0) == "" && Glyphs.ascii.fitted("abcdefgh", to: 2) == "..")
    #expect(Glyphs.ascii.fitted("abcdefgh", to: 6) == "abc...")
    #expect(Glyphs.unicode.fitted("日本語", to: 4) == "日…")
    #expect(Glyphs.unicode.fitted("abc", to: 3) == "abc")
  }
}
