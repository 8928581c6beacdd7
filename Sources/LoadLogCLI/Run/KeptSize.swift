import ArgumentParser
import LoadLog
import LoadLogCore

/// How much of a command's output is kept: a number of bytes, as in 500, 100k, 1.5MB or "100 kB".
struct KeptSize: Sendable {
  /// The size of a bare `--keep-output`.
  static let usual = "100k"

  let bytes: Int

  /// Reads a size.
  ///
  /// - Throws: `ValidationError`.
  init(_ text: String) throws {
    guard let match = text.wholeMatch(of: /([0-9]+(?:\.[0-9]+)?) ?([kKM]?)(?:B|bytes)?/),
      let number = Double(match.1)
    else { throw Self.refusal }
    let unit = match.2 == "M" ? 1_000_000.0 : match.2.isEmpty ? 1 : 1000
    let bytes = (number * unit).rounded()
    guard (1...Double(KeptOutput.most)).contains(bytes) else { throw Self.refusal }
    self.bytes = Int(bytes)
  }

  private static var refusal: ValidationError { ValidationError("Use 1 to 10M, such as 100k.") }

  /// The size in the environment; nil if there is none, or it is empty or 0.
  ///
  /// - Throws: `invalidInput`.
  static func inEnvironment() throws(LoadLogError) -> KeptSize? {
    let name = "LOADLOG_KEEP_OUTPUT"
    guard let text = EnvironmentVariable.value(name), !text.isEmpty, text != "0" else { return nil }
    if let size = try? KeptSize(text) { return size }
    throw LoadLogError(
      .invalidInput, what: "$\(name)", value: text, why: "it is not a size from 1 to 10M",
      advice: "Use, for example, 100k.")
  }
}
