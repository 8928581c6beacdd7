#if Server
  import CZlib
#endif
import LoadLog
import LoadLogCLI

/// Unpacks bodies.
enum Gzip {
  #if Server
    private static let piece = 1 << 16

    /// The content of a file that gzip has packed, as another file. Like gzip, it unpacks all parts of a file that was put
    /// together from several packed ones.
    ///
    /// - Parameters:
    ///   - file: the packed content.
    ///   - most: the greatest number of bytes of the result.
    /// - Throws: `invalidInput` if it is damaged, incomplete or too long; `io`.
    static func unpacked(_ file: TemporaryFile, most: Int) throws(LoadLogError) -> TemporaryFile {
      let result = try TemporaryFile()
      var stream = z_stream()
      guard loadlog_inflate_init(&stream) == Z_OK else { throw refusal("there is no memory to unpack it") }
      defer { inflateEnd(&stream) }
      var input = try file.bytes()
      let outcome = input.withUnsafeMutableBufferPointer { input in
        Result { () throws(LoadLogError) in
          stream.next_in = input.baseAddress
          stream.avail_in = UInt32(input.count)
          try inflate(&stream, into: result, most)
        }
      }
      try outcome.get()
      return result
    }

    private static func inflate(
      _ stream: inout z_stream, into result: TemporaryFile, _ most: Int
    ) throws(LoadLogError) {
      var output = [UInt8](repeating: 0, count: piece)
      var (status, total) = (Z_OK, 0)
      while status != Z_STREAM_END || stream.avail_in > 0 {
        if status == Z_STREAM_END { inflateReset(&stream) }
        let count = output.withUnsafeMutableBufferPointer { output in
          stream.next_out = output.baseAddress
          stream.avail_out = UInt32(output.count)
          status = CZlib.inflate(&stream, Z_NO_FLUSH)
          return output.count - Int(stream.avail_out)
        }
        guard status == Z_OK || status == Z_STREAM_END else { throw refusal("it is damaged or incomplete") }
        total += count
        guard total <= most else { throw refusal("unpacked it is longer than \(most) bytes") }
        try result.append(output[..<count])
      }
    }
  #else
    static func unpacked(_ file: TemporaryFile, most: Int) throws(LoadLogError) -> TemporaryFile {
      throw refusal("this program was built without gzip")
    }
  #endif

  private static func refusal(_ why: String) -> LoadLogError {
    LoadLogError(.invalidInput, what: "the body", why: why)
  }
}
