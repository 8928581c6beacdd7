#include "CLoadLogShims.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

// The descriptors that a forked child closes, guarded by `guard`. A fork takes the guard first, so that the child
// finds the table whole.
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static int *table;
static size_t count, capacity;
static atomic_int is_child;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int registration;

static void before_fork(void) { pthread_mutex_lock(&guard); }

static void after_fork_in_parent(void) { pthread_mutex_unlock(&guard); }

static void after_fork_in_child(void) {
  int saved = errno;
  for (size_t i = 0; i < count; i++) close(table[i]);
  count = 0;
  atomic_store(&is_child, 1);
  pthread_mutex_unlock(&guard);
  errno = saved;
}

static void watch_forks(void) {
  registration = pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

int loadlog_is_forked_child(void) {
  pthread_once(&once, watch_forks);
  return atomic_load(&is_child);
}

/// Makes room for one more descriptor; returns 0 or an errno value. Called under `guard`.
static int reserve(void) {
  if (registration != 0) return registration;
  if (count < capacity) return 0;
  size_t wanted = capacity ? capacity * 2 : 16;
  int *larger = realloc(table, wanted * sizeof *table);
  if (!larger) return ENOMEM;
  table = larger;
  capacity = wanted;
  return 0;
}

int loadlog_open_unshared(const char *path, int flags, uint32_t mode) {
  pthread_once(&once, watch_forks);
  pthread_mutex_lock(&guard);
  int descriptor = -1;
  int problem = atomic_load(&is_child) ? EPERM : reserve();
  if (problem == 0) {
    do {
      descriptor = open(path, flags | O_CLOEXEC, (mode_t)mode);
    } while (descriptor < 0 && errno == EINTR);
    if (descriptor >= 0) table[count++] = descriptor;
    problem = errno;
  }
  pthread_mutex_unlock(&guard);
  if (descriptor < 0) errno = problem;
  return descriptor;
}

void loadlog_close_unshared(int descriptor) {
  pthread_mutex_lock(&guard);
  for (size_t i = 0; i < count; i++) {
    if (table[i] != descriptor) continue;
    table[i] = table[--count];
    close(descriptor);
    break;
  }
  pthread_mutex_unlock(&guard);
}
