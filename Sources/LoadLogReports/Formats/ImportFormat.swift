public import LoadLogCore

/// Format of an imported file.
public enum ImportFormat: String, Sendable, Hashable, CaseIterable {
  /// LoadLog's own format, one JSON object per line; see `RecordLine`.
  case ndjson
  /// Trace Event Format.
  case chromeTrace = "chrome-trace"
  /// OpenTelemetry traces as JSON (OTLP/JSON).
  case otlp
  /// HTTP Archive 1.2.
  case har

  /// Parts of a record that can be used as the feed's name, the default first; empty if the format names
  /// feeds itself.
  public var feedSources: [FeedSource] {
    switch self {
    case .ndjson: []
    case .chromeTrace: [.name, .category]
    case .otlp: [.name, .service]
    case .har: [.host, .url]
    }
  }
}

/// Part of a foreign record that becomes the feed's name.
public enum FeedSource: String, Sendable, Hashable, CaseIterable {
  /// In har files: the host of the URL, without user and port.
  case host
  /// In har files: the URL up to its path. Query, fragment and user are left out, because they may contain
  /// secrets.
  case url
  /// In chrome-trace and otlp files: the name of the event or span.
  case name
  /// In chrome-trace files: the category.
  case category = "cat"
  /// In otlp files: the service, `service.name` of the resource.
  case service
}

/// Options for importing a file.
public struct ImportOptions: Sendable, Hashable {
  /// Part of a record that becomes the feed's name; nil for the format's default.
  public var feedSource: FeedSource?
  /// Wall time in microseconds from which relative times count, such as the file's modification time. If it
  /// is nil, a relative time is a fault.
  public var epoch: Int64?

  /// Creates options. The defaults suit files with absolute times.
  public init(feedSource: FeedSource? = nil, epoch: Int64? = nil) {
    self.feedSource = feedSource
    self.epoch = epoch
  }
}

extension ImportFormat {
  /// Returns the feed source in the options, or the default.
  ///
  /// - Throws: `invalidInput` if this format does not have the source.
  func source(_ options: ImportOptions) throws(LoadLogError) -> FeedSource? {
    guard let source = options.feedSource else { return feedSources.first }
    guard feedSources.contains(source) else {
      let allowed = feedSources.map(\.rawValue).joined(separator: " or ")
      throw LoadLogError(
        .invalidInput, what: "--feed-by", value: source.rawValue,
        why: "\(rawValue) files cannot be grouped by it",
        advice: feedSources.isEmpty ? "Omit --feed-by." : "Use \(allowed).")
    }
    return source
  }
}

extension ImportFormat {
  /// Returns a new importer.
  ///
  /// - Throws: `invalidInput` if the format does not have the feed source in the options.
  public func importer(_ options: ImportOptions = ImportOptions()) throws(LoadLogError) -> any LoadImporter {
    let source = try source(options)
    return switch self {
    case .ndjson: NDJSONImporter()
    case .chromeTrace: ChromeTraceImporter(source: source, epoch: options.epoch)
    case .otlp: OTLPImporter(source: source)
    case .har: HARImporter(source: source)
    }
  }
}
