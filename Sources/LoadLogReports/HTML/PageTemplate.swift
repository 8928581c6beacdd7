import Mustache

/// The page's template with its parts, its style and its script.
enum PageTemplate {
  static let style = String(decoding: PackageResources.report_css, as: UTF8.self)
  static let script = String(decoding: PackageResources.report_js, as: UTF8.self)

  /// What the page's content security policy lets through: SHA-256 of ``style`` and ``script``.
  static let styleDigest = "sha256-vKoHV+rMDU8he7Y5fVAr7vsmZoAKwQFGwfiSz4rfsz4="
  static let scriptDigest = "sha256-+h6szTb246bbhUyglLv937BLwc/IkatB46HLwcIdPAE="

  /// The page of a model.
  static func render(_ model: PageModel) -> String {
    library.render(model, withTemplate: "report") ?? ""
  }

  private static let library: MustacheLibrary = {
    MustacheContentTypes.register(MarkupContentType(), named: MarkupContentType.name)
    let parts: [String: [UInt8]] = [
      "report": PackageResources.report_mustache, "head": PackageResources.head_mustache,
      "unbalanced": PackageResources.unbalanced_mustache, "feeds": PackageResources.feeds_mustache,
      "busy": PackageResources.busy_mustache, "chart": PackageResources.chart_mustache,
    ]
    var library = MustacheLibrary()
    for (name, bytes) in parts {
      // Each part says anew how text is escaped; without that it would fall back to Mustache's own way.
      let text = "{{% CONTENT_TYPE:\(MarkupContentType.name)}}" + String(decoding: bytes, as: UTF8.self)
      do {
        try library.register(text, named: name)
      } catch {
        preconditionFailure("the template \(name), a part of this program, is broken: \(error)")
      }
    }
    return library
  }()
}
