import Foundation
import LoadLogCore
@testable import LoadLogReports
import ReportExamples
import Testing

@Suite struct EscapingTests {
  private static let texts = ExamplePages.hostileTexts
  private static let hostile = Result { PageText(try ExamplePages.carrying(texts, store: texts[1])) }

  @Test(arguments: ["<", ">", "\"", "'", "\n"])
  func textsNeverAddMarkup(sign: Character) throws {
    let byte = try #require(sign.utf8.first)
    let harmless = PageText(
      try ExamplePages.carrying(Self.texts.indices.map { "text-\($0)" }, store: "text"))
    #expect(try Self.hostile.get().html.utf8.count { $0 == byte } == harmless.html.utf8.count { $0 == byte })
  }

  @Test(arguments: texts) func everyTextIsShownAndInert(text: String) throws {
    let shown = Markup.escaped(text)
    #expect(try Self.hostile.get().markup.contains("<bdi>\(shown)</bdi>"))
    #expect(
      !shown.unicodeScalars.contains { "<>\"'".unicodeScalars.contains($0) || VisibleText.mustShow($0) })
  }

  @Test(arguments: [
    ("a<b>&\"c\"'d'", "a&lt;b&gt;&amp;&quot;c&quot;&#39;d&#39;"), ("\u{600}<b", "\u{600}&lt;b"),
    ("\"\u{301} x", "&quot;\u{301} x"), ("&lt;", "&amp;lt;"), ("a\u{202E}b\n", "a\\u{202E}b\\n"),
    ("grüße 漢字 🧵", "grüße 漢字 🧵"), ("", ""),
  ])
  func markupIsEscapedScalarByScalar(text: String, escaped: String) {
    #expect(Markup.escaped(text).unicodeScalars.elementsEqual(escaped.unicodeScalars))
  }

  @Test func chartsEscapeTheirTexts() {
    var drawing = Drawing()
    drawing.add("<b>\u{600}<i>", x: 1, y: 2)
    var path = DrawnPath()
    path.move(1, 2)
    drawing.add(path, "\"><b>", title: "</title><b>")
    #expect(drawing.markup.ranges(of: "<").count == 6)
    #expect(!drawing.markup.contains("<b>") && !drawing.markup.contains("<i>"))
  }

  @Test func templatesLeaveOnlyDrawingsStyleAndScriptUnescaped() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../Sources/LoadLogReports/HTML/Resources").standardizedFileURL
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".mustache") }
    var unescaped: [Substring] = []
    for file in files {
      let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
      unescaped += text.matches(of: /{{({.*?}|&.*?)}}/).map(\.1)
      // A space in the value of an unquoted attribute would end the attribute.
      let bare = text.matches(of: /=({{[^#^\/].*?}})/).map { String($0.1) }
      #expect(bare.allSatisfy { ["{{barStyle}}"].contains($0) }, "\(file): \(bare)")
    }
    #expect(files.contains("report.mustache"))
    #expect(unescaped.sorted() == ["{drawing}", "{script}", "{style}"])
  }
}
