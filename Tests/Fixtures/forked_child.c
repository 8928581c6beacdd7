// Checks the descriptors that a forked child must not share: forked_child FOLDER. Built together with the shims. Prints
// one word per line for each check that holds.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include "CLoadLogShims.h"

enum { files = 40 };  // more than the table has room for at first

static int is_free(const char *path) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  int result = flock(file, LOCK_SH | LOCK_NB);
  close(file);
  return result == 0;
}

int main(int count, char **arguments) {
  if (count != 2) return 2;
  char path[files][4096];
  int file[files];
  for (int i = 0; i < files; i++) {
    snprintf(path[i], sizeof path[i], "%s/lock%d", arguments[1], i);
    file[i] = loadlog_open_unshared(path[i], O_CREAT | O_RDWR, 0600);
    if (file[i] < 0 || loadlog_flock(file[i], LOCK_EX) != 0) return 1;
  }
  int ready[2], done[2];
  if (pipe(ready) != 0 || pipe(done) != 0) return 1;
  pid_t child = fork();
  if (child == 0) {
    int closed = 1;
    for (int i = 0; i < files; i++) closed &= fcntl(file[i], F_GETFD) == -1 && errno == EBADF;
    if (closed) puts("closed");
    if (loadlog_is_forked_child()) puts("recognized");
    if (loadlog_open_unshared(path[0], O_RDWR, 0600) == -1 && errno == EPERM) puts("refused");
    // The child reuses the number of a closed descriptor: the old owner's close must not close it.
    int mine = open("/dev/null", O_RDONLY);
    loadlog_close_unshared(mine);
    if (fcntl(mine, F_GETFD) != -1) puts("spared");
    fflush(stdout);
    char byte = 1;
    if (write(ready[1], &byte, 1) != 1) _exit(1);
    close(done[1]);
    while (read(done[0], &byte, 1) > 0) {}
    _exit(0);
  }
  char byte;
  if (read(ready[0], &byte, 1) != 1) return 1;
  int held = 1;
  for (int i = 0; i < files; i++) held &= !is_free(path[i]);
  if (held) puts("held");
  for (int i = 0; i < files; i++) loadlog_close_unshared(file[i]);
  // The child is alive and holds no lock.
  int free = 1;
  for (int i = 0; i < files; i++) free &= is_free(path[i]);
  if (free) puts("free");
  close(done[0]);
  close(done[1]);
  int status;
  waitpid(child, &status, 0);
  return status == 0 ? 0 : 1;
}
