import CFuzzer
import Foundation
import LoadLogReports

/// Passes the inputs of libFuzzer to one reader of untrusted text or bytes.
///
///     LoadLogFuzz har -max_total_time=600 NEW_CORPUS Tests/Fuzz/Corpus/har
@main
enum LoadLogFuzz {
  typealias Target = @Sendable (UnsafeRawBufferPointer) -> Void

  /// Targets by name. A target traps if a check fails, which ends the run.
  private static let targets: [String: Target] = {
    var targets: [String: Target] = [
      "time": Expressions.time, "duration": Expressions.duration, "pattern": Expressions.pattern,
      "store": StoreOpening.open, "exchange": Exchange.repeated,
      // A bug that the fuzzer must find; otherwise the other targets prove nothing.
      "control": { precondition(!$0.starts(with: Array("trap".utf8))) },
    ]
    for format in ImportFormat.allCases {
      targets[format.rawValue] = { Importing.read($0, as: format) }
    }
    return targets
  }()

  private static let target = CommandLine.arguments.dropFirst().first.flatMap { targets[$0] }

  static func main() {
    guard target != nil else {
      print(targets.keys.sorted().joined(separator: "\n"))
      exit(CommandLine.argc == 1 ? 0 : 2)
    }
    // The driver skips its first argument, where a program's name would be.
    var count = CommandLine.argc - 1
    var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv + 1
    exit(
      LLVMFuzzerRunDriver(&count, &arguments) { bytes, count in
        LoadLogFuzz.target?(UnsafeRawBufferPointer(start: bytes, count: count))
        return 0
      })
  }
}
