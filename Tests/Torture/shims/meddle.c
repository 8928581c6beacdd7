// Counts the calls that change a store's files, and at the Nth call kills the process or makes the call fail.
//
// Loaded with LD_PRELOAD. LOADLOG_TORTURE_STORE names the store, LOADLOG_TORTURE_CONTROL a file with the struct below,
// which the experiment reads and writes while programs run.

#include "calls.h"
#include <signal.h>

enum { WRITE = 1, SYNC = 2, CUT = 4, NAME = 8 };

struct control {
  uint64_t count;         // calls of the wanted kinds so far, in all processes
  uint64_t first, last;   // range of calls to fail, counted from 1; empty if last is less than first
  uint64_t hits;          // number of calls that failed
  uint32_t kinds;         // which kinds are counted
  int32_t error;          // errno of the failures; 0 kills the process
};

static struct control *control(void) {
  static struct control *shared;
  if (shared) return shared;
  const char *path = getenv("LOADLOG_TORTURE_CONTROL");
  REAL(open);
  int descriptor = path ? real(path, O_RDWR | O_CLOEXEC) : -1;
  if (descriptor < 0) abort();
  void *memory = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  close(descriptor);
  if (memory == MAP_FAILED) abort();
  return shared = memory;
}

// Whether this call must fail; sets errno.
static int fails(uint32_t kind) {
  struct control *all = control();
  if (!(all->kinds & kind)) return 0;
  uint64_t number = __atomic_add_fetch(&all->count, 1, __ATOMIC_SEQ_CST);
  if (number < __atomic_load_n(&all->first, __ATOMIC_SEQ_CST)) return 0;
  if (number > __atomic_load_n(&all->last, __ATOMIC_SEQ_CST)) return 0;
  __atomic_add_fetch(&all->hits, 1, __ATOMIC_SEQ_CST);
  if (!all->error) {
    kill(getpid(), SIGKILL);
    for (;;) pause();
  }
  errno = all->error;
  return 1;
}

static int is_watched(int descriptor) {
  char name[4096];
  int before = errno;
  name_of(descriptor, name);
  errno = before;
  return is_of_store(name) || is_folder_of_store(name);
}

ssize_t write(int descriptor, const void *bytes, size_t size) {
  REAL(write);
  return is_watched(descriptor) && fails(WRITE) ? -1 : real(descriptor, bytes, size);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t size, off_t offset) {
  REAL(pwrite);
  return is_watched(descriptor) && fails(WRITE) ? -1 : real(descriptor, bytes, size, offset);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t size, off64_t offset) {
  REAL(pwrite64);
  return is_watched(descriptor) && fails(WRITE) ? -1 : real(descriptor, bytes, size, offset);
}

int fsync(int descriptor) {
  REAL(fsync);
  return is_watched(descriptor) && fails(SYNC) ? -1 : real(descriptor);
}

int fdatasync(int descriptor) {
  REAL(fdatasync);
  return is_watched(descriptor) && fails(SYNC) ? -1 : real(descriptor);
}

int ftruncate(int descriptor, off_t size) {
  REAL(ftruncate);
  return is_watched(descriptor) && fails(CUT) ? -1 : real(descriptor, size);
}

int ftruncate64(int descriptor, off64_t size) {
  REAL(ftruncate64);
  return is_watched(descriptor) && fails(CUT) ? -1 : real(descriptor, size);
}

int rename(const char *from, const char *to) {
  REAL(rename);
  return is_of_store(from) && fails(NAME) ? -1 : real(from, to);
}

int unlink(const char *path) {
  REAL(unlink);
  return is_of_store(path) && fails(NAME) ? -1 : real(path);
}
