import Foundation
import LoadLog
import LoadLogText

/// How a command ended.
enum ChildEnd: Hashable {
  case exited(Int32)
  case signalled(Int32)
  /// It was ended because it ran for longer than this number of nanoseconds.
  case timedOut(Int64)

  /// Decodes the status that `waitpid` reports for a process that has ended.
  init(waitStatus status: Int32) {
    let signal = status & 0x7F
    self = signal == 0 ? .exited(status >> 8 & 0xFF) : .signalled(signal)
  }

  /// The exit code that a shell would report for this end.
  var exitCode: Int32 {
    switch self {
    case .exited(let code): code
    case .signalled(let signal): 128 + signal
    case .timedOut: 124
    }
  }

  /// The verdict on the load.
  ///
  /// - Parameters:
  ///   - unchangedExit: the exit code with which the command reports that there was nothing new.
  ///   - remark: a text to append to the code or signal in the reason.
  func verdict(unchangedExit: Int32? = nil, remark: String? = nil) -> Verdict {
    switch self {
    case .exited(let code) where code == unchangedExit: return .unchanged(remark)
    case .exited(0): return .succeeded(remark)
    case .exited(let code): return .failed(reason("exit \(code)", remark))
    case .signalled(SIGINT): return .cancelled(reason("interrupted", remark))
    case .signalled(let signal): return .failed(reason("signal \(signal)", remark))
    case .timedOut(let limit): return .failed(reason("timed out after \(DurationText.limit(limit))", remark))
    }
  }

  private func reason(_ words: String, _ remark: String?) -> String {
    [words, remark].compactMap(\.self).joined(separator: ": ")
  }
}
