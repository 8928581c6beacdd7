package import Foundation

/// Files that real programs wrote: clang, Chromium, Playwright and the OpenTelemetry SDK.
///
/// `./dev test` makes new ones, so no test may depend on their exact contents.
package struct RealInput: CustomStringConvertible, Sendable {
  package struct Missing: Error, CustomStringConvertible {
    package let description: String
  }

  /// The name of the file's format, as `--format` takes it.
  package let format: String
  package let name: String

  /// All files. The list is fixed, so that a missing file is an error and not a test with fewer arguments.
  package static let files = [
    RealInput(format: "har", name: "visit.har"),
    RealInput(format: "otlp", name: "document.json"),
    RealInput(format: "otlp", name: "lines.json"),
    RealInput(format: "chrome-trace", name: "clang.json"),
    RealInput(format: "chrome-trace", name: "chromium.json"),
  ]

  package var description: String { "\(format)/\(name)" }

  /// The file's URL.
  ///
  /// - Throws: `Missing`, which says how to make the file.
  package func url() throws -> URL {
    let url = Self.folder.appending(path: description)
    guard FileManager.default.isReadableFile(atPath: url.path) else {
      throw Missing(
        description: "\(url.path) is missing. Run ./dev test, which lets real programs write it, or set "
          + "LOADLOG_REAL_INPUT to a folder that has it.")
    }
    return url
  }

  package func bytes() throws -> [UInt8] { try Array(Data(contentsOf: url())) }

  private static let folder =
    ProcessInfo.processInfo.environment["LOADLOG_REAL_INPUT"]
    .map { URL(filePath: $0) } ?? TestPlaces.package.appending(path: ".build/real-input")
}

/// Paths that tests use and SwiftPM does not build.
package enum TestPlaces {
  /// The folder of Package.swift.
  package static let package = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../..").standardizedFileURL

  /// The script that locks and watches a gate.
  package static let gate = package.appending(path: "Tests/Scripts/gate.py").path

  /// A Python that has the packages of the tests; `./dev test` makes it.
  package static let python =
    ProcessInfo.processInfo.environment["LOADLOG_PYTHON"]
    ?? package.appending(path: ".build-venv/bin/python").path
}
