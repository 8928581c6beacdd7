import Foundation
import LoadLog

/// Output that appears only if the command fails: in memory, and what is more in a temporary file without a name.
final class HeldOutput {
  private static let mostBytes = 1 << 20
  private static let headLength = 9
  /// Pieces, each after its stream and its length.
  private var bytes: [UInt8] = []
  private var file: Int32 = -1

  deinit { if file >= 0 { close(file) } }

  /// Holds output back.
  ///
  /// - Throws: if there is no room for it. It is held all the same.
  func hold(_ piece: UnsafeRawBufferPointer, of stream: Int32) throws(OutputError) {
    bytes.append(UInt8(stream))
    withUnsafeBytes(of: UInt64(piece.count).littleEndian) { bytes.append(contentsOf: $0) }
    bytes.append(contentsOf: piece)
    guard bytes.count > Self.mostBytes else { return }
    if file < 0 { file = try UnnamedFile.make() }
    let end = lseek(file, 0, SEEK_END)
    do throws(OutputError) {
      try Output.write(bytes, to: file)
      bytes.removeAll(keepingCapacity: true)
    } catch {
      // Part of it may be in the file.
      ftruncate(file, end)
      throw error
    }
  }

  /// Passes on all that was held back, in its order, until `pass` returns false. Nothing is held any more then.
  func release(_ pass: (UnsafeRawBufferPointer, _ stream: Int32) -> Bool) {
    defer { bytes = [] }
    if file >= 0 {
      lseek(file, 0, SEEK_SET)
      var buffer: [UInt8] = []
      var part = [UInt8](repeating: 0, count: Self.mostBytes)
      while true {
        let count = read(file, &part, part.count)
        guard count > 0 else { break }
        buffer += part[..<count]
        guard let used = Self.pieces(of: buffer, pass) else { return }
        buffer.removeFirst(used)
      }
      ftruncate(file, 0)
    }
    _ = Self.pieces(of: bytes, pass)
  }

  /// Passes on the pieces that are complete.
  ///
  /// - Returns: the number of bytes that they took; nil if `pass` returned false.
  private static func pieces(
    of bytes: [UInt8], _ pass: (UnsafeRawBufferPointer, _ stream: Int32) -> Bool
  ) -> Int? {
    var used = 0
    return bytes.withUnsafeBytes { all in
      while all.count - used >= headLength {
        let length = Int(UInt64(littleEndian: all.loadUnaligned(fromByteOffset: used + 1, as: UInt64.self)))
        let start = used + headLength
        guard all.count - start >= length else { break }
        guard pass(UnsafeRawBufferPointer(rebasing: all[start..<start + length]), Int32(all[used])) else {
          return nil
        }
        used = start + length
      }
      return used
    }
  }
}
