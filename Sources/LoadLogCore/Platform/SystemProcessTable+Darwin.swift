#if canImport(Darwin)
  import LoadLogLibC

  // sysctl(3); there are no namespaces.
  extension SystemProcessTable {
    #if os(macOS)
      static let machineID: String = {
        var id = [UInt8](repeating: 0, count: 16)
        var limit = timespec(tv_sec: 1, tv_nsec: 0)
        guard gethostuuid(&id, &limit) == 0 else { return "" }
        return id.map(\.hexDigits).joined()
      }()
    #else
      // Apps cannot read a machine id. They do not need one: only processes of the device write to a store there. If a
      // backup brings it to another device, the boot id differs.
      static let machineID = "device"
    #endif

    static let bootID: String = {
      var buffer = [UInt8](repeating: 0, count: 64)
      var size = buffer.count
      guard sysctlbyname("kern.bootsessionuuid", &buffer, &size, nil, 0) == 0 else { return "" }
      return String(decoding: buffer.prefix { $0 != 0 }, as: UTF8.self)
    }()

    /// All processes are in one.
    static func namespace(_ kind: String) -> Int64? { 0 }

    static var timeNamespace: Int64? { nil }

    /// When a process started, in microseconds since 1970 here; like ticks, only ever compared raw.
    static func startTicks(of pid: Int32?) -> Int64? {
      information(on: pid ?? getpid()).map { startTicks($0) }
    }

    static func look(at pid: Int32) -> ProcessObservation? {
      guard let found = information(on: pid) else { return nil }
      // A process that exits releases its files some time before it is a zombie.
      if found.kp_proc.p_stat == CChar(SZOMB) || found.kp_proc.p_flag & P_WEXIT != 0 { return .zombie }
      return .present(startTicks: startTicks(found))
    }

    static func startTicks(_ found: kinfo_proc) -> Int64 {
      let start = found.kp_proc.p_un.__p_starttime
      return Int64(start.tv_sec) * 1_000_000 + Int64(start.tv_usec)
    }

    static func information(on pid: Int32) -> kinfo_proc? {
      var name = [CTL_KERN, KERN_PROC, KERN_PROC_PID, pid]
      var found = kinfo_proc()
      var size = MemoryLayout<kinfo_proc>.size
      guard sysctl(&name, 4, &found, &size, nil, 0) == 0, size > 0, found.kp_proc.p_pid == pid
      else { return nil }
      return found
    }
  }
#endif
