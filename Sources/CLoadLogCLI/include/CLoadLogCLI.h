#ifndef CLOADLOG_CLI_H
#define CLOADLOG_CLI_H

#include <stdint.h>

// What only programs do. It is apart from what apps link: fork(2) does not compile for tvOS and watchOS.
// Functions that return int give 0 or an errno value, unless they say otherwise.

// MARK: Signals

/// Catches a signal and writes bytes to a pipe: its number when another process sent it, and 0 when a child has
/// changed its state. If `from_terminal` is 0, it discards what a terminal's driver sends to the whole process group.
/// All signals share one pipe, which must not block, and the last value of `from_terminal`.
int loadlog_catch_signal(int number, int descriptor, int from_terminal);

/// Whether a terminal's driver has sent SIGINT or SIGQUIT, as for ^C; 0 or 1.
int loadlog_was_interrupted(void);

/// Changes `from_terminal` of all signals that are caught.
void loadlog_take_terminal_signals(int from_terminal);

/// Stops this process, as ^Z does, until it is continued. Does nothing if there is no shell that could continue it:
/// the kernel discards SIGTSTP then (an orphaned process group).
void loadlog_stop_process(void);

// MARK: Children

/// Makes this process inherit, on Linux, the processes below it whose parents end, as process 1 does otherwise.
void loadlog_inherit_orphans(void);

/// Waits for every child that has ended, other than one that the caller waits for itself. If that one has ended, it may
/// leave others to the next call.
void loadlog_wait_for_others(int child);

// MARK: Pipes

/// Where bytes first occur in others; NULL if they do not. (Swift does not see memmem(3).)
const void *loadlog_find_bytes(const void *bytes, int64_t count, const void *wanted, int64_t wanted_count);

/// How many bytes a pipe holds; 0 if the system does not say. (Swift does not see FIONREAD of Darwin.)
int loadlog_waiting_bytes(int file);

/// Starts a process that copies `readers` to `writers`, at most 2 of each, until every reader is at its end, and returns
/// at once. A writer of -1 discards. The process has no other open files, and the default action for each signal that
/// is not ignored. Does nothing if there is no process to be had.
void loadlog_copy_in_background(const int *readers, const int *writers, int count);

// MARK: Terminals

/// Lets a program read single keys from a terminal, which it does not show. If the program crashes, the terminal gets
/// this text, at most 63 bytes, and its former mode back. One terminal at a time.
int loadlog_take_terminal(int descriptor, const char *text);

/// Gives the terminal that text and its former mode.
void loadlog_return_terminal(void);

#endif
