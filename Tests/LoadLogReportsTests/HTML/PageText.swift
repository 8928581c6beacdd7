import LoadLogReports

/// A page as the tests look at it.
struct PageText {
  let html: String

  init(_ contents: ReportContents) { html = HTMLReport(contents, zone: Screens.cet).html() }

  /// The page without its style and its script.
  var markup: String {
    html.replacing(/<style>[\s\S]*?<\/style>/, with: "").replacing(/<script>[\s\S]*?<\/script>/, with: "")
  }

  /// What is left without markup, a line for each line of it that says anything.
  var words: String {
    let lines = markup.split(separator: "\n").map { line in
      line.replacing(/<[^>]*>/, with: " ").split(separator: " ").joined(separator: " ")
    }
    return lines.filter { !$0.isEmpty }.map { $0 + "\n" }.joined()
      .replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("&quot;", with: "\"")
      .replacing("&#39;", with: "'").replacing("&amp;", with: "&")
  }

  func count(_ part: String) -> Int { markup.ranges(of: part).count }

  /// Where a part begins; nil if it is not there.
  func position(_ part: String) -> String.Index? { markup.firstRange(of: part)?.lowerBound }
}
