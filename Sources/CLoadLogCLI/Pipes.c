#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "CLoadLogCLI.h"
#include "CLoadLogShims.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

const void *loadlog_find_bytes(const void *bytes, int64_t count, const void *wanted, int64_t wanted_count) {
  return memmem(bytes, (size_t)count, wanted, (size_t)wanted_count);
}

int loadlog_waiting_bytes(int file) {
  int count = 0;
  return ioctl(file, FIONREAD, &count) == 0 ? count : 0;
}

static void reset_signals(void) {
  sigset_t none;
  for (int number = 1; number < 65; number++) {
    if (number == SIGPIPE || !loadlog_is_ignored(number)) signal(number, SIG_DFL);
  }
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
}

static int write_all(int file, const char *bytes, ssize_t count) {
  while (file >= 0 && count > 0) {
    ssize_t written = write(file, bytes, (size_t)count);
    if (written < 0 && errno == EAGAIN) {
      struct pollfd waiting = {.fd = file, .events = POLLOUT};
      poll(&waiting, 1, -1);
    } else if (written < 0 && errno != EINTR) {
      return 0;
    } else if (written > 0) {
      bytes += written;
      count -= written;
    }
  }
  return 1;
}

/// Copies until every reader is at its end. Calls only functions that are safe after a fork.
static void copy(const int *readers, const int *writers, int count) {
  static char buffer[65536];
  struct pollfd files[2];
  int open = count;
  for (int i = 0; i < count; i++) files[i] = (struct pollfd){.fd = readers[i], .events = POLLIN};
  while (open > 0) {
    if (poll(files, (nfds_t)count, -1) < 0) continue;
    for (int i = 0; i < count; i++) {
      if (files[i].fd < 0 || !files[i].revents) continue;
      ssize_t found = read(files[i].fd, buffer, sizeof buffer);
      if (found < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      if (found > 0 && write_all(writers[i], buffer, found)) continue;
      // Nobody reads any more: the next write of the background process fails, as it would without the pipe.
      close(files[i].fd);
      files[i].fd = -1;
      open--;
    }
  }
}

void loadlog_copy_in_background(const int *readers, const int *writers, int count) {
  struct rlimit limit;
  int last = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < 65536 ? (int)limit.rlim_cur : 65536;
  if (count > 2 || fork() != 0) return;
  for (int file = 0; file < last; file++) {
    int is_used = 0;
    for (int i = 0; i < count; i++) is_used |= file == readers[i] || file == writers[i];
    if (!is_used) close(file);
  }
  reset_signals();
  copy(readers, writers, count);
  _exit(0);
}
