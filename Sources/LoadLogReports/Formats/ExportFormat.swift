import LoadLogCore

/// A format that loads are written in.
public enum ExportFormat: String, Sendable, Hashable, CaseIterable {
  /// LoadLog's own lines; see ``RecordLine``.
  case ndjson
  /// Trace Event Format.
  case chromeTrace = "chrome-trace"
  /// OpenTelemetry's traces as JSON.
  case otlp
  /// One row a load.
  case csv
  /// A copy of the store.
  case sqlite

  /// What writes a file of this format; nil for ndjson and sqlite, which hold more than loads.
  public func exporter() -> (any LoadExporter)? {
    switch self {
    case .chromeTrace: ChromeTraceExporter()
    case .otlp: OTLPExporter()
    case .csv: CSVExporter()
    case .ndjson, .sqlite: nil
    }
  }
}
