import ArgumentParser
import LoadLog

/// The exit code of a command that did not return normally, and the text to print before it exits.
struct Ending {
  static let done: Int32 = 0
  /// A check failed, or there was nothing to finish or pop.
  static let refused: Int32 = 1
  static let usage: Int32 = 2
  static let store: Int32 = 3
  static let busy: Int32 = 4
  static let io: Int32 = 5
  static let damaged: Int32 = 6

  let code: Int32
  /// One line for standard error.
  var complaint: String?
  /// Help, a version or a completion script, for standard output.
  var page: String?

  /// Maps an error to an exit code and a text.
  init(of error: any Error) {
    switch error {
    case let error as LoadLogError:
      code = Self.code(of: error.code)
      complaint = error.description
    case let error as OutputError:
      code = error.isBrokenPipe ? Self.done : Self.io
      complaint = error.isBrokenPipe ? nil : error.description
    case let error as ExitCode:
      code = error.rawValue
    case _ where LoadLogCommand.exitCode(for: error) == .success:
      code = Self.done
      page = LoadLogCommand.fullMessage(for: error)
    default:
      code = Self.usage
      let message = LoadLogCommand.message(for: error)
      complaint = VisibleText.line(message.replacing("\n  - ", with: " ").replacing("\n", with: " "))
    }
  }

  /// Prints the text.
  ///
  /// - Returns: the exit code.
  func announce() -> Int32 {
    if let complaint { Output.note(complaint) }
    guard let page else { return code }
    do {
      try Output.write(page + "\n")
      return code
    } catch {
      return Ending(of: error).announce()
    }
  }

  /// The exit code for an error code of the library.
  static func code(of code: LoadLogError.Code) -> Int32 {
    switch code {
    case .notFound: refused
    case .invalidInput, .ambiguousID: usage
    case .storeMissing, .storeUnusable, .notLoadLog, .newerStore, .storeCopied, .fleetUnusable: store
    case .busy: busy
    case .damaged: damaged
    default: io
    }
  }
}
