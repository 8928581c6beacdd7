// Sets the wall clock of one program forward or back by $WALL_OFFSET seconds; preloaded by the dynamic
// linker.
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *time) {
  int result = (int)syscall(SYS_clock_gettime, clock, time);
  const char *offset = getenv("WALL_OFFSET");
  if (result == 0 && clock == CLOCK_REALTIME && offset) time->tv_sec += atol(offset);
  return result;
}
