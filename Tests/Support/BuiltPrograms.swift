package import Foundation

/// The programs that were built with the tests.
package enum BuiltPrograms {
  /// Their folder.
  package static let folder: URL = {
    // On Linux the tests are a program of their own beside the others; on Darwin a bundle is.
    let bundle = Bundle.allBundles.map(\.bundleURL).first { $0.pathExtension == "xctest" }
    let program = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    return (bundle ?? program).deletingLastPathComponent()
  }()
}
