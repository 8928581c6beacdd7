package import Foundation

/// The programs that were built with the tests.
package enum BuiltPrograms {
  /// The folder of the programs.
  package static let folder: URL = {
    // On Linux the test program is in the folder of the other programs; on Darwin the test bundle is.
    let bundle = Bundle.allBundles.map(\.bundleURL).first { $0.pathExtension == "xctest" }
    let program = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    return (bundle ?? program).deletingLastPathComponent()
  }()
}
