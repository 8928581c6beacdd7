#if !canImport(Darwin)
  import LoadLogLibC

  // proc(5), namespaces(7).
  extension SystemProcessTable {
    static let machineID = SystemFile.line("/etc/machine-id") ?? ""
    static let bootID = SystemFile.line("/proc/sys/kernel/random/boot_id") ?? ""

    static func namespace(_ kind: String) -> Int64? {
      FileID(path: "/proc/self/ns/\(kind)")?.storedInode
    }

    /// The time namespace's inode in the lower 32 bits, and the offset of its boot clock in seconds above them. The inode
    /// alone is not enough: when a namespace is gone, a new one with another clock may get its inode.
    static var timeNamespace: Int64? {
      guard let inode = namespace("time") else { return nil }
      let lines = (SystemFile.bytes("/proc/self/timens_offsets") ?? []).split(separator: 0x0A)
      let words = lines.last?.split(separator: 0x20).map { String(decoding: $0, as: UTF8.self) } ?? []
      guard words.count == 3, let seconds = Int64(words[1]) else { return inode }
      return inode ^ (seconds & 0x7FFF_FFFF) << 32
    }

    /// The start ticks of a process; of the calling process if `pid` is nil, since `/proc/self` is right in any pid
    /// namespace.
    static func startTicks(of pid: Int32?) -> Int64? {
      if pid != nil, !procShowsThisNamespace { return nil }
      let folder = pid.map { "\($0)" } ?? "self"
      return stat("/proc/\(folder)")?.startTicks
    }

    static func look(at pid: Int32) -> ProcessObservation? {
      guard procShowsThisNamespace else { return nil }
      return stat("/proc/\(pid)")?.observation {
        SystemFile.numbers(in: "/proc/\(pid)/task").compactMap { stat("/proc/\(pid)/task/\($0)") }
      }
    }

    private static func stat(_ folder: String) -> ProcessStat? {
      SystemFile.bytes(folder + "/stat").flatMap(ProcessStat.init)
    }

    /// Whether /proc numbers processes as kill(2) does here. In a pid namespace that did not mount its
    /// own /proc, `/proc/PID` is some other process, and its start ticks would be a false proof.
    static var procShowsThisNamespace: Bool {
      guard SystemFile.link("/proc/self") == "\(getpid())" else { return false }
      // In an outer namespace the process could have the same pid by chance; then NSpid has two or more numbers.
      guard let status = SystemFile.bytes("/proc/self/status") else { return true }
      let name = Array("NSpid:".utf8)
      let line = status.split(separator: 0x0A).first { $0.starts(with: name) }
      guard let line else { return true }
      return line.dropFirst(name.count).split { $0 <= 0x20 }.count == 1
    }
  }
#endif
