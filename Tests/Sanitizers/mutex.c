// Replaces the slow path of Swift's Mutex on Linux by one that the thread sanitizer can see.
//
// The Swift library is not built with the sanitizer, which therefore reports accesses that a contended lock orders as
// races. This file is linked only into the sanitizer's build and overrides the library's functions: it waits for the
// lock with an atomic exchange of its own. The fast paths are inlined into our code and need no replacement. No thread
// waits in the kernel here, so unlocking never takes a slow path.
//
// The names are those of Synchronization._MutexHandle._lockSlow(_: UInt32), ._tryLockSlow() and ._unlockSlow().
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define METHOD __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) _Atomic uint32_t *

METHOD void lock_slow(uint32_t, SELF) __asm__("$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");
METHOD bool try_lock_slow(SELF) __asm__("$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF");
METHOD void unlock_slow(SELF) __asm__("$s15Synchronization12_MutexHandleV11_unlockSlowyyF");

METHOD void lock_slow(uint32_t thread, SELF owner) {
  for (;;) {
    uint32_t nobody = 0;
    if (atomic_compare_exchange_strong_explicit(
            owner, &nobody, thread, memory_order_acquire, memory_order_relaxed))
      return;
    if (nobody == thread) abort();  // locked twice by one thread
    sched_yield();
  }
}

// Called when another thread was seen to hold the lock.
METHOD bool try_lock_slow(SELF owner) { return false; }

METHOD void unlock_slow(SELF owner) { abort(); }
