/// One line of `/proc/PID/stat`, as far as LoadLog needs it (proc_pid_stat(5)).
struct ProcessStat: Equatable {
  /// Field 2, without its parentheses: the first 15 bytes of the program's name.
  let name: String
  /// Field 3.
  let state: UInt8
  /// Field 4.
  let parent: Int32
  /// Field 9, of which one bit counts: a thread that ends sets it before it lets go of its files, and never runs the
  /// program again (PF_EXITING in the kernel's include/linux/sched.h).
  let isEnding: Bool
  /// Field 20: how many threads are left.
  let threads: Int64
  /// Field 22: when it started, in clock ticks since boot.
  let startTicks: Int64

  /// Reads the line; nil if it is not one. The name may hold spaces and parentheses, so it ends at the
  /// *last* closing one.
  init?(_ line: [UInt8]) {
    guard let open = line.firstIndex(of: UInt8(ascii: "(")),
      let close = line.lastIndex(of: UInt8(ascii: ")")), open < close
    else { return nil }
    let fields = line[(close + 1)...].split { $0 == 0x20 || $0 == 0x0A }
    // The first of these is field 3.
    guard fields.count > 19, fields[0].count == 1, let state = fields[0].first,
      let parent = Int32(String(decoding: fields[1], as: UTF8.self)),
      let flags = UInt64(String(decoding: fields[6], as: UTF8.self)),
      let threads = Int64(String(decoding: fields[17], as: UTF8.self)),
      let startTicks = Int64(String(decoding: fields[19], as: UTF8.self))
    else { return nil }
    name = String(decoding: line[(open + 1)..<close], as: UTF8.self)
    self.state = state
    self.parent = parent
    isEnding = flags & 0x4 != 0
    self.threads = threads
    self.startTicks = startTicks
  }

  /// What it shows of the process: a zombie when the last thread has ended, or has begun to, and cannot come back.
  /// What a process that was killed holds is let go some time before it is gone: it must not be taken for one that
  /// lives and has let go of it. A process whose main thread alone has ended is in state Z too, and lives.
  ///
  /// - Parameter threads: reads the lines of all its threads; asked only if it matters.
  func observation(threads others: () -> [ProcessStat]) -> ProcessObservation {
    if state == UInt8(ascii: "X") || state == UInt8(ascii: "x") { return .gone }
    let hasEnded = isEnding || state == UInt8(ascii: "Z")
    guard hasEnded, threads > 1 else { return hasEnded ? .zombie : .present(startTicks: startTicks) }
    let others = others()
    return !others.isEmpty && others.allSatisfy(\.isEnding) ? .zombie : .present(startTicks: startTicks)
  }
}
