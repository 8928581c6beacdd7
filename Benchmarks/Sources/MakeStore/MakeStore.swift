import Foundation
import LoadLog

/// Makes a store with any number of loads of 100 feeds over 365 days, the same for the same number.
///
///     make-store PATH SESSIONS
@main
struct MakeStore {
  static func main() throws {
    let arguments = CommandLine.arguments.dropFirst()
    guard arguments.count == 2, let path = arguments.first, let count = arguments.last.flatMap(Int.init),
      count > 0
    else {
      FileHandle.standardError.write(Data("Usage: make-store PATH SESSIONS\n".utf8))
      exit(2)
    }
    guard !FileManager.default.fileExists(atPath: path) else {
      FileHandle.standardError.write(Data("make-store: \(path) is there already\n".utf8))
      exit(1)
    }
    var maker = try StoreMaker(path: path, sessions: count)
    try maker.run()
  }
}
