import CLoadLogCLI
import Foundation
import LoadLog
import LoadLogCore

/// What happens to the output of a command, besides reaching the caller.
struct OutputPlan {
  /// Whether to find the line of standard error that explains a failure.
  var keepsErrorLine = false
  /// The number of bytes to keep of the end of both streams; nil for none.
  var kept: Int?
  /// Whether the output appears only if the command fails.
  var isHeld = false

  /// The command's streams that pass through this process.
  var streams: [Int32] {
    kept != nil || isHeld ? [STDOUT_FILENO, STDERR_FILENO] : keepsErrorLine ? [STDERR_FILENO] : []
  }
}

/// Passes a command's output on, and keeps what the plan wants of it.
final class CommandOutput {
  /// A stream of the command.
  private struct Channel {
    let stream: Int32
    var reader: Int32
    var writer: Int32
    let sink: OutputSink
    /// The number of bytes to read before the channel rests; nil while the command runs.
    var rest: Int?

    /// Whether to read from it now. What the caller's stream has not taken yet comes first.
    var isRead: Bool { reader >= 0 && !sink.isPending && rest != 0 }
  }

  private var channels: [Channel] = []
  private var buffer = [UInt8](repeating: 0, count: 1 << 17)
  private var lines: ErrorLine?
  private var ring: OutputRing?
  private var held: HeldOutput?
  /// What was held back, and is passed on now, before anything else is read.
  private var released: HeldOutput?

  /// Makes pipes for the streams; nil if none passes through this process, or there is no file descriptor left.
  init?(_ plan: OutputPlan) {
    for stream in plan.streams {
      guard let pipe = Pipe.closingOnExec() else { break }
      _ = fcntl(pipe.reader, F_SETFL, O_NONBLOCK)
      Pipe.enlarge(pipe.reader)
      channels.append(
        Channel(stream: stream, reader: pipe.reader, writer: pipe.writer, sink: OutputSink(stream)))
    }
    guard !channels.isEmpty, channels.count == plan.streams.count else {
      for channel in channels { [channel.reader, channel.writer].forEach { close($0) } }
      return nil
    }
    lines = plan.keepsErrorLine ? ErrorLine() : nil
    ring = plan.kept.map { OutputRing($0) }
    held = plan.isHeld ? HeldOutput() : nil
  }

  deinit { for channel in channels where channel.reader >= 0 { close(channel.reader) } }

  /// The line of the command's standard error that explains a failure best, if it is wanted.
  var errorLine: String? { lines?.text }
  /// The end of the output, if it is kept.
  var kept: KeptOutput? { ring?.kept }
  /// The number of bytes that the command wrote so far, if its output is kept.
  var total: Int64? { ring?.total }
  /// Why not all of the command's standard output could be passed on; nil if all was, or its reader wanted no more.
  var loss: OutputError? {
    let error = channels.first { $0.stream == STDOUT_FILENO }?.sink.error
    return error?.isReaderGone == true ? nil : error
  }
  /// Whether a line of output stands on the caller's stream without its end.
  var isInLine: Bool { held == nil && channels.contains { $0.sink.isInLine } }

  /// The file that the command gets for one of its streams; nil to inherit it.
  func file(for stream: Int32) -> Int32? { channels.first { $0.stream == stream }?.writer }

  /// Closes this process's copies of the writing ends; the command has its own.
  func closeWriters() {
    for index in channels.indices {
      close(channels[index].writer)
      channels[index].writer = -1
    }
  }

  /// The files to poll: for each stream its reader, and the caller's stream if bytes wait for it. Negative ones are
  /// skipped.
  var files: [pollfd] {
    channels.flatMap { channel in
      let isRead = channel.isRead && released == nil
      return [
        pollfd(fd: isRead ? channel.reader : -1, events: Int16(POLLIN), revents: 0),
        pollfd(fd: channel.sink.isPending ? channel.sink.file : -1, events: Int16(POLLOUT), revents: 0),
      ]
    }
  }

