import Foundation
package import LoadLog

/// A temporary file without a name, to be written by one caller and then read.
package final class TemporaryFile: Sendable {
  let descriptor: Int32

  /// Makes an empty file.
  ///
  /// - Throws: `io`.
  package init() throws(LoadLogError) {
    do throws(OutputError) {
      descriptor = try UnnamedFile.make()
    } catch {
      throw Self.failure(error.number)
    }
  }

  deinit { close(descriptor) }

  /// Appends bytes.
  ///
  /// - Throws: `io`, such as for a full disk.
  package func append(_ bytes: some Sequence<UInt8>) throws(LoadLogError) {
    do throws(OutputError) {
      try Output.write(Array(bytes), to: descriptor)
    } catch {
      throw Self.failure(error.number)
    }
  }

  /// The whole content.
  ///
  /// - Throws: `io`.
  package func bytes() throws(LoadLogError) -> [UInt8] { try InputFile(self, named: "body").bytes() }

  private static func failure(_ number: Int32) -> LoadLogError {
    LoadLogError(.io, what: "cannot write a temporary file", why: String(cString: strerror(number)))
  }
}
