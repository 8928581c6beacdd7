/// Where the duration of a finished load comes from.
public enum DurationSource: String, Sendable, Hashable, StoredCode {
  /// Measured with the boot clock, which is never stepped.
  case boot
  /// The difference of two wall times: the machine booted between start and finish, or an imported file
  /// contains only the two times. It includes every step of the wall clock.
  case wall
  /// Stated by an imported file, which does not name the clock.
  case imported
}
