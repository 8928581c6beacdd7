import LoadLogCore

/// The owner that a `lock_holder` describes in its output.
struct HeldLock {
  struct UnknownAnswer: Error {}

  let owner: Owner

  /// - Parameters:
  ///   - line: Its output: pid, start ticks, pid and time namespace.
  ///   - path: The locked file.
  init(_ line: String, at path: String) throws {
    let numbers = line.split(separator: " ").compactMap { Int64($0) }
    let parts = path.split(separator: "/")
    guard numbers.count == 4, let name = parts.last, let id = FileID(path: path) else {
      throw UnknownAnswer()
    }
    var process = SystemProcessTable().current
    process.pid = Int32(numbers[0])
    process.startTicks = numbers[1]
    process.pidNamespace = numbers[2]
    process.timeNamespace = numbers[3]
    let lock = Owner.Lock(name: String(name), inode: id.storedInode)
    owner = Owner(kind: .library, process: process, host: "", app: "holder", lock: lock)
  }
}
