import Foundation
import LoadLog

/// Output that appears only if the command fails: in memory, and what is more in a temporary file without a name.
final class HeldOutput {
  private static let mostBytes = 1 << 20
  private static let headLength = 9
  /// Pieces, each after its stream and its length.
  private var bytes: [UInt8] = []
  private var file: Int32 = -1
  /// How many bytes of the file, or once that is closed of those in memory, have been taken out.
  private var taken = 0

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

  /// Takes out the next piece, in the order in which they came; nil if nothing is left. Nothing is held from then on.
  func next() -> (bytes: [UInt8], stream: Int32)? {
    while true {
      if let head = take(Self.headLength), let piece = take(Self.length(in: head)) {
        return (piece, Int32(head[0]))
      }
      guard file >= 0 else { return nil }
      close(file)
      (file, taken) = (-1, 0)
    }
  }

  /// The next bytes in the file, or once that is closed in memory; nil if there are not as many.
  private func take(_ count: Int) -> [UInt8]? {
    var part: [UInt8]
    if file >= 0 {
      part = [UInt8](repeating: 0, count: count)
      guard pread(file, &part, count, off_t(taken)) == count else { return nil }
    } else {
      guard bytes.count - taken >= count else { return nil }
      part = Array(bytes[taken..<taken + count])
    }
    taken += count
    return part
  }

  private static func length(in head: [UInt8]) -> Int {
    head.withUnsafeBytes { Int(UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: 1, as: UInt64.self))) }
  }
}
