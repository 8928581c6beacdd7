extension Duration {
  /// Whole nanoseconds; at most `Int64.max`.
  package var wholeNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, sumOverflow) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
    return overflow || sumOverflow ? .max : sum
  }
}
