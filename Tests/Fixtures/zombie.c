// Leaves a zombie behind, prints its pid, and waits for the end of its input.
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
  pid_t child = fork();
  if (child < 0) return 1;
  if (child == 0) _exit(0);
  siginfo_t seen;
  // WNOWAIT: wait until it has ended, and leave it unreaped.
  if (waitid(P_PID, (id_t)child, &seen, WEXITED | WNOWAIT) != 0) return 1;
  printf("%d\n", (int)child);
  fflush(stdout);
  char byte;
  while (read(0, &byte, 1) > 0) {}
  return 0;
}
