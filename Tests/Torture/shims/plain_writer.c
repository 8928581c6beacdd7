// The control of robbery, fairness and storm: SQLite used as documented, with a write-ahead log, synchronous=FULL and a
// busy timeout, but without a gate, checks of the files, and an option against the checkpoint of the last close.
//
//   plain_writer write STORE TIMEOUT_MS     one row per transaction; "finished ID" after its commit, "refused busy MS"
//   plain_writer checkpoint STORE           checkpoints in a loop, resetting the log
//
// While it writes it obeys "copy" (opens, reads and closes the database in this process); ends with its input.
#include <fcntl.h>
#include <poll.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void expect(int result, sqlite3 *store, const char *what) {
  if (result == SQLITE_OK) return;
  printf("failed %s: %s\n", what, sqlite3_errmsg(store));
  exit(1);
}

static long milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000L + now.tv_nsec / 1000000;
}

/// Reads a line if the input has one, and returns whether it did; ends the program at the end of the input.
static int is_told(char *line, size_t size) {
  struct pollfd input = {0, POLLIN, 0};
  if (poll(&input, 1, 0) < 1) return 0;
  ssize_t length = read(0, line, size - 1);
  if (length <= 0) exit(0);
  line[length] = 0;
  return 1;
}

static void copy(const char *path) {
  char buffer[65536];
  long size = 0;
  ssize_t length;
  int file = open(path, O_RDONLY);
  while ((length = read(file, buffer, sizeof buffer)) > 0) size += length;
  close(file);
  printf("copied %ld\n", size);
}

static sqlite3 *opened(const char *path, int timeout) {
  sqlite3 *store;
  expect(sqlite3_open(path, &store), store, "open");
  expect(sqlite3_busy_timeout(store, timeout), store, "timeout");
  expect(
      sqlite3_exec(
          store,
          "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
          "CREATE TABLE IF NOT EXISTS load (id TEXT PRIMARY KEY, note TEXT);"
          "CREATE INDEX IF NOT EXISTS by_note ON load (note)",
          NULL, NULL, NULL),
      store, "setup");
  return store;
}

static void write_rows(const char *path, int timeout) {
  sqlite3 *store = opened(path, timeout);
  char line[256], sql[256];
  for (long number = 0;; number++) {
    if (is_told(line, sizeof line) && strncmp(line, "copy", 4) == 0) copy(path);
    long begun = milliseconds();
    snprintf(
        sql, sizeof sql,
        "BEGIN IMMEDIATE; INSERT INTO load VALUES ('%d-%ld', hex(randomblob(40))); COMMIT", (int)getpid(),
        number);
    int result = sqlite3_exec(store, sql, NULL, NULL, NULL);
    if (result == SQLITE_OK) {
      printf("finished %d-%ld\n", (int)getpid(), number);
    } else {
      sqlite3_exec(store, "ROLLBACK", NULL, NULL, NULL);
      printf("refused %s %ld\n", result == SQLITE_BUSY ? "busy" : sqlite3_errmsg(store), milliseconds() - begun);
      if (result != SQLITE_BUSY) exit(1);
    }
  }
}

static void checkpoint(const char *path) {
  sqlite3 *store = opened(path, 0);
  char line[256];
  while (1) {
    is_told(line, sizeof line);
    sqlite3_wal_checkpoint_v2(store, NULL, SQLITE_CHECKPOINT_RESTART, NULL, NULL);
  }
}

int main(int count, char **arguments) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  if (count == 4 && strcmp(arguments[1], "write") == 0) write_rows(arguments[2], atoi(arguments[3]));
  if (count == 3 && strcmp(arguments[1], "checkpoint") == 0) checkpoint(arguments[2]);
  return 2;
}
