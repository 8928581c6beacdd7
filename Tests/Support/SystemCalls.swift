#if canImport(Glibc)
  import Glibc

  /// Calls that Swift does not offer. For exit tests only: there nothing else runs in the process.
  package enum SystemCalls {
    /// Runs `body` in a forked child; the parent's `meanwhile` runs at the same time. Gives the child's
    /// exit status, or -1 if it did not exit by itself.
    package static func inForkedChild(
      meanwhile: (Int32) -> Void = { _ in }, _ body: () -> Int32
    ) -> Int32 {
      guard let symbol = dlsym(nil, "fork") else { return -1 }
      let fork = unsafeBitCast(symbol, to: (@convention(c) () -> Int32).self)
      let child = fork()
      if child == 0 {
        // A child that hangs fails the test instead of stopping it.
        alarm(60)
        _exit(body())
      }
      guard child > 0 else { return -1 }
      meanwhile(child)
      var status: Int32 = 0
      while waitpid(child, &status, 0) < 0 && errno == EINTR {}
      return status & 0x7F == 0 ? (status >> 8) & 0xFF : -1
    }

    /// Does something as another user, in all that the system checks, and is root again.
    package static func asUser(_ user: UInt32, _ body: () throws -> Void) throws -> Bool {
      guard let symbol = dlsym(nil, "setresuid") else { return false }
      let set = unsafeBitCast(symbol, to: (@convention(c) (UInt32, UInt32, UInt32) -> Int32).self)
      guard set(user, user, 0) == 0 else { return false }
      defer { _ = set(0, 0, 0) }
      try body()
      return true
    }

    /// Gives children a pid namespace of their own.
    package static func unsharePids() -> Bool {
      guard let symbol = dlsym(nil, "unshare") else { return false }
      let unshare = unsafeBitCast(symbol, to: (@convention(c) (Int32) -> Int32).self)
      return unshare(0x2000_0000) == 0  // CLONE_NEWPID
    }
  }
#endif
