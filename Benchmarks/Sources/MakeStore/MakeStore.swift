import Foundation
import LoadLog

/// Makes a store with any number of loads over 365 days. The same arguments always make the same loads.
///
///     make-store PATH LOADS [--feeds NUMBER] [--without-failures]
///
/// There are 100 feeds unless `--feeds` says otherwise. With `--without-failures`, loads that would fail succeed.
@main
struct MakeStore {
  static func main() throws {
    var arguments = CommandLine.arguments.dropFirst()
    guard let path = arguments.popFirst(), let loads = positive(arguments.popFirst()) else { refuse() }
    var (feeds, hasFailures) = (100, true)
    while let option = arguments.popFirst() {
      switch option {
      case "--feeds":
        guard let number = positive(arguments.popFirst()) else { refuse() }
        feeds = number
      case "--without-failures": hasFailures = false
      default: refuse()
      }
    }
    guard !FileManager.default.fileExists(atPath: path) else {
      FileHandle.standardError.write(Data("make-store: \(path) already exists\n".utf8))
      exit(1)
    }
    var maker = try StoreMaker(path: path, loads: loads, feeds: feeds, hasFailures: hasFailures)
    try maker.run()
  }

  private static func positive(_ argument: String?) -> Int? {
    argument.flatMap(Int.init).flatMap { $0 > 0 ? $0 : nil }
  }

  private static func refuse() -> Never {
    let usage = "Usage: make-store PATH LOADS [--feeds NUMBER] [--without-failures]\n"
    FileHandle.standardError.write(Data(usage.utf8))
    exit(2)
  }
}
