#ifndef CLOADLOG_SHIMS_H
#define CLOADLOG_SHIMS_H

#include <stdint.h>

// Functions that return int give 0 or an errno value, unless they say otherwise. All are thread-safe.

// MARK: Files

/// Device and inode of the file at a path; `follow` 0 looks at a symbolic link itself.
/// statx(STATX_INO) on Linux, which costs far less than stat on a busy file; stat elsewhere.
int loadlog_file_id(const char *path, int follow, uint64_t *device, uint64_t *inode);

/// Device and inode of an open file, by the same call as for a path, so that the two compare equal.
int loadlog_descriptor_id(int descriptor, uint64_t *device, uint64_t *inode);

/// flock(2), again after a signal. (Swift sees a struct of the same name.)
int loadlog_flock(int descriptor, int operation);

/// Takes a shared lock of the open file description on a range of a file, for every descriptor of it that this
/// process has open: unlike a lock of the process, it stays when another descriptor of the file is closed, and is
/// inherited over fork. It goes when the descriptors are closed. ENOENT if the process has none open; ENOTSUP on
/// systems without such locks.
int loadlog_hold_open_file(const char *path, int64_t start, int64_t length);

#ifdef __linux__
/// f_type of statfs(2), the number of the file system's type. (Swift does not see that header.)
int loadlog_file_system_type(const char *path, uint64_t *type);
#endif

// MARK: Forks

/// How many forks lie between the first process that used this library and the calling one.
/// A value remembered at creation that no longer matches means: this is a forked child.
uint64_t loadlog_fork_generation(void);

/// Begins work that a fork must not cut in two: fork(2) waits until no other thread is at it, five seconds at
/// most, and whoever begins meanwhile waits for the fork.
void loadlog_enter_unforked(void);

/// Ends such work.
void loadlog_leave_unforked(void);

/// open(2) with O_CLOEXEC of a file that a forked child must not share. In a child of fork() the
/// descriptor is closed, plainly: LOCK_UN there would release the parent's lock too.
/// Opening and noting happen as one, seen from fork. Returns the descriptor, or -1 with errno set.
/// A child of vfork(), posix_spawn(), _Fork() or clone() is not seen; O_CLOEXEC serves the first two.
int loadlog_open_unshared(const char *path, int flags, uint32_t mode);

/// Closes such a descriptor, if the process is still of the generation that opened it: in a child the
/// number may belong to another file by now. Closing releases its flock.
void loadlog_close_unshared(int descriptor, uint64_t generation);

// MARK: Waiting

/// A counting semaphore on the monotonic clock.
typedef struct loadlog_wakeup loadlog_wakeup;

/// Makes one that so many waits pass at once. Ends the program for want of memory.
loadlog_wakeup *loadlog_wakeup_make(uint64_t calls);

/// Frees one that nobody waits for.
void loadlog_wakeup_free(loadlog_wakeup *wakeup);

/// Lets one wait end.
void loadlog_wakeup_call(loadlog_wakeup *wakeup);

/// Waits for a call, for so many nanoseconds at most; a negative number of them is without end. Returns 1 when there
/// was one, else 0.
int loadlog_wakeup_await(loadlog_wakeup *wakeup, int64_t nanoseconds);

// Sets a boolean option of a SQLite connection; the reply is SQLite's result code. SQLite's function is
// variadic, which Swift cannot call. Its header stays out, so that the core builds without a database.
struct sqlite3;
extern int sqlite3_db_config(struct sqlite3 *, int, ...);

static inline int loadlog_sqlite_configure(struct sqlite3 *connection, int option, int on) {
  int now = 0;
  return sqlite3_db_config(connection, option, on, &now);
}

// Turns an option of all of SQLite in this process on or off, before the process uses it for anything else; the reply is
// SQLite's result code.
extern int sqlite3_config(int, ...);

static inline int loadlog_sqlite_configure_process(int option, int on) { return sqlite3_config(option, on); }

#endif
