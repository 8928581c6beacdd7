public import LoadLogCore

/// The report of `doctor`: what is in order in a store, what is not, and what to do about it.
public struct DoctorReport: Sendable {
  private let diagnosis: StoreDiagnosis
  private let head: JSONHead

  /// Creates a report of a diagnosis.
  public init(_ diagnosis: StoreDiagnosis, head: JSONHead) {
    self.diagnosis = diagnosis
    self.head = head
  }

  /// Returns the report as text for people.
  public func text(_ page: PageStyle) -> String {
    diagnosis.findings.map { finding in
      let line =
        "\(mark(finding.severity, page)) \(finding.topic.rawValue): \(VisibleText.line(finding.text))\n"
      let advice = finding.advice?.replacing("loadlog doctor --repair", with: page.command("doctor --repair"))
      return line + (advice.map { "  \(VisibleText.line($0))\n" } ?? "")
    }.joined()
  }

  /// Returns the report as JSON for programs.
  public func json() -> JSONValue {
    let findings = diagnosis.findings.map { finding -> JSONValue in
      [
        "severity": .string(finding.severity.rawValue), "topic": .string(finding.topic.rawValue),
        "text": .string(finding.text), "advice": .text(finding.advice),
      ]
    }
    return head.object.appending(["findings": .array(findings)])
  }

  private func mark(_ severity: StoreDiagnosis.Finding.Severity, _ page: PageStyle) -> String {
    switch severity {
    case .ok: page.inked(page.glyphs.good, .good)
    case .note: page.glyphs.same
    case .warning: page.inked(page.glyphs.alarm, .alarm)
    case .problem: page.inked(page.glyphs.bad, .bad)
    }
  }
}
