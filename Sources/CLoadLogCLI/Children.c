#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "CLoadLogCLI.h"

#include <signal.h>
#include <sys/wait.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

void loadlog_inherit_orphans(void) {
#ifdef __linux__
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
#endif
}

void loadlog_wait_for_others(int child) {
  while (1) {
    siginfo_t ended = {.si_pid = 0};
    if (waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) != 0) return;
    if (ended.si_pid == 0 || ended.si_pid == child) return;
    waitpid(ended.si_pid, NULL, WNOHANG);
  }
}
