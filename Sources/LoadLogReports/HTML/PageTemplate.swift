#if Reports
  import Mustache
#endif

/// Template of the page with its partials, style sheet and script.
enum PageTemplate {
  static let style = String(decoding: PackageResources.report_css, as: UTF8.self)
  static let liveScript = String(decoding: PackageResources.live_js, as: UTF8.self)
  static let script = String(decoding: PackageResources.report_js, as: UTF8.self)

  /// SHA-256 digests of ``style`` and ``script``, which the page's content security policy allows.
  static let styleDigest = "sha256-nYzvZoeOy6ZIABAwDXleLYACGqaJN/rJOxY7cljkHf4="
  static let scriptDigest = "sha256-nb79ao2pHCajFPfeV5rWAb2EX2IUJcFlrzvnKdHCU08="

  #if Reports
    /// Renders the page of a model.
    static func render(_ model: PageModel) -> String {
      library.render(model, withTemplate: "report") ?? ""
    }

    private static let library: MustacheLibrary = {
      MustacheContentTypes.register(MarkupContentType(), named: MarkupContentType.name)
      let parts: [String: [UInt8]] = [
        "report": PackageResources.report_mustache, "head": PackageResources.head_mustache,
        "unbalanced": PackageResources.unbalanced_mustache, "feeds": PackageResources.feeds_mustache,
        "charted": PackageResources.charted_mustache, "others": PackageResources.others_mustache,
        "outages": PackageResources.outages_mustache, "loads": PackageResources.loads_mustache,
        "chart": PackageResources.chart_mustache, "link": PackageResources.link_mustache,
      ]
      var library = MustacheLibrary()
      for (name, bytes) in parts {
        // A partial does not inherit the content type: without this line it would use Mustache's own escaping.
        let text = "{{% CONTENT_TYPE:\(MarkupContentType.name)}}" + String(decoding: bytes, as: UTF8.self)
        do {
          try library.register(text, named: name)
        } catch {
          preconditionFailure("the built-in template \(name) is invalid: \(error)")
        }
      }
      return library
    }()
  #endif
}

#if Reports
  // A table may have hundreds of rows. Finding their values by reflection, as those of all other types, would take most of
  // the time of a page.

  extension PageModel.Feeds.Row: MustacheParent {
    func child(named name: String) -> Any? {
      switch name {
      case "status": status
      case "feed": feed
      case "updated": updated
      case "habit": habit
      case "bar": bar
      case "barStyle": barStyle
      case "now": now
      case "numbers": numbers
      case "unbalanced": unbalanced
      case "trend": trend
      case "trendWords": trendWords
      default: nil
      }
    }
  }

  extension PageModel.Status: MustacheParent {
    func child(named name: String) -> Any? {
      switch name {
      case "style": style
      case "glyph": glyph
      case "word": word
      default: nil
      }
    }
  }

  extension PageModel.Link: MustacheParent {
    func child(named name: String) -> Any? {
      switch name {
      case "name": self.name
      case "target": target
      default: nil
      }
    }
  }
#endif
