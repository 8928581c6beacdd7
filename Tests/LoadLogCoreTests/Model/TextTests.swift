import LoadLogCore
import Testing

@Suite struct TextTests {
  @Test(
    arguments: [
      ("a", nil), (String(repeating: "x", count: 200), nil), ("caf\u{E9}", nil), ("a b", nil),
      ("\u{200B}a", nil),
      ("", "empty"), (String(repeating: "x", count: 201), "201 characters"), (" a", "white space"),
      ("a\u{A0}", "white space"), ("a\u{1B}b", "control"), ("a\u{202E}b", "control"),
      ("a\u{2069}b", "control"),
      ("a\u{85}b", "control"), ("a\u{9F}b", "control"), ("a\u{7F}b", "control"),
    ] as [(String, String?)])
  func feedNamesAreChecked(name: String, complaint: String?) throws {
    guard let complaint else {
      #expect(try Feed(name).validated().name == name)
      return
    }
    let error = #expect(throws: LoadLogError.self) { try Feed(name).validated() }
    #expect(error?.code == .invalidInput && error?.why.contains(complaint) == true)
    #expect(error?.description.hasPrefix("feed name \"") == true)
  }

  @Test func lengthIsCountedInScalarsAfterNormalization() {
    // 200 letters, each of two scalars before normalization.
    #expect(throws: Never.self) { try Feed(String(repeating: "e\u{301}", count: 200)).validated() }
    #expect(Feed("e\u{301}") == Feed("\u{E9}") && Feed("e\u{301}").name.unicodeScalars.count == 1)
    #expect(Feed("b") > "a" && Feed("Z") < "a")
  }

  @Test(
    arguments: [
      (nil, 5, nil), ("", 5, ""), ("abcde", 5, "abcde"), ("abcdef", 5, "abcd…"), ("ééééé", 5, "ééééé"),
      ("éééééé", 5, "éééé…"), ("a\0b", 5, "a␀b"), ("\0\0\0\0\0\0", 5, "␀␀␀␀…"), ("🎉🎉🎉", 2, "🎉…"),
    ] as [(String?, Int, String?)])
  func longTextsAreCut(text: String?, limit: Int, expected: String?) {
    #expect(TextLimit.cut(text, to: limit) == expected)
  }

  @Test func aLongTextIsRefusedWithFieldLengthAndLimit() throws {
    #expect(try TextLimit.checked(nil, field: "tag", limit: 2) == nil)
    #expect(try TextLimit.checked("ab", field: "tag", limit: 2) == "ab")
    let error = #expect(throws: LoadLogError.self) {
      try TextLimit.checked("abc", field: "tag", limit: 2)
    }
    #expect(error?.description == "tag \"abc\": it has 3 characters; at most 2 are allowed.")
  }

  @Test(arguments: [
    ("plain é 🎉", "plain é 🎉"), ("a\nb\r\tc", "a\\nb\\r\\tc"), ("\u{1B}[31m", "\\u{1B}[31m"),
    ("\0", "\\u{0}"),
    ("\u{7F}\u{9B}", "\\u{7F}\\u{9B}"), ("a\u{202E}b", "a\\u{202E}b"),
    ("\u{2028}\u{2029}", "\\u{2028}\\u{2029}"),
    ("\u{FEFF}\u{200F}\u{61C}", "\\u{FEFF}\\u{200F}\\u{61C}"),
  ])
  func controlCharactersAreEscaped(text: String, expected: String) {
    #expect(VisibleText.line(text) == expected)
    #expect(VisibleText.quoted(text) == "\"\(expected)\"")
    #expect(!VisibleText.line(text).unicodeScalars.contains(where: VisibleText.mustShow))
  }

  @Test(
    arguments: [
      (0, "0 bytes"), (1, "1 byte"), (999, "999 bytes"), (1000, "1.0 kB"), (999_949, "999.9 kB"),
      (999_950, "1.0 MB"), (12_345_678, "12.3 MB"), (999_999_999_999, "1.0 TB"), (.max, "9223372.0 TB"),
    ] as [(Int64, String)])
  func sizesAreInTheUnitToWhichTheyRound(bytes: Int64, text: String) {
    #expect(ByteText.text(bytes) == text)
  }

  @Test func quotedTextsStayShort() {
    #expect(VisibleText.quoted(String(repeating: "x", count: 120)).count == 122)
    #expect(
      VisibleText.quoted(String(repeating: "x", count: 121)) == "\"\(String(repeating: "x", count: 120))…\"")
  }

  @Test(
    arguments: [
      ("App/View.swift:42", "App/View.swift", 42), ("/srv/backup.sh:12", "/srv/backup.sh", 12),
      ("none", "none", nil),
      ("a:b", "a:b", nil), ("a:", "a:", nil), (":7", "", 7), ("a:1:2", "a:1", 2), ("a:٣", "a:٣", nil),
      ("", "", nil),
      ("a:-1", "a:-1", nil), ("a:99999999999999999999", "a", nil),
    ] as [(String, String, Int?)])
  func callSitesAreParsed(text: String, file: String, line: Int?) {
    let site = CallSite(text)
    #expect(site.text == text && site.file == file && site.line == line)
    #expect(CallSite.file(of: text) == file)
  }

  @Test func aSourceLineEqualsItsText() {
    let site = CallSite(fileID: "App/View.swift", line: 42)
    #expect(site == CallSite("App/View.swift:42") && site.file == "App/View.swift" && site.line == 42)
    #expect(Set([site, CallSite("App/View.swift:42")]).count == 1)
    #expect(Set([site, CallSite(fileID: "App/View.swift", line: 43), CallSite("App/View.swift")]).count == 3)
    // The character before the colon forms one `Character` with it.
    #expect(Set([CallSite(fileID: "a\u{600}", line: 5), CallSite("a\u{600}:5")]).count == 1)
  }

  @Test(
    arguments: [
      ("reviews", "reviews", true), ("reviews", "review", false), ("*", "apps/42/reviews", true),
      ("apps/*", "apps/42/reviews", true), ("*/reviews", "apps/42/reviews", true), ("a*b*c", "aXbYc", true),
      ("a*b*c", "aXbY", false), ("?", "é", true), ("?", "ab", false), ("a?c", "abc", true), ("**", "", true),
      ("a*b?*", "a*b?*", true), ("[a]", "a", false), ("", "a", false), ("e\u{301}*", "\u{E9}a", true),
      ("e\u{301}", "\u{E9}", true),
      (String(repeating: "*a", count: 100) + "b", String(repeating: "a", count: 200), false),
    ] as [(String, String, Bool)])
  func patternsMatchFeeds(pattern: String, name: String, fits: Bool) {
    #expect(FeedPattern(pattern).matches(Feed(name)) == fits)
  }

  @Test func anExactPatternMatchesOnlyItsFeed() {
    #expect(FeedPattern(exactly: "a*").matches("a*"))
    #expect(!FeedPattern(exactly: "a*").matches("ab"))
    #expect(FeedPattern("a*").isGlob && FeedPattern("a?").isGlob && !FeedPattern("a").isGlob)
  }
}
