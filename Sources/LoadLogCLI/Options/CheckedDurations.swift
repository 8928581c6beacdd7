import ArgumentParser
import LoadLog
import LoadLogReports

extension DurationExpression {
  /// The duration in nanoseconds that an option gives.
  ///
  /// - Throws: `invalidInput` if it is shorter or longer than the option accepts.
  static func nanoseconds(
    _ text: String, of option: String, from shortest: String, to longest: String
  ) throws(LoadLogError) -> Int64 {
    let value = try nanoseconds(text)
    let accepted = try nanoseconds(shortest)...nanoseconds(longest)
    guard accepted.contains(value) else {
      throw LoadLogError(
        .invalidInput, what: option, value: text,
        why: "it is too \(value < accepted.lowerBound ? "short" : "long")",
        advice: "Use \(shortest) to \(longest).")
    }
    return value
  }

  /// The age in microseconds from which an option deletes.
  ///
  /// - Throws: `invalidInput`; `ValidationError` for 0, which would delete everything.
  static func age(_ text: String, of option: String) throws -> Int64 {
    let age = try microseconds(text)
    guard age > 0 else { throw ValidationError("\(option) must be greater than 0.") }
    return age
  }
}
