// Ends its main thread; another thread stays alive, prints the pid and waits for the end of the input.
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int main_thread_is_a_zombie(void) {
  char line[512];
  FILE *file = fopen("/proc/self/stat", "r");
  if (!file) return 0;
  char *end = fgets(line, sizeof line, file) ? strrchr(line, ')') : NULL;
  fclose(file);
  return end && end[2] == 'Z';
}

static void *live(void *unused) {
  (void)unused;
  while (!main_thread_is_a_zombie()) sched_yield();
  printf("%d\n", (int)getpid());
  fflush(stdout);
  char byte;
  while (read(0, &byte, 1) > 0) {}
  _exit(0);
}

int main(void) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, live, NULL) != 0) return 1;
  pthread_exit(NULL);
}
