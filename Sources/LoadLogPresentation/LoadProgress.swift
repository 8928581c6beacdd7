/// How far a load is, if that is known.
struct LoadProgress: Sendable, Hashable {
  /// From 0 to 1; nil if it is unknown. Values beyond are limited, and NaN is ignored.
  var fraction: Double? {
    didSet { fraction = fraction?.isNaN == true ? oldValue : fraction.map { min(max($0, 0), 1) } }
  }

  /// A message followed by the progress in whole percent, as it is recorded: "Syncing… 40 %". Only 1 is 100 %.
  func message(_ text: String?) -> String? {
    guard let fraction else { return text }
    let percent = fraction < 1 ? min(99, Int((fraction * 100).rounded())) : 100
    return [text, "\(percent) %"].compactMap(\.self).joined(separator: " ")
  }
}
