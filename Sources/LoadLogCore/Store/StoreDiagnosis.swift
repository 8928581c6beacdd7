/// What is in order with a store, and what is not.
public struct StoreDiagnosis: Sendable, Hashable {
  /// The result of one check.
  public struct Finding: Sendable, Hashable {
    /// How serious a finding is.
    public enum Severity: String, Sendable, Hashable {
      /// In order.
      case ok
      /// Worth knowing.
      case note
      /// Needs attention.
      case warning
      /// Broken.
      case problem
    }

    /// What a check is about.
    public enum Topic: String, Sendable, Hashable {
      case store, permissions, sqlite, integrity, schema, owners, files, events, summaries, space, wal
    }

    /// How serious it is.
    public let severity: Severity
    /// What was checked.
    public let topic: Topic
    /// What was found.
    public let text: String
    /// What to do about it.
    public let advice: String?
  }

  /// The results, in a fixed order of topics.
  public private(set) var findings: [Finding] = []

  /// Creates an empty diagnosis.
  package init() {}

  /// Whether the database itself is damaged.
  public var isDamaged: Bool { findings.contains { $0.topic == .integrity && $0.severity == .problem } }

  /// Whether counters or histograms disagree with the loads.
  package var hasWrongSummaries: Bool {
    findings.contains { $0.topic == .summaries && $0.severity == .warning }
  }

  /// Whether something needs attention.
  public var needsAttention: Bool {
    findings.contains { $0.severity == .warning || $0.severity == .problem }
  }

  package mutating func add(
    _ severity: Finding.Severity, _ topic: Finding.Topic, _ text: String, advice: String? = nil
  ) {
    findings.append(Finding(severity: severity, topic: topic, text: text, advice: advice))
  }
}
