import LoadLogCore

/// Format of an exported file.
public enum ExportFormat: String, Sendable, Hashable, CaseIterable {
  /// LoadLog's own format, one JSON object per line; see `RecordLine`.
  case ndjson
  /// Trace Event Format.
  case chromeTrace = "chrome-trace"
  /// OpenTelemetry traces as JSON (OTLP/JSON).
  case otlp
  /// CSV with one row per load.
  case csv
  /// Metrics for Prometheus; see ``PrometheusText``.
  case prometheus
  /// Copy of the store as a SQLite database.
  case sqlite

  /// Returns a new exporter; nil for ndjson, prometheus and sqlite, which contain more than loads, or none.
  public func exporter() -> (any LoadExporter)? {
    switch self {
    case .chromeTrace: ChromeTraceExporter()
    case .otlp: OTLPExporter()
    case .csv: CSVExporter()
    case .ndjson, .prometheus, .sqlite: nil
    }
  }
}
