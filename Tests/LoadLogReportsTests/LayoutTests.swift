@testable import LoadLogReports
import Testing

@Suite struct LayoutTests {
  @Test func wideCharactersKeepColumnsAligned() {
    var table = Table([Table.Column(title: "A"), Table.Column(title: "B", alignment: .right)])
    table.add(["日本", "1"])
    table.add(["e\u{301}", "22"])
    #expect(table.lines(PageStyle(zone: Screens.cet)) == ["A      B", "日本   1", "e\u{301}     22"])
  }

  @Test func jsonIsEscaped() {
    let value: JSONValue = ["k\"": "\u{0}\u{1F}\n\\/\u{7F}\u{2028}\u{202E}é😀"]
    #expect(value.flat == #"{"k\"": "\u0000\u001f\n\\/\u007f\u2028\u202eé😀"}"#)
  }

  @Test(arguments: [
    (0.1, "0.1"), (1.0, "1.0"), (1e-9, "1e-09"), (1e300, "1e+300"), (.infinity, "null"), (.nan, "null"),
    (0.1 + 0.2, "0.30000000000000004"),
  ])
  func jsonNumbersReadBackUnchanged(number: Double, text: String) {
    #expect(JSONValue.number(number).flat == text)
  }

  @Test func jsonBreaksOnlyLongLines() {
    let long: JSONValue = ["a": .string(String(repeating: "x", count: 120)), "b": .array([])]
    #expect(JSONValue.array(["a", nil, true]).text() == #"["a", null, true]"#)
    #expect(long.text().split(separator: "\n").count == 4)
  }
}
