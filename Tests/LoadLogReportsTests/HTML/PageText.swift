import LoadLogReports

/// Text and markup of a page.
struct PageText {
  let html: String

  init(_ contents: ReportContents, hintedStore: String? = nil, zone: LocalZone = Screens.cet) {
    html = HTMLReport(contents, hintedStore: hintedStore, zone: zone).html()
  }

  init(_ contents: ReportContents, fleetOptions: String) {
    html = HTMLReport(contents, as: .report, fleetOptions: fleetOptions, zone: Screens.cet).html()
  }

  /// Page without its style sheet and script.
  var markup: String {
    html.replacing(/<style>[\s\S]*?<\/style>/, with: "").replacing(/<script>[\s\S]*?<\/script>/, with: "")
  }

  /// Text of the page, with the descriptions of its pictures: one line per line of markup that contains text.
  var words: String {
    let lines = markup.split(separator: "\n").map { line in
      line.replacing(/<svg [^>]*aria-label="([^"]*)">/) { $0.1 }.replacing(/<[^>]*>/, with: " ").split(
        separator: " "
      ).joined(separator: " ")
    }
    return lines.filter { !$0.isEmpty }.map { $0 + "\n" }.joined()
      .replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("&quot;", with: "\"")
      .replacing("&#39;", with: "'").replacing("&amp;", with: "&")
  }

  func count(_ part: String) -> Int { markup.ranges(of: part).count }

  /// Start of the first occurrence of a part; nil if there is none.
  func position(_ part: String) -> String.Index? { markup.firstRange(of: part)?.lowerBound }
}
