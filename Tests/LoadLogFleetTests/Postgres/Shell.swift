#if Fleet
  import Foundation
  import LoadLogLibC

  /// Shell scripts that tests run, through popen(3).
  ///
  /// Foundation's `Process` learns of a child's end from a socket that a server, started at the same time, may inherit;
  /// it then waits until that server ends.
  enum Shell {
    struct Failure: Error, CustomStringConvertible {
      let description: String
    }

    /// Runs a script, and returns what it writes to standard output.
    ///
    /// - Throws: `Failure` if it does not exit with 0.
    @discardableResult
    static func run(_ script: String) throws -> String {
      let stream = try start(script, "re")
      var output: [UInt8] = []
      while case let byte = fgetc(stream), byte != EOF { output.append(UInt8(byte)) }
      let text = String(decoding: output, as: UTF8.self)
      guard pclose(stream) == 0 else { throw Failure(description: "failed: \(script)\n\(text)") }
      return text
    }

    /// Starts a script that ends when its input is closed, at the latest with this process.
    static func startUntilInputCloses(_ script: String) throws -> OpaqueStream {
      let closing = #"for fd in $(ls /proc/$$/fd); do [ "$fd" -le 2 ] || eval "exec $fd>&-"; done"#
      return OpaqueStream(try start(closing + "\n" + script, "we"))
    }

    /// A text in quotes.
    static func quoted(_ text: String) -> String { "'" + text.replacing("'", with: #"'\''"#) + "'" }

    /// The input of a started script. Closes it, and waits for the end of the script, when it is released.
    final class OpaqueStream: Sendable {
      // Used again only when the last reference is gone.
      nonisolated(unsafe) private let stream: UnsafeMutablePointer<FILE>

      fileprivate init(_ stream: UnsafeMutablePointer<FILE>) { self.stream = stream }

      deinit { pclose(stream) }
    }

    private static func start(_ script: String, _ mode: String) throws -> UnsafeMutablePointer<FILE> {
      // The threads of the cooperative pool block signals, and a child inherits that: dash would wait forever.
      var none = sigset_t()
      var usual = sigset_t()
      sigemptyset(&none)
      pthread_sigmask(SIG_SETMASK, &none, &usual)
      defer { pthread_sigmask(SIG_SETMASK, &usual, nil) }
      // Only bash closes descriptors above 9. A script that stops a server at its end must survive the group of the tests.
      guard let stream = popen("exec setsid bash -ec \(quoted(script))", mode) else {
        throw Failure(description: "popen: \(String(cString: strerror(errno)))")
      }
      return stream
    }
  }
#endif
