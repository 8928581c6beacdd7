/// The results of checking a store.
public struct StoreDiagnosis: Sendable, Hashable {
  /// The result of one check.
  public struct Finding: Sendable, Hashable {
    /// How serious a finding is.
    public enum Severity: String, Sendable, Hashable {
      /// The check passed.
      case ok
      /// The finding is information.
      case note
      /// The finding needs attention.
      case warning
      /// The store is broken.
      case problem
    }

    /// The subject of a check.
    public enum Topic: String, Sendable, Hashable {
      case store, permissions, sqlite, integrity, schema, owners, files, events, summaries, expectations,
        retention, fleet, space,
        wal
    }

    /// How serious the finding is.
    public let severity: Severity
    /// The subject of the check.
    public let topic: Topic
    /// The result, as a sentence.
    public let text: String
    /// What the user can do about the finding.
    public let advice: String?
    /// Whether `loadlog doctor --repair` can repair it.
    package let isRepairable: Bool
  }

  /// The findings, in a fixed order of topics.
  public private(set) var findings: [Finding] = []

  /// Creates an empty diagnosis.
  package init() {}

  /// Whether the database itself is damaged.
  public var isDamaged: Bool { findings.contains { $0.topic == .integrity && $0.severity == .problem } }

  /// Whether counters or histograms disagree with the loads.
  package var hasWrongSummaries: Bool {
    findings.contains { $0.topic == .summaries && $0.severity == .warning }
  }

  /// Whether a finding is a warning or a problem.
  public var needsAttention: Bool {
    findings.contains { $0.severity == .warning || $0.severity == .problem }
  }

  package mutating func add(
    _ severity: Finding.Severity, _ topic: Finding.Topic, _ text: String, advice: String? = nil,
    isRepairable: Bool = false
  ) {
    findings.append(
      Finding(severity: severity, topic: topic, text: text, advice: advice, isRepairable: isRepairable))
  }
}
