// Apple's SQLite calls no function for each new connection.
#if Fleet && !canImport(Darwin)
  import GRDBSQLite
  import LoadLogLibC
  import Synchronization

  /// Kills this process at a statement of a connection to SQLite that it opens later.
  enum StatementTrap {
    enum Side {
      case before, after
    }

    private struct State {
      var side = Side.before
      /// How the statements begin that are still awaited.
      var statements: [String] = []
    }

    private static let state = Mutex(State())

    /// Awaits statements, each after the one before, and kills the process before or after the last one.
    static func set(_ side: Side, _ statements: [String]) {
      state.withLock { $0 = State(side: side, statements: statements) }
      let watch: Extension = { connection, _, _ in
        let events = UInt32(SQLITE_TRACE_STMT | SQLITE_TRACE_PROFILE)
        return sqlite3_trace_v2(
          connection, events,
          { event, _, statement, _ in
            guard let statement, let sql = sqlite3_sql(OpaquePointer(statement)) else { return SQLITE_OK }
            let side = event == UInt32(SQLITE_TRACE_STMT) ? Side.before : .after
            StatementTrap.meet(String(cString: sql), side)
            return SQLITE_OK
          }, nil)
      }
      // SQLite declares the function without its parameters.
      sqlite3_auto_extension(unsafeBitCast(watch, to: (@convention(c) () -> Void).self))
    }

    /// What SQLite calls for each new connection.
    private typealias Extension =
      @convention(c) (
        OpaquePointer?, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, OpaquePointer?
      ) -> Int32

    private static func meet(_ sql: String, _ side: Side) {
      state.withLock { state in
        guard let next = state.statements.first, sql.hasPrefix(next) else { return }
        if state.statements.count > 1 {
          state.statements.removeFirst()
        } else if side == state.side {
          kill(getpid(), SIGKILL)
        }
      }
    }
  }
#endif
