// Records all calls that change a store's files, and the program's output, in one order for all processes.
//
// Loaded with LD_PRELOAD. LOADLOG_TORTURE_STORE names the store, LOADLOG_TORTURE_RECORD the file to append to. Each
// call and its entry are made under one lock, so that the order of entries is that of the calls. The index of the log
// (-shm) is memory that a power cut loses, and gates and locks have no contents: they are not recorded.

#include "calls.h"
#include <pthread.h>
#include <stdarg.h>
#include <sys/file.h>
#include <time.h>

struct __attribute__((packed)) entry {
  char kind;  // w write, t truncate, s sync, d sync of the folder, r rename, u unlink, c create, o standard output
  uint32_t pid;
  uint64_t inode;
  uint64_t offset;  // of a write; the new size
  uint64_t time;    // nanoseconds since boot
  uint32_t name;    // bytes of a name that follow
  uint32_t bytes;   // bytes of content that follow it
};

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static int record = -1;

static void lock(void) {
  pthread_mutex_lock(&turn);
  if (record < 0) {
    const char *path = getenv("LOADLOG_TORTURE_RECORD");
    REAL(open);
    record = path ? real(path, O_WRONLY | O_APPEND | O_CLOEXEC) : -1;
    if (record < 0) abort();
  }
  while (flock(record, LOCK_EX) != 0 && errno == EINTR) {}
}

static void unlock(void) {
  flock(record, LOCK_UN);
  pthread_mutex_unlock(&turn);
}

static void append(const void *bytes, size_t size) {
  REAL(write);
  for (const char *at = bytes; size;) {
    ssize_t done = real(record, at, size);
    if (done < 0 && errno != EINTR) abort();
    if (done > 0) at += done, size -= (size_t)done;
  }
}

// Appends an entry. Called under the lock, after the recorded call.
static void note(char kind, uint64_t inode, uint64_t offset, const char *name, const void *bytes, size_t size) {
  int before = errno;
  struct timespec now;
  clock_gettime(CLOCK_BOOTTIME, &now);
  struct entry entry = {
      .kind = kind, .pid = (uint32_t)getpid(), .inode = inode, .offset = offset,
      .time = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec,
      .name = (uint32_t)strlen(name), .bytes = (uint32_t)size};
  append(&entry, sizeof entry);
  append(name, entry.name);
  append(bytes, size);
  errno = before;
}

static int is_recorded(const char *name) {
  if (!is_of_store(name)) return 0;
  const char *rest = name + strlen(store_path());
  return strcmp(rest, "-shm") != 0 && strcmp(rest, "-gate") != 0 && strncmp(rest, "-owner-", 7) != 0;
}

static uint64_t inode_of(int descriptor) {
  struct stat status;
  return fstat(descriptor, &status) == 0 ? (uint64_t)status.st_ino : 0;
}

static int is_watched(int descriptor, char name[4096]) {
  int before = errno;
  int answer = is_recorded(name_of(descriptor, name));
  errno = before;
  return answer;
}

ssize_t write(int descriptor, const void *bytes, size_t size) {
  REAL(write);
  char name[4096];
  int is_said = descriptor == STDOUT_FILENO;
  if (!is_said && !is_watched(descriptor, name)) return real(descriptor, bytes, size);
  lock();
  off_t offset = is_said ? 0 : lseek(descriptor, 0, SEEK_CUR);
  ssize_t done = real(descriptor, bytes, size);
  if (done > 0 && is_said) note('o', 0, 0, "", bytes, (size_t)done);
  if (done > 0 && !is_said) note('w', inode_of(descriptor), (uint64_t)offset, name, bytes, (size_t)done);
  unlock();
  return done;
}

#define RECORDED(kind, offset, bytes, size, call) \
  char name[4096]; \
  if (!is_watched(descriptor, name)) return call; \
  lock(); \
  __typeof__(call) done = call; \
  if (done >= 0) note(kind, inode_of(descriptor), (uint64_t)(offset), name, bytes, size); \
  unlock(); \
  return done

ssize_t pwrite(int descriptor, const void *bytes, size_t size, off_t offset) {
  REAL(pwrite);
  RECORDED('w', offset, bytes, (size_t)done, real(descriptor, bytes, size, offset));
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t size, off64_t offset) {
  REAL(pwrite64);
  RECORDED('w', offset, bytes, (size_t)done, real(descriptor, bytes, size, offset));
}

int ftruncate(int descriptor, off_t size) {
  REAL(ftruncate);
  RECORDED('t', size, "", 0, real(descriptor, size));
}

int ftruncate64(int descriptor, off64_t size) {
  REAL(ftruncate64);
  RECORDED('t', size, "", 0, real(descriptor, size));
}

static int synchronized(int descriptor, int (*real)(int)) {
  char name[4096];
  int before = errno;
  int is_folder = is_folder_of_store(name_of(descriptor, name));
  errno = before;
  if (!is_folder && !is_recorded(name)) return real(descriptor);
  lock();
  int done = real(descriptor);
  if (done == 0) note(is_folder ? 'd' : 's', inode_of(descriptor), 0, name, "", 0);
  unlock();
  return done;
}

int fsync(int descriptor) {
  REAL(fsync);
  return synchronized(descriptor, real);
}

int fdatasync(int descriptor) {
  REAL(fdatasync);
  return synchronized(descriptor, real);
}

int rename(const char *from, const char *to) {
  REAL(rename);
  if (!is_recorded(from)) return real(from, to);
  lock();
  int done = real(from, to);
  if (done == 0) note('r', 0, 0, from, to, strlen(to));
  unlock();
  return done;
}

int unlink(const char *path) {
  REAL(unlink);
  if (!is_recorded(path)) return real(path);
  lock();
  int done = real(path);
  if (done == 0) note('u', 0, 0, path, "", 0);
  unlock();
  return done;
}

// An open may create a file. An open must not truncate one, because that change would not be recorded.
static int opened(const char *path, int flags, mode_t mode, int (*real)(const char *, int, ...)) {
  if (!is_recorded(path) || !(flags & O_CREAT)) return real(path, flags, mode);
  if (flags & O_TRUNC) abort();
  lock();
  int is_new = access(path, F_OK) != 0;
  int descriptor = real(path, flags, mode);
  if (descriptor >= 0 && is_new) note('c', inode_of(descriptor), 0, path, "", 0);
  unlock();
  return descriptor;
}

#define WITH_MODE \
  mode_t mode = 0; \
  if (flags & (O_CREAT | O_TMPFILE)) { \
    va_list list; \
    va_start(list, flags); \
    mode = va_arg(list, mode_t); \
    va_end(list); \
  }

int open(const char *path, int flags, ...) {
  REAL(open);
  WITH_MODE;
  return opened(path, flags, mode, real);
}

int open64(const char *path, int flags, ...) {
  REAL(open64);
  WITH_MODE;
  return opened(path, flags, mode, real);
}

#define DRAFTED(template, call) \
  lock(); \
  int descriptor = call; \
  if (descriptor >= 0 && is_recorded(template)) note('c', inode_of(descriptor), 0, template, "", 0); \
  unlock(); \
  return descriptor

int mkstemp(char *template) {
  REAL(mkstemp);
  DRAFTED(template, real(template));
}

int mkstemp64(char *template) {
  REAL(mkstemp64);
  DRAFTED(template, real(template));
}
