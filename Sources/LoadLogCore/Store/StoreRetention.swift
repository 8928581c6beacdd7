/// How long a store keeps finished loads: a setting of the store, made with `loadlog prune --keep 30d --by-default`.
/// It applies to recorders that set no `retention` of their own.
public enum StoreRetention: Sendable, Hashable {
  /// Keep all loads until a user prunes them.
  case all
  /// Delete loads that finished longer ago than this, in microseconds.
  case microseconds(Int64)

  /// What applies if neither the app nor the store says otherwise: 90 days.
  package static let usual = StoreRetention.microseconds(90 * UTCDay.length)

  /// The age in microseconds at which loads are deleted; nil if all are kept.
  package var age: Int64? {
    switch self {
    case .all: nil
    case .microseconds(let age): age
    }
  }
}

extension StoreRetention: CustomStringConvertible {
  /// The age in its largest whole unit: "30 days", "36 hours"; or "any age".
  public var description: String {
    guard let age else { return "any age" }
    let units: [(Int64, String)] = [
      (UTCDay.length, "day"), (3_600_000_000, "hour"), (60_000_000, "minute"), (1_000_000, "second"),
      (1000, "millisecond"),
    ]
    let (size, name) = units.first { age >= $0.0 && age % $0.0 == 0 } ?? (1, "microsecond")
    return "\(age / size) \(name)\(age / size == 1 ? "" : "s")"
  }
}
