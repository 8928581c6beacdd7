/// Where the duration of a finished load comes from.
public enum DurationSource: String, Sendable, Hashable, CaseIterable {
  /// Measured with the boot clock, which is never stepped.
  case boot
  /// The difference of two wall times: the machine booted between start and finish, or an imported file
  /// contains only the two times. It includes every step of the wall clock.
  case wall
  /// Stated by an imported file, which does not name the clock.
  case imported

  /// The number in rows.
  package var code: Int64 { Int64(Self.allCases.firstIndex(of: self) ?? 0) }

  /// Creates the source with a code; nil if there is none.
  package init?(code: Int64) {
    guard let index = Int(exactly: code), Self.allCases.indices.contains(index) else { return nil }
    self = Self.allCases[index]
  }
}
