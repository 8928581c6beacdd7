// Moves the clocks of one program while it runs; preloaded by the dynamic linker. $CLOCK_OFFSETS names a file of two
// numbers of 64 bits: nanoseconds to add to CLOCK_REALTIME and to CLOCK_BOOTTIME. CLOCK_MONOTONIC does not change, as
// during a suspend. $CLOCK_HURRY is the number of nanoseconds by which each reading advances CLOCK_BOOTTIME further: time
// passes for a program that reads the clock, however fast the machine is.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static volatile int64_t *offsets;
static int64_t hurry;
static _Atomic int64_t readings;

__attribute__((constructor)) static void map_offsets(void) {
  const char *path = getenv("CLOCK_OFFSETS"), *nanoseconds = getenv("CLOCK_HURRY");
  if (nanoseconds) hurry = atoll(nanoseconds);
  int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0) return;
  void *mapped = mmap(NULL, 2 * sizeof *offsets, PROT_READ, MAP_SHARED, file, 0);
  if (mapped != MAP_FAILED) offsets = mapped;
  close(file);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  int result = (int)syscall(SYS_clock_gettime, clock, time);
  if (result != 0 || !offsets || (clock != CLOCK_REALTIME && clock != CLOCK_BOOTTIME)) return result;
  int64_t sum = (int64_t)time->tv_sec * 1000000000 + time->tv_nsec + offsets[clock == CLOCK_BOOTTIME];
  if (clock == CLOCK_BOOTTIME) sum += hurry * readings++;
  time->tv_sec = sum / 1000000000;
  time->tv_nsec = sum % 1000000000;
  return result;
}
