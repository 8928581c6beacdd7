#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "CLoadLogShims.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#ifdef __linux__
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#endif

// MARK: Files

static int id_of(int descriptor, const char *path, int follow, uint64_t *device, uint64_t *inode) {
#ifdef STATX_INO
  struct statx found;
  int flags = AT_STATX_DONT_SYNC | (follow ? 0 : AT_SYMLINK_NOFOLLOW) | (*path ? 0 : AT_EMPTY_PATH);
  if (statx(descriptor, path, flags, STATX_INO, &found) == 0) {
    *device = makedev(found.stx_dev_major, found.stx_dev_minor);
    *inode = found.stx_ino;
    return 0;
  }
  // Old kernels have no statx, and some sandboxes refuse it.
  if (errno != ENOSYS && errno != EPERM) return errno;
#endif
  struct stat plain;
  int result = *path ? fstatat(descriptor, path, &plain, follow ? 0 : AT_SYMLINK_NOFOLLOW)
                     : fstat(descriptor, &plain);
  if (result != 0) return errno;
  *device = (uint64_t)plain.st_dev;
  *inode = (uint64_t)plain.st_ino;
  return 0;
}

int loadlog_file_id(const char *path, int follow, uint64_t *device, uint64_t *inode) {
  if (!*path) return ENOENT;
  return id_of(AT_FDCWD, path, follow, device, inode);
}

int loadlog_descriptor_id(int descriptor, uint64_t *device, uint64_t *inode) {
  return id_of(descriptor, "", 1, device, inode);
}

int loadlog_flock(int descriptor, int operation) {
  while (flock(descriptor, operation) != 0) {
    if (errno != EINTR) return errno;
  }
  return 0;
}

int loadlog_lock_byte(int descriptor, int64_t byte, int exclusive) {
#ifdef F_OFD_SETLK
  struct flock range = {
      .l_type = exclusive ? F_WRLCK : F_RDLCK, .l_whence = SEEK_SET, .l_start = (off_t)byte, .l_len = 1};
  while (fcntl(descriptor, F_OFD_SETLK, &range) != 0) {
    if (errno != EINTR) return errno;
  }
  return 0;
#else
  (void)descriptor, (void)byte, (void)exclusive;
  return ENOTSUP;
#endif
}

#if defined(__linux__) && defined(F_OFD_SETLK)
static int is_file(int descriptor, const struct stat *wanted) {
  struct stat found;
  return fstat(descriptor, &found) == 0 && found.st_dev == wanted->st_dev && found.st_ino == wanted->st_ino;
}

int loadlog_hold_open_file(const char *path, int64_t start, int64_t length) {
  struct stat wanted;
  if (stat(path, &wanted) != 0) return errno;
  DIR *folder = opendir("/proc/self/fd");
  if (!folder) return errno;
  int result = ENOENT;
  struct dirent *entry;
  while ((entry = readdir(folder))) {
    char *end;
    long descriptor = strtol(entry->d_name, &end, 10);
    if (*end || end == entry->d_name || !is_file((int)descriptor, &wanted)) continue;
    struct flock range = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = start, .l_len = length};
    int problem = fcntl((int)descriptor, F_OFD_SETLK, &range) == 0 ? 0 : errno;
    if (problem == 0 && !is_file((int)descriptor, &wanted)) {
      // Another thread closed the descriptor meanwhile, and its number now belongs to another file.
      range.l_type = F_UNLCK;
      fcntl((int)descriptor, F_OFD_SETLK, &range);
      continue;
    }
    if (result != 0) result = problem;
  }
  closedir(folder);
  return result;
}
#else
int loadlog_hold_open_file(const char *path, int64_t start, int64_t length) {
  (void)path, (void)start, (void)length;
  return ENOTSUP;
}
#endif

#ifdef __linux__
int loadlog_file_system_type(const char *path, uint64_t *type) {
  struct statfs found;
  while (statfs(path, &found) != 0) {
    if (errno != EINTR) return errno;
  }
  *type = (uint32_t)found.f_type;
  return 0;
}
#endif

// MARK: Signals

int loadlog_is_ignored(int number) {
  struct sigaction now;
  return sigaction(number, NULL, &now) == 0 && !(now.sa_flags & SA_SIGINFO) && now.sa_handler == SIG_IGN;
}

// MARK: Memory

void loadlog_return_memory(void) {
#ifdef __GLIBC__
  // malloc would raise both with each large block that is freed, and let every thread keep as much.
  mallopt(M_MMAP_THRESHOLD, 128 * 1024);
  mallopt(M_TRIM_THRESHOLD, 128 * 1024);
  malloc_trim(0);
#endif
}
