import LoadLogLibC

/// The facts about one process that ``OwnerInference`` needs.
struct ProcessFacts: Sendable, Equatable {
  /// The pid of its parent; 0 if that is outside the pid namespace.
  var parent: Int32
  /// The path of its program; nil if it may not be read, as with a program of another user.
  var executable: String?
  /// The system's short name of the process, which is available even if the path is not.
  var shortName: String
  /// Its arguments, the first being the program's name.
  var arguments: [String]
  /// Its working directory, or nil.
  var workingDirectory: String?
  /// The files at the descriptors where shells keep the script they read: 255 in bash, 10 in dash.
  var scriptFiles: [String] = []

  /// The program's name without its folder. For a multi-call program (busybox), the name by which it was called.
  var program: String {
    let name = executable.map(Self.lastComponent) ?? shortName
    guard ["busybox", "toybox", "coreutils"].contains(name), let called = arguments.first else {
      return name
    }
    let applet = Self.lastComponent(called)
    return applet == name && arguments.count > 1 ? arguments[1] : applet
  }

  /// The arguments after the program's name (and after an applet's name).
  var operands: ArraySlice<String> {
    let isAppletByName =
      arguments.count > 1 && arguments[1] == program
      && executable.map(Self.lastComponent) == arguments.first.map(Self.lastComponent)
      && executable.map(Self.lastComponent) != program
    return arguments.dropFirst(isAppletByName ? 2 : 1)
  }

  static func lastComponent(_ path: String) -> String {
    // Linux appends this to the path of a program whose file was replaced while it is running.
    let deleted = " (deleted)"
    let path = path.hasSuffix(deleted) ? String(path.dropLast(deleted.count)) : path
    return path.split(separator: "/").last.map(String.init) ?? path
  }
}

#if os(macOS)
  extension ProcessFacts {
    /// Reads the facts of a process; nil if it is gone or may not be examined.
    static func read(_ pid: Int32) -> ProcessFacts? {
      var info = proc_bsdinfo()
      let size = Int32(MemoryLayout<proc_bsdinfo>.size)
      guard proc_pidinfo(pid, PROC_PIDTBSDINFO, 0, &info, size) == size else { return nil }
      var path = [CChar](repeating: 0, count: 4 * Int(MAXPATHLEN))
      let length = proc_pidpath(pid, &path, UInt32(path.count))
      let executable = length > 0 ? text(path) : nil
      let name = executable.map(lastComponent) ?? ""
      return ProcessFacts(
        parent: Int32(clamping: info.pbi_ppid), executable: executable, shortName: name,
        arguments: arguments(of: pid), workingDirectory: workingDirectory(of: pid))
    }

    /// KERN_PROCARGS2: the number of arguments, the program's path, padding, the arguments.
    private static func arguments(of pid: Int32) -> [String] {
      var name = [CTL_KERN, KERN_PROCARGS2, pid]
      var size = 0
      guard sysctl(&name, 3, nil, &size, nil, 0) == 0, size > 4 else { return [] }
      var bytes = [UInt8](repeating: 0, count: size)
      guard sysctl(&name, 3, &bytes, &size, nil, 0) == 0, size > 4 else { return [] }
      let count = bytes[..<4].reversed().reduce(0) { $0 << 8 | Int($1) }
      let rest = bytes[4..<size].drop { $0 != 0 }.drop { $0 == 0 }
      return rest.split(separator: 0, omittingEmptySubsequences: false).prefix(count)
        .map { String(decoding: $0, as: UTF8.self) }
    }

    private static func workingDirectory(of pid: Int32) -> String? {
      var info = proc_vnodepathinfo()
      let size = Int32(MemoryLayout<proc_vnodepathinfo>.size)
      guard proc_pidinfo(pid, PROC_PIDVNODEPATHINFO, 0, &info, size) == size else { return nil }
      return withUnsafeBytes(of: info.pvi_cdir.vip_path) { raw in
        String(decoding: raw.prefix { $0 != 0 }, as: UTF8.self)
      }
    }

    private static func text(_ characters: [CChar]) -> String {
      String(decoding: characters.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
  }
#elseif canImport(Darwin)
  extension ProcessFacts {
    /// Apps cannot examine other processes on these systems, and there is no command line.
    static func read(_ pid: Int32) -> ProcessFacts? { nil }
  }
#else
  extension ProcessFacts {
    /// Reads the facts of a process; nil if it is gone or may not be examined.
    static func read(_ pid: Int32) -> ProcessFacts? {
      guard pid > 0, SystemProcessTable.procShowsThisNamespace,
        let stat = SystemFile.bytes("/proc/\(pid)/stat").flatMap(ProcessStat.init)
      else { return nil }
      let line = SystemFile.bytes("/proc/\(pid)/cmdline") ?? []
      let arguments = line.split(separator: 0, omittingEmptySubsequences: false)
        .map { String(decoding: $0, as: UTF8.self) }
      return ProcessFacts(
        parent: stat.parent, executable: SystemFile.link("/proc/\(pid)/exe"), shortName: stat.name,
        // Each argument ends in NUL, which leaves an empty piece behind the last.
        arguments: arguments.last == "" ? arguments.dropLast() : arguments,
        workingDirectory: SystemFile.link("/proc/\(pid)/cwd"),
        scriptFiles: [255, 10].compactMap { SystemFile.link("/proc/\(pid)/fd/\($0)") })
    }
  }
#endif
