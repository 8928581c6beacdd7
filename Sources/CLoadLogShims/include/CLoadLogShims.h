#ifndef CLOADLOG_SHIMS_H
#define CLOADLOG_SHIMS_H

#include <stdint.h>

// Functions that return int give 0 or an errno value, unless they say otherwise. All are thread-safe.

// MARK: Files

/// Device and inode of the file at a path; if `follow` is 0, of a symbolic link itself.
/// statx(STATX_INO) on Linux, which costs far less than stat on a busy file; stat elsewhere.
int loadlog_file_id(const char *path, int follow, uint64_t *device, uint64_t *inode);

/// Device and inode of an open file, by the same call as for a path, so that the two compare equal.
int loadlog_descriptor_id(int descriptor, uint64_t *device, uint64_t *inode);

/// flock(2), again after a signal. (Swift sees a struct of the same name.)
int loadlog_flock(int descriptor, int operation);

/// Locks one byte of a file for the open file description, shared or exclusively, without waiting. EAGAIN or EACCES if
/// another description holds it. The lock ends when all descriptors of the description are closed. ENOTSUP on systems
/// without such locks.
int loadlog_lock_byte(int descriptor, int64_t byte, int exclusive);

/// Takes a shared lock of the open file description on a range of a file, for every descriptor of it that this
/// process has open: unlike a lock of the process, it stays when another descriptor of the file is closed, and is
/// inherited over fork. It is released when the descriptors are closed. ENOENT if the process has none open; ENOTSUP on
/// systems without such locks.
int loadlog_hold_open_file(const char *path, int64_t start, int64_t length);

#ifdef __linux__
/// f_type of statfs(2), the number of the file system's type. (Swift does not see that header.)
int loadlog_file_system_type(const char *path, uint64_t *type);
#endif

// MARK: Forks

/// Whether this process was forked from one that had called this function or loadlog_open_unshared; 0 or 1.
/// A child of vfork(), posix_spawn(), _Fork() or clone() is not recognized. It must call exec, as those demand.
int loadlog_is_forked_child(void);

/// open(2) with O_CLOEXEC of a file that a forked child must not share. A child of fork() closes the descriptor
/// before fork() returns, and does not unlock it: LOCK_UN would release the parent's lock too. A fork sees the
/// file either not yet open or in the table. Returns the descriptor, or -1 with errno set; EPERM in a forked child.
int loadlog_open_unshared(const char *path, int flags, uint32_t mode);

/// Closes such a descriptor, which releases its flock. Does nothing in a forked child, where the number may belong
/// to another file by now.
void loadlog_close_unshared(int descriptor);

// MARK: Waiting

/// A counting semaphore on the monotonic clock.
typedef struct loadlog_wakeup loadlog_wakeup;

/// Makes a semaphore that lets `calls` waits pass at once. Aborts if there is no memory.
loadlog_wakeup *loadlog_wakeup_make(uint64_t calls);

/// Frees a semaphore without waiters.
void loadlog_wakeup_free(loadlog_wakeup *wakeup);

/// Lets one wait end.
void loadlog_wakeup_call(loadlog_wakeup *wakeup);

/// Waits for a call, at most `nanoseconds`, or without limit if that is negative. Returns 1 if there was a call, 0 if
/// not.
int loadlog_wakeup_await(loadlog_wakeup *wakeup, int64_t nanoseconds);

// MARK: Signals

/// Whether a signal is ignored; 0 or 1.
int loadlog_is_ignored(int number);

// MARK: Memory

/// Gives the memory that is free back to the system. malloc would keep it, for each thread that ever used some.
void loadlog_return_memory(void);

// MARK: SQLite

// Sets a boolean option of a SQLite connection; the reply is SQLite's result code. SQLite's function is
// variadic, which Swift cannot call. Its header stays out, so that the core builds without a database.
struct sqlite3;
extern int sqlite3_db_config(struct sqlite3 *, int, ...);

static inline int loadlog_sqlite_configure(struct sqlite3 *connection, int option, int on) {
  int now = 0;
  return sqlite3_db_config(connection, option, on, &now);
}

#endif
