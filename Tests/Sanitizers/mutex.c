// The slow path of Swift's Mutex on Linux, as the thread sanitizer can see it.
//
// The library that has it is not built with the sanitizer, which therefore takes whatever a contended lock keeps
// apart for a race. This file is linked into the sanitizer's build alone, and takes the library's place: it waits for
// the lock with an atomic exchange of its own. The fast paths are compiled into our code and need no help; as nobody
// waits in the kernel here, unlocking never takes a slow path.
//
// The names are those of Synchronization._MutexHandle._lockSlow(_: UInt32) and ._unlockSlow().
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#define METHOD __attribute__((swiftcall)) void
#define SELF __attribute__((swift_context)) _Atomic uint32_t *

METHOD lock_slow(uint32_t, SELF) __asm__("$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");
METHOD unlock_slow(SELF) __asm__("$s15Synchronization12_MutexHandleV11_unlockSlowyyF");

METHOD lock_slow(uint32_t thread, SELF owner) {
  for (;;) {
    uint32_t nobody = 0;
    if (atomic_compare_exchange_strong_explicit(
            owner, &nobody, thread, memory_order_acquire, memory_order_relaxed))
      return;
    if (nobody == thread) abort();  // locked twice by one thread
    sched_yield();
  }
}

METHOD unlock_slow(SELF owner) { abort(); }
