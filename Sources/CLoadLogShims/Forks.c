#include "CLoadLogShims.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

// Work that a fork must not cut in two. Guarded by `door`, which the forking thread takes before fork and both
// sides give back.
static pthread_mutex_t door = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
static size_t inside;
// Of these, the calling thread: a fork does not wait for itself.
static _Thread_local size_t mine;
static int is_shut;
// A fork waits for work for so many looks at it, a half millisecond each: five seconds.
enum { most_looks = 10000, look_pause = 500 };

// The descriptors that a forked child must close. Guarded by `guard`, which fork takes before and gives
// back after, in parent and child: the child finds the table whole, and only reads it and closes.
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static int *table;
static size_t count, capacity;
static _Atomic uint64_t generation;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int registration;

static void before_fork(void) {
  pthread_mutex_lock(&door);
  is_shut = 1;
  for (int looks = 0; inside > mine && looks < most_looks; looks++) {
    pthread_mutex_unlock(&door);
    usleep(look_pause);
    pthread_mutex_lock(&door);
  }
  pthread_mutex_lock(&guard);
}

static void after_fork_in_parent(void) {
  pthread_mutex_unlock(&guard);
  is_shut = 0;
  pthread_cond_broadcast(&opened);
  pthread_mutex_unlock(&door);
}

static void after_fork_in_child(void) {
  int saved = errno;
  for (size_t i = 0; i < count; i++) close(table[i]);
  count = 0;
  atomic_fetch_add(&generation, 1);
  pthread_mutex_unlock(&guard);
  // Of those who worked or waited, nobody is here.
  inside = 0;
  mine = 0;
  is_shut = 0;
  opened = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
  pthread_mutex_unlock(&door);
  errno = saved;
}

static void watch_forks(void) {
  registration = pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

uint64_t loadlog_fork_generation(void) {
  pthread_once(&once, watch_forks);
  return atomic_load(&generation);
}

/// Room for one more; 0 or an errno value. Called under `guard`.
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

void loadlog_enter_unforked(void) {
  pthread_once(&once, watch_forks);
  pthread_mutex_lock(&door);
  while (is_shut) pthread_cond_wait(&opened, &door);
  inside++;
  mine++;
  pthread_mutex_unlock(&door);
}

void loadlog_leave_unforked(void) {
  pthread_mutex_lock(&door);
  if (inside > 0) inside--;
  if (mine > 0) mine--;
  pthread_mutex_unlock(&door);
}

int loadlog_open_unshared(const char *path, int flags, uint32_t mode) {
  pthread_once(&once, watch_forks);
  pthread_mutex_lock(&guard);
  int descriptor = -1;
  int problem = reserve();
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

void loadlog_close_unshared(int descriptor, uint64_t opened_in) {
  pthread_mutex_lock(&guard);
  if (opened_in == atomic_load(&generation)) {
    for (size_t i = 0; i < count; i++) {
      if (table[i] != descriptor) continue;
      table[i] = table[--count];
      close(descriptor);
      break;
    }
  }
  pthread_mutex_unlock(&guard);
}
