import LoadLogCore
import LoadLogLibC
import LoadLogSQLite
import Testing

/// An image of a fleet's rows, which is on this machine.
@Suite struct StoreImageTests {
  #if os(Linux)
    // Only a process of its own may limit its files.
    @Test func aTemporaryFileThatCannotGrowIsNoFaultOfTheFleet() async {
      await #expect(processExitsWith: .success) {
        signal(SIGXFSZ, SIG_IGN)
        var limit = rlimit()
        getrlimit(.init(RLIMIT_FSIZE.rawValue), &limit)
        limit.rlim_cur = 1 << 20
        setrlimit(.init(RLIMIT_FSIZE.rawValue), &limit)
        let note = String(repeating: "x", count: 1 << 20)
        // More than an image keeps in memory.
        let rows: [[ShippedValue]] = (0..<48).map { _ in
          [.uuid(SessionID()), .integer(0), .text("ann"), .text(note), .integer(0)]
        }
        let error = #expect(throws: LoadLogError.self) { try StoreImage().add(rows, to: .acknowledgement) }
        #expect(error?.code == .io && error?.what == "cannot write a temporary file" && error?.path == nil)
        #expect(error?.advice == "Free some space, or name another folder in $SQLITE_TMPDIR.")
      }
    }
  #endif
}
