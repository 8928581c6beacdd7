import LoadLogCore

/// Text for an age: "2 s ago", "15 m ago", "10 h ago", "1 d 7 h ago", "12 d ago".
///
/// Ages are rounded down. Ages of ten days and more are in whole days. The age of a moment in the future is "0 s ago !".
public enum AgeText {
  /// Returns the age at `now` of a moment; both are wall times in microseconds.
  ///
  /// - Parameters:
  ///   - moment: the moment whose age is wanted.
  ///   - now: the moment at which it has that age.
  public static func text(of moment: Int64, at now: Int64) -> String {
    if moment > now { return "0 s ago !" }
    return text(seconds: now.subtractingClamping(moment) / 1_000_000)
  }

  private static func text(seconds: Int64) -> String {
    let minutes = seconds / 60
    let hours = minutes / 60
    let days = hours / 24
    if minutes == 0 { return "\(seconds) s ago" }
    if hours == 0 { return "\(minutes) m ago" }
    if days == 0 { return "\(hours) h ago" }
    return days < 10 ? "\(days) d \(hours % 24) h ago" : "\(days) d ago"
  }
}
