#if canImport(Glibc)
  import Glibc

  /// System calls that Swift does not offer. For exit tests only, where no other test runs in the process.
  package enum SystemCalls {
    /// Runs `body` in a forked child, and at the same time `meanwhile` in the parent. Returns the child's exit status, or
    /// -1 if it did not exit by itself.
    package static func inForkedChild(
      meanwhile: (Int32) -> Void = { _ in }, _ body: () -> Int32
    ) -> Int32 {
      guard let symbol = dlsym(nil, "fork") else { return -1 }
      let fork = unsafeBitCast(symbol, to: (@convention(c) () -> Int32).self)
      let child = fork()
      if child == 0 {
        // A child that hangs fails the test instead of stopping it. Threads of Dispatch block the alarm's signal.
        var alarms = sigset_t()
        sigemptyset(&alarms)
        sigaddset(&alarms, SIGALRM)
        pthread_sigmask(SIG_UNBLOCK, &alarms, nil)
        alarm(60)
        _exit(body())
      }
      guard child > 0 else { return -1 }
      meanwhile(child)
      var status: Int32 = 0
      while waitpid(child, &status, 0) < 0 && errno == EINTR {}
      return status & 0x7F == 0 ? (status >> 8) & 0xFF : -1
    }

    /// Runs `body` as another user for all checks of the system, then becomes root again.
    package static func asUser(_ user: UInt32, _ body: () throws -> Void) throws -> Bool {
      guard let symbol = dlsym(nil, "setresuid") else { return false }
      let set = unsafeBitCast(symbol, to: (@convention(c) (UInt32, UInt32, UInt32) -> Int32).self)
      guard set(user, user, 0) == 0 else { return false }
      defer { _ = set(0, 0, 0) }
      try body()
      return true
    }

    /// Gives future children a new pid namespace.
    package static func unsharePids() -> Bool {
      guard let symbol = dlsym(nil, "unshare") else { return false }
      let unshare = unsafeBitCast(symbol, to: (@convention(c) (Int32) -> Int32).self)
      return unshare(0x2000_0000) == 0  // CLONE_NEWPID
    }
  }
#endif
