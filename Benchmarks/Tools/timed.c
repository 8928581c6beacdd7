// Runs a command and writes its wall time in nanoseconds and its peak resident set size in kilobytes to file
// descriptor 3. Exits with the command's exit code.
//
//   timed COMMAND [ARGUMENT…]
//
// This must be a small program: the peak resident set size of a process includes what its parent had resident
// when it forked.

#define _GNU_SOURCE
#include <spawn.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

int main(int count, char **arguments) {
  if (count < 2) {
    fprintf(stderr, "Usage: timed COMMAND [ARGUMENT...]\n");
    return 2;
  }
  struct timespec began, ended;
  struct rusage usage;
  pid_t child;
  int status;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addclose(&actions, 3);
  clock_gettime(CLOCK_MONOTONIC, &began);
  int problem = posix_spawnp(&child, arguments[1], &actions, NULL, arguments + 1, environ);
  if (problem != 0) {
    fprintf(stderr, "timed: cannot run %s (%d)\n", arguments[1], problem);
    return 127;
  }
  if (wait4(child, &status, 0, &usage) != child) return 126;
  clock_gettime(CLOCK_MONOTONIC, &ended);
  dprintf(3, "%lld %ld\n",
          (ended.tv_sec - began.tv_sec) * 1000000000LL + ended.tv_nsec - began.tv_nsec, usage.ru_maxrss);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
