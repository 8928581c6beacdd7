public import LoadLogCore

/// A format that loads are read from.
public enum ImportFormat: String, Sendable, Hashable, CaseIterable {
  /// LoadLog's own lines.
  case ndjson
  /// Trace Event Format.
  case chromeTrace = "chrome-trace"
  /// OpenTelemetry's traces as JSON.
  case otlp
  /// HTTP Archive 1.2.
  case har

  /// The reason of loads that are still open at the end of a file.
  public static let openAtEnd = AbandonReason.openAtEnd.rawValue

  /// What the feed can be taken from, the default first.
  public var feedSources: [FeedSource] {
    switch self {
    case .ndjson: []
    case .chromeTrace: [.name, .category]
    case .otlp: [.name, .service]
    case .har: [.host, .url]
    }
  }
}

/// What of a foreign load becomes its feed.
public enum FeedSource: String, Sendable, Hashable, CaseIterable {
  /// har: the host of the URL, without user and port.
  case host
  /// har: the URL up to its path; query, fragment and user may hold secrets.
  case url
  /// chrome-trace, otlp: the name of the event or span.
  case name
  /// chrome-trace: the category.
  case category = "cat"
  /// otlp: the service, `service.name` of the resource.
  case service
}

/// What a file does not say of itself.
public struct ImportOptions: Sendable, Hashable {
  /// What the feed is taken from; nil for the format's default.
  public var feedSource: FeedSource?
  /// The moment that relative times count from, wall time in microseconds; a file's modification time, for want of
  /// better. Nil if there is none: relative times are a fault then.
  public var epoch: Int64?

  /// Makes options; the defaults suit files that say all of themselves.
  public init(feedSource: FeedSource? = nil, epoch: Int64? = nil) {
    self.feedSource = feedSource
    self.epoch = epoch
  }
}

extension ImportFormat {
  /// The feed source that the options ask for, or the default.
  ///
  /// - Throws: `invalidInput` if this format has no such source.
  func source(_ options: ImportOptions) throws(LoadLogError) -> FeedSource? {
    guard let source = options.feedSource else { return feedSources.first }
    guard feedSources.contains(source) else {
      let allowed = feedSources.map(\.rawValue).joined(separator: " or ")
      throw LoadLogError(
        .invalidInput, what: "--feed-by", value: source.rawValue, why: "\(rawValue) has no such thing",
        advice: feedSources.isEmpty ? "Leave it out." : "Allowed: \(allowed).")
    }
    return source
  }
}

extension ImportFormat {
  /// What reads a file of this format.
  ///
  /// - Throws: `invalidInput` if the options do not suit the format.
  public func importer(_ options: ImportOptions = ImportOptions()) throws(LoadLogError) -> any LoadImporter {
    _ = try source(options)
    return switch self {
    case .ndjson: NDJSONImporter()
    case .chromeTrace: try ChromeTraceImporter(options)
    case .otlp: try OTLPImporter(options)
    case .har: try HARImporter(options)
    }
  }
}
