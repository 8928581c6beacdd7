import LoadLogCore

/// What is missing in the export of a fleet.
package struct FleetGaps: Sendable {
  private let counted: Int
  private let withoutMessages: [String]

  /// - Parameters:
  ///   - counted: the number of loads that only counters know.
  ///   - withoutMessages: the hosts that ship no messages.
  package init(counted: Int, withoutMessages: [String]) {
    self.counted = counted
    self.withoutMessages = withoutMessages
  }

  /// Returns a line for each gap.
  ///
  /// - Parameter format: that of the export.
  package func lines(of format: ExportFormat) -> [String] {
    var lines: [String] = []
    if counted > 0 {
      let rest =
        format == .ndjson
        ? "The file has the counts of those that finished, by UTC day, as far as the fleet has kept them."
        : "They are not in the file."
      lines.append("the fleet has no row of \(Words.count(counted, "load")), only counts. \(rest)")
    }
    if !withoutMessages.isEmpty {
      let names = Words.first(of: withoutMessages.map(VisibleText.line))
      lines.append(
        "\(names) \(withoutMessages.count == 1 ? "ships" : "ship") no messages, so the file has none of theirs."
      )
    }
    return lines
  }
}
