/// What is well and what is not with a store.
public struct StoreDiagnosis: Sendable, Hashable {
  /// One thing that was looked at.
  public struct Finding: Sendable, Hashable {
    /// How bad it is.
    public enum Severity: String, Sendable, Hashable {
      /// All is well.
      case ok
      /// Worth knowing.
      case note
      /// Should be seen to.
      case warning
      /// Is broken.
      case problem
    }

    /// How bad it is.
    public let severity: Severity
    /// What was looked at: `store`, `sqlite`, `integrity`, `schema`, `owners`, `locks`, `summaries`, `wal`,
    /// `events`, `space` or `permissions`.
    public let topic: String
    /// What was found.
    public let text: String
    /// What to do about it.
    public let advice: String?
  }

  /// What was found, in a fixed order of topics.
  public internal(set) var findings: [Finding] = []

  /// The database itself is damaged.
  public var isDamaged: Bool { findings.contains { $0.topic == "integrity" && $0.severity == .problem } }

  /// Counters or histograms do not say what the loads do.
  var hasWrongSummaries: Bool { findings.contains { $0.topic == "summaries" && $0.severity == .warning } }

  /// Something should be seen to.
  public var needsAttention: Bool {
    findings.contains { $0.severity == .warning || $0.severity == .problem }
  }

  mutating func add(
    _ severity: Finding.Severity, _ topic: String, _ text: String, advice: String? = nil
  ) {
    findings.append(Finding(severity: severity, topic: topic, text: text, advice: advice))
  }
}
