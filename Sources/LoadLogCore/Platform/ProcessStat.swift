/// The fields of `/proc/PID/stat` that LoadLog needs (proc_pid_stat(5)).
struct ProcessStat: Equatable {
  /// Field 2, without its parentheses: the first 15 bytes of the program's name.
  let name: String
  /// Field 3.
  let state: UInt8
  /// Field 4.
  let parent: Int32
  /// One bit of field 9, PF_EXITING in the kernel's include/linux/sched.h. The kernel sets it when a thread starts to
  /// exit, before it releases the thread's files; the thread never runs its program again.
  let isEnding: Bool
  /// Field 20: the number of remaining threads.
  let threads: Int64
  /// Field 22: when it started, in clock ticks since boot.
  let startTicks: Int64

  /// Parses the line; nil if it has another form. The name may contain spaces and parentheses, so it ends at the *last*
  /// closing parenthesis.
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

  /// The state of the process: a zombie if its last thread has ended or has started to end.
  ///
  /// The kernel releases the locks of a killed process some time before the process is gone. In between it must not be
  /// taken for a living process that released its lock. On the other hand, a process is also in state Z if only its main
  /// thread has ended: that process is alive.
  ///
  /// - Parameter threads: reads the lines of all its threads; called only if they matter.
  func observation(threads others: () -> [ProcessStat]) -> ProcessObservation {
    if state == UInt8(ascii: "X") || state == UInt8(ascii: "x") { return .gone }
    let hasEnded = isEnding || state == UInt8(ascii: "Z")
    guard hasEnded, threads > 1 else { return hasEnded ? .zombie : .present(startTicks: startTicks) }
    let others = others()
    return !others.isEmpty && others.allSatisfy(\.isEnding) ? .zombie : .present(startTicks: startTicks)
  }
}
