import ArgumentParser
import LoadLog
@testable import LoadLogCLI
import LoadLogCore
import Testing

@Suite struct OutputRingTests {
  /// The last bytes of a text by the rule itself: from the beginning of a line if one begins there.
  private func end(of bytes: [UInt8], _ limit: Int) -> [UInt8] {
    guard bytes.count > limit else { return bytes }
    let window = bytes.suffix(limit)
    if bytes[window.startIndex - 1] == 0x0A { return Array(window) }
    guard let newline = window.firstIndex(of: 0x0A), newline + 1 < window.endIndex else {
      return Array(window)
    }
    return Array(window[(newline + 1)...])
  }

  @Test(arguments: [1, 2, 3, 7, 64])
  func theEndIsKeptFromTheBeginningOfALine(limit: Int) {
    var random = SystemRandomNumberGenerator()
    for length in 0..<200 {
      let bytes = (0..<length).map { _ in
        Int.random(in: 0..<5, using: &random) == 0 ? 0x0A : UInt8.random(in: 0...255)
      }
      var ring = OutputRing(limit)
      var rest = bytes[...]
      while !rest.isEmpty {
        let part = rest.prefix(Int.random(in: 1...90, using: &random))
        Array(part).withUnsafeBytes { ring.append($0) }
        rest = rest.dropFirst(part.count)
      }
      #expect(ring.kept == KeptOutput(total: Int64(length), bytes: end(of: bytes, limit)), "\(bytes)")
    }
  }

  @Test(
    arguments: [
      ("1", 1), ("500", 500), ("500B", 500), ("100k", 100_000), ("100kB", 100_000), ("100 kB", 100_000),
      ("1.5M", 1_500_000), ("10M", 10_000_000), ("10MB", 10_000_000), ("512 bytes", 512),
    ])
  func sizesAreDecimal(text: String, bytes: Int) throws {
    #expect(try KeptSize(text).bytes == bytes)
  }

  @Test(arguments: ["", "0", "10.1M", "1G", "-1", "k", "1kk", "1e3", "1 k B", "٣"])
  func otherSizesAreRefused(text: String) {
    #expect(throws: ValidationError.self) { try KeptSize(text) }
  }

  @Test func theLastLinesAreFound() {
    let output = KeptOutput(total: 99, bytes: Array("one\ntwo\n\nfour".utf8))
    func tail(_ lines: Int, _ limit: Int = .max) -> String {
      String(decoding: output.tail(lines: lines, limit: limit).bytes, as: UTF8.self)
    }
    #expect(tail(1) == "four")
    #expect(tail(2) == "\nfour")
    #expect(tail(3) == "two\n\nfour")
    #expect(tail(9) == "one\ntwo\n\nfour" && tail(.max) == tail(9))
    #expect(tail(3, 6) == "\nfour")
    #expect(tail(1, 2) == "ur")
    #expect(KeptOutput(total: 0, bytes: []).tail(lines: 3) == KeptOutput(total: 0, bytes: []))
  }

  @Test func linesOfAnExportFitIntoTheImport() {
    let text = String(repeating: "añ😀\n", count: 150_000)
    let output = KeptOutput(total: 2_000_000, bytes: Array(text.utf8))
    let lines = OutputLine.lines(of: output, id: SessionID())
    #expect(lines.count > 1 && lines.allSatisfy { $0.bytes.count <= OutputLine.mostBytes })
    #expect(lines.flatMap(\.bytes) == output.bytes)
    #expect(lines.allSatisfy { String(validating: $0.bytes, as: UTF8.self) != nil })
    #expect(OutputLine.lines(of: KeptOutput(total: 0, bytes: []), id: SessionID()).count == 1)
  }
}
