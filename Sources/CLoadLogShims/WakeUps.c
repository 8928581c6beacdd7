#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "CLoadLogShims.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

struct loadlog_wakeup {
  pthread_mutex_t guard;
  pthread_cond_t called;
  uint64_t calls;
};

loadlog_wakeup *loadlog_wakeup_make(uint64_t calls) {
  loadlog_wakeup *wakeup = calloc(1, sizeof *wakeup);
  if (!wakeup) abort();
  wakeup->calls = calls;
  pthread_mutex_init(&wakeup->guard, NULL);
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
#ifndef __APPLE__
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
#endif
  pthread_cond_init(&wakeup->called, &attributes);
  pthread_condattr_destroy(&attributes);
  return wakeup;
}

void loadlog_wakeup_free(loadlog_wakeup *wakeup) {
  // Not destroyed: in a forked child, pthread_cond_destroy would wait for threads that only the parent has.
  free(wakeup);
}

void loadlog_wakeup_call(loadlog_wakeup *wakeup) {
  pthread_mutex_lock(&wakeup->guard);
  wakeup->calls++;
  pthread_cond_signal(&wakeup->called);
  pthread_mutex_unlock(&wakeup->guard);
}

static struct timespec after(int64_t nanoseconds) {
  struct timespec time = {0, 0};
#ifndef __APPLE__
  clock_gettime(CLOCK_MONOTONIC, &time);
#endif
  time.tv_sec += (time_t)(nanoseconds / 1000000000);
  time.tv_nsec += (long)(nanoseconds % 1000000000);
  if (time.tv_nsec >= 1000000000) {
    time.tv_sec++;
    time.tv_nsec -= 1000000000;
  }
  return time;
}

int loadlog_wakeup_await(loadlog_wakeup *wakeup, int64_t nanoseconds) {
  struct timespec end = after(nanoseconds < 0 ? 0 : nanoseconds);
  pthread_mutex_lock(&wakeup->guard);
  int problem = 0;
  while (wakeup->calls == 0 && problem == 0) {
    if (nanoseconds < 0) {
      problem = pthread_cond_wait(&wakeup->called, &wakeup->guard);
    } else {
#ifdef __APPLE__
      // A spurious wakeup starts the wait again: it ends late, never early.
      problem = pthread_cond_timedwait_relative_np(&wakeup->called, &wakeup->guard, &end);
#else
      problem = pthread_cond_timedwait(&wakeup->called, &wakeup->guard, &end);
#endif
    }
  }
  int is_called = wakeup->calls > 0;
  if (is_called) wakeup->calls--;
  pthread_mutex_unlock(&wakeup->guard);
  return is_called;
}
