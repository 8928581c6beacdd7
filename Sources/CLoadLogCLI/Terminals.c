#include "CLoadLogCLI.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

static int terminal = -1;
static struct termios mode;
static char last_text[64];

static const int crashes[] = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP};

static void restore(void) {
  if (terminal < 0) return;
  ssize_t ignored = write(terminal, last_text, strlen(last_text));
  (void)ignored;
  tcsetattr(terminal, TCSANOW, &mode);
}

static void restore_and_die(int number) {
  restore();
  signal(number, SIG_DFL);
  raise(number);
}

int loadlog_take_terminal(int descriptor, const char *text) {
  struct termios raw;
  // Taken twice, it would return to the mode of the first time.
  if (terminal < 0 && tcgetattr(descriptor, &mode) != 0) return errno;
  terminal = descriptor;
  strncpy(last_text, text, sizeof last_text - 1);
  raw = mode;
  raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
  if (tcsetattr(descriptor, TCSANOW, &raw) != 0) return errno;
  for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++) signal(crashes[i], restore_and_die);
  return 0;
}

void loadlog_return_terminal(void) {
  for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++) signal(crashes[i], SIG_DFL);
  restore();
  terminal = -1;
}
