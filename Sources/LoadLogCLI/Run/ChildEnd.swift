import Foundation
import LoadLog

/// How a command ended.
enum ChildEnd: Hashable {
  case exited(Int32)
  case signalled(Int32)

  /// Reads what `waitpid` reports of a process that has ended.
  init(waitStatus status: Int32) {
    let signal = status & 0x7F
    self = signal == 0 ? .exited(status >> 8 & 0xFF) : .signalled(signal)
  }

  /// The exit code that passes it on, as a shell's would.
  var exitCode: Int32 {
    switch self {
    case .exited(let code): code
    case .signalled(let signal): 128 + signal
    }
  }

  /// The verdict on the load.
  ///
  /// - Parameters:
  ///   - unchangedExit: the exit code by which the command says that there was nothing new.
  ///   - remark: follows the code or signal in the reason.
  func verdict(unchangedExit: Int32? = nil, remark: String? = nil) -> Verdict {
    switch self {
    case .exited(let code) where code == unchangedExit: return .unchanged(remark)
    case .exited(0): return .succeeded(remark)
    case .exited(let code): return .failed(reason("exit \(code)", remark))
    case .signalled(SIGINT): return .cancelled(reason("interrupted", remark))
    case .signalled(let signal): return .failed(reason("signal \(signal)", remark))
    }
  }

  private func reason(_ words: String, _ remark: String?) -> String {
    [words, remark].compactMap(\.self).joined(separator: ": ")
  }
}
