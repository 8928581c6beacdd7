#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "CLoadLogCLI.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

static int pipe_end = -1;
static int is_terminal_ours;
static volatile sig_atomic_t was_interrupted;

#ifdef __APPLE__
// There nothing says who sent a signal: a process has one code, which the end of a child may change before the handler of
// another signal reads it. Signals that a terminal can send are taken for the terminal's, faults for the kernel's.
static int is_from_process(int number, const siginfo_t *info) {
  (void)info;
  switch (number) {
  case SIGINT: case SIGQUIT: case SIGTSTP: case SIGTTIN: case SIGTTOU: case SIGWINCH: case SIGINFO: return 0;
  case SIGCHLD: case SIGILL: case SIGTRAP: case SIGBUS: case SIGFPE: case SIGSEGV: case SIGSYS: return 0;
  default: return 1;
  }
}
#else
static int is_from_process(int number, const siginfo_t *info) {
  (void)number;
#ifdef SI_TKILL
  if (info->si_code == SI_TKILL) return 1;
#endif
  return info->si_code == SI_USER || info->si_code == SI_QUEUE;
}
#endif

static void receive(int number, siginfo_t *info, void *context) {
  (void)context;
  int saved = errno;
  int is_sent = is_from_process(number, info);
  // Signals that this process sends itself are results of its own calls, such as a write to a closed pipe.
  int is_own = is_sent && info->si_pid == getpid();
  // When a terminal is gone, the kernel sends SIGHUP to the leader of its session alone.
  int is_hangup = number == SIGHUP && getsid(0) == getpid();
  // A signal of the terminal's driver has reached the whole process group.
  if (!is_sent && (number == SIGINT || number == SIGQUIT)) was_interrupted = 1;
  switch (is_sent ? 0 : number) {
  case SIGTTIN: case SIGTTOU:
    // The call that met the terminal is repeated after this handler.
    raise(SIGSTOP);
    break;
  case SIGILL: case SIGTRAP: case SIGBUS: case SIGFPE: case SIGSEGV: case SIGSYS:
    // The instruction is repeated too, and now kills the process.
    signal(number, SIG_DFL);
    break;
  default:
    if (!is_own && (is_sent || is_hangup || is_terminal_ours || number == SIGCHLD)) {
      unsigned char byte = number == SIGCHLD && !is_sent ? 0 : (unsigned char)number;
      while (write(pipe_end, &byte, 1) < 0 && errno == EINTR) {}
    }
  }
  errno = saved;
}

int loadlog_catch_signal(int number, int descriptor, int from_terminal) {
  pipe_end = descriptor;
  is_terminal_ours = from_terminal;
  struct sigaction action = {.sa_sigaction = receive, .sa_flags = SA_SIGINFO | SA_RESTART};
  sigemptyset(&action.sa_mask);
  return sigaction(number, &action, NULL) == 0 ? 0 : errno;
}

int loadlog_was_interrupted(void) { return was_interrupted != 0; }

void loadlog_take_terminal_signals(int from_terminal) { is_terminal_ours = from_terminal; }

void loadlog_stop_process(void) {
  struct sigaction plain = {.sa_handler = SIG_DFL}, before;
  sigemptyset(&plain.sa_mask);
  sigaction(SIGTSTP, &plain, &before);
  raise(SIGTSTP);
  sigaction(SIGTSTP, &before, NULL);
}