  /// Passes on what the files that were polled have.
  func pump(_ files: ArraySlice<pollfd>) {
    for (index, file) in files.enumerated() where file.revents != 0 {
      if index % 2 == 1 { channels[index / 2].sink.flush() } else { read(index / 2) }
    }
    if canPass { passReleased() }
    for index in channels.indices { closeIfBroken(index) }
  }

  /// Prepares to pass on only what the pipes hold now: processes that the command left behind may write forever.
  func limitToPresent() {
    for index in channels.indices where channels[index].reader >= 0 {
      channels[index].rest = Int(loadlog_waiting_bytes(channels[index].reader))
    }
  }

  /// Whether something is left to pass on.
  var isBusy: Bool { released != nil || channels.contains { $0.isRead || $0.sink.isPending } }

  /// Whether there is something to pass on before anything is read, and no stream that must take more first.
  var canPass: Bool { released != nil && !channels.contains { $0.sink.isPending } }

  /// Lets what was held back appear, piece by piece.
  func release() { (held, released) = (nil, held) }

  /// Gives up what was released and has not been passed on.
  func dropReleased() { released = nil }

  /// Passes on one piece: signals and the time limit come between two.
  private func passReleased() {
    guard let (bytes, stream) = released?.next() else { return dropReleased() }
    for channel in channels where channel.stream == stream {
      bytes.withUnsafeBytes { channel.sink.write($0) }
    }
  }

  /// Leaves the streams to a process of their own if processes that the command left behind may still write to them:
  /// they would be killed if no process read on. What they write no longer appears if output is still held back.
  func leaveToBackground() {
    let open = channels.filter { channel in
      var file = pollfd(fd: channel.reader, events: Int16(POLLIN), revents: 0)
      return channel.reader >= 0 && poll(&file, 1, 0) >= 0 && file.revents & Int16(POLLHUP) == 0
    }
    guard !open.isEmpty else { return }
    loadlog_copy_in_background(
      open.map(\.reader), open.map { held == nil ? $0.stream : -1 }, Int32(open.count))
  }

  private func read(_ index: Int) {
    // The other stream may have released what was held back after this one was polled.
    guard released == nil else { return }
    let channel = channels[index]
    let most = min(buffer.count, channel.rest ?? .max)
    let count = Foundation.read(channel.reader, &buffer, most)
    if count < 0, errno == EAGAIN || errno == EINTR { return }
    guard count > 0 else { return end(index) }
    if let rest = channel.rest { channels[index].rest = rest - count }
    buffer.withUnsafeBytes { all in
      let bytes = UnsafeRawBufferPointer(rebasing: all[..<count])
      if channel.stream == STDERR_FILENO { lines?.append(bytes) }
      ring?.append(bytes)
      guard let held else { return channel.sink.write(bytes) }
      do throws(OutputError) {
        try held.hold(bytes, of: channel.stream)
      } catch {
        let folder = VisibleText.quoted(UnnamedFile.usualFolder)
        Output.note("cannot hold the output back in \(folder): \(String(cString: strerror(error.number))).")
        release()
      }
    }
  }

  /// Closes the command's stream if the reader of the caller's has gone, so that the command meets that, too. Another
  /// error, such as that of a full disk, most commands survive; what they write is still kept.
  private func closeIfBroken(_ index: Int) {
    guard channels[index].sink.error?.isReaderGone == true, channels[index].reader >= 0 else { return }
    end(index)
  }

  private func end(_ index: Int) {
    close(channels[index].reader)
    channels[index].reader = -1
  }
}

extension Pipe {
  /// Makes a pipe hold as much as the system allows without privileges, so that a command that writes much waits less.
  fileprivate static func enlarge(_ file: Int32) {
    #if os(Linux)
      _ = fcntl(file, 1031, 1 << 20)  // F_SETPIPE_SZ, which Swift does not see
    #endif
  }
}
