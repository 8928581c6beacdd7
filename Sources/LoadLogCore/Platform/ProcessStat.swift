/// One line of `/proc/PID/stat`, as far as LoadLog needs it (proc_pid_stat(5)).
struct ProcessStat: Equatable {
  /// Field 2, without its parentheses: the first 15 bytes of the program's name.
  let name: String
  /// Field 3.
  let state: UInt8
  /// Field 4.
  let parent: Int32
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
      let threads = Int64(String(decoding: fields[17], as: UTF8.self)),
      let startTicks = Int64(String(decoding: fields[19], as: UTF8.self))
    else { return nil }
    name = String(decoding: line[(open + 1)..<close], as: UTF8.self)
    self.state = state
    self.parent = parent
    self.threads = threads
    self.startTicks = startTicks
  }

  /// What it shows of the process: a zombie only when the last thread is gone. A process whose main
  /// thread alone has ended is in state Z too, and lives.
  var observation: ProcessObservation {
    switch state {
    case UInt8(ascii: "Z") where threads <= 1: .zombie
    case UInt8(ascii: "X"), UInt8(ascii: "x"): .gone
    default: .present(startTicks: startTicks)
    }
  }
}
