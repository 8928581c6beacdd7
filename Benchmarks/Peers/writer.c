// Records loads with SQLite's C API: one connection for the whole run, statements prepared once, WAL, synchronous =
// FULL, SQLite's automatic checkpoints, and foreign keys off, which is SQLite's default.
//
// It writes the same rows of `session` and updates the same dates of `feed` as LoadLog. It keeps no counters and no
// journal, does not number events, does not detect dead owners, takes no gate, and does not check that the file at the
// path is still the file it opened. Only LoadLog pays for those.
//
//   writer STORE SCHEMA SECONDS EVENTS [SYNCHRONOUS]
//
// EVENTS: number of starts, or of finishes, in one transaction. Prints one line of JSON; p50 and p99 are durations of
// single transactions, in nanoseconds.

#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

enum { FEEDS = 100 };

struct load {
  unsigned char id[16];
  sqlite3_int64 feed, wall, boot;
};

static sqlite3 *store;
static sqlite3_stmt *begin, *commit, *insert, *attempted, *finish, *updated;

static void check(int code, int wanted) {
  if (code == wanted) return;
  fprintf(stderr, "writer: %s\n", sqlite3_errmsg(store));
  exit(1);
}

static void run(const char *sql) { check(sqlite3_exec(store, sql, NULL, NULL, NULL), SQLITE_OK); }

// When several processes open the same new store, the change to WAL returns SQLITE_BUSY at once despite the timeout.
static void begin_log(void) {
  int code;
  while ((code = sqlite3_exec(store, "PRAGMA journal_mode = WAL", NULL, NULL, NULL)) == SQLITE_BUSY) usleep(1000);
  check(code, SQLITE_OK);
}

static sqlite3_stmt *prepare(const char *sql) {
  sqlite3_stmt *statement;
  check(sqlite3_prepare_v3(store, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL), SQLITE_OK);
  return statement;
}

static void step(sqlite3_stmt *statement) {
  check(sqlite3_step(statement), SQLITE_DONE);
  sqlite3_reset(statement);
}

static sqlite3_int64 nanoseconds(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

// A UUID of version 7.
static void make_id(unsigned char id[16], sqlite3_int64 wall) {
  static uint64_t state[2];
  if (state[0] == 0 && getrandom(state, sizeof state, 0) != sizeof state) exit(1);
  uint64_t a = state[0], b = state[1];
  state[0] = b;
  a ^= a << 23;
  state[1] = a ^ b ^ (a >> 18) ^ (b >> 5);
  uint64_t random = state[1] + b, milliseconds = (uint64_t)wall / 1000;
  for (int i = 0; i < 6; i++) id[i] = (unsigned char)(milliseconds >> (40 - 8 * i));
  memcpy(id + 8, &random, 8);
  id[6] = 0x70 | (a & 0x0f);
  id[7] = (unsigned char)(a >> 8);
  id[8] = 0x80 | (id[8] & 0x3f);
}

static void start(struct load *load, sqlite3_int64 number) {
  load->wall = nanoseconds(CLOCK_REALTIME) / 1000;
  load->boot = nanoseconds(CLOCK_BOOTTIME);
  load->feed = 1 + number % FEEDS;
  make_id(load->id, load->wall);
  sqlite3_bind_blob(insert, 1, load->id, 16, SQLITE_STATIC);
  sqlite3_bind_int64(insert, 2, load->feed);
  sqlite3_bind_int64(insert, 3, getpid());
  sqlite3_bind_int64(insert, 4, load->wall);
  sqlite3_bind_int64(insert, 5, load->boot);
  step(insert);
  sqlite3_bind_int64(attempted, 1, load->wall);
  sqlite3_bind_int64(attempted, 2, load->feed);
  step(attempted);
}

static void end(const struct load *load) {
  sqlite3_int64 wall = nanoseconds(CLOCK_REALTIME) / 1000;
  sqlite3_int64 duration = nanoseconds(CLOCK_BOOTTIME) - load->boot;
  sqlite3_bind_int64(finish, 1, duration);
  sqlite3_bind_int64(finish, 2, wall - load->wall - duration / 1000);
  sqlite3_bind_blob(finish, 3, load->id, 16, SQLITE_STATIC);
  step(finish);
  sqlite3_bind_int64(updated, 1, wall);
  sqlite3_bind_int64(updated, 2, load->feed);
  step(updated);
}

static int ascending(const void *one, const void *other) {
  sqlite3_int64 a = *(const sqlite3_int64 *)one, b = *(const sqlite3_int64 *)other;
  return (a > b) - (a < b);
}

static char *read_text(const char *path) {
  static char text[65536];
  FILE *file = fopen(path, "r");
  if (!file || fread(text, 1, sizeof text - 1, file) == 0) {
    perror(path);
    exit(1);
  }
  fclose(file);
  return text;
}

static void open_store(const char *path, const char *schema, const char *synchronous) {
  check(sqlite3_open(path, &store), SQLITE_OK);
  sqlite3_busy_timeout(store, 10000);
  char pragma[64];
  snprintf(pragma, sizeof pragma, "PRAGMA synchronous = %s", synchronous);
  begin_log();
  run(pragma);
  run("BEGIN IMMEDIATE");
  run(read_text(schema));
  run("COMMIT");
  begin = prepare("BEGIN IMMEDIATE");
  commit = prepare("COMMIT");
  insert = prepare(
      "INSERT INTO session (id, feed, owner, started_at, started_boot, message, call_site)"
      " VALUES (?, ?, ?, ?, ?, 1, 2)");
  attempted = prepare("UPDATE feed SET last_attempted = ? WHERE id = ?");
  finish = prepare("UPDATE session SET state = 1, duration = ?, wall_drift = ? WHERE id = ? AND state = 0");
  updated = prepare(
      "UPDATE feed SET last_updated = ?1, last_changed = ?1, last_verdict = 1 WHERE id = ?2");
}

int main(int count, char **arguments) {
  if (count < 5) {
    fprintf(stderr, "Usage: writer STORE SCHEMA SECONDS EVENTS [SYNCHRONOUS]\n");
    return 2;
  }
  open_store(arguments[1], arguments[2], count > 5 ? arguments[5] : "FULL");
  double seconds = atof(arguments[3]);
  int events = atoi(arguments[4]);
  struct load *loads = calloc((size_t)events, sizeof *loads);
  sqlite3_int64 pairs = 0, latencies = 0, room = 1 << 16;
  sqlite3_int64 *latency = malloc((size_t)room * sizeof *latency);

  sqlite3_int64 began = nanoseconds(CLOCK_MONOTONIC), now = began;
  while (now - began < seconds * 1e9) {
    for (int isEnd = 0; isEnd < 2; isEnd++) {
      sqlite3_int64 before = now;
      step(begin);
      for (int i = 0; i < events; i++) {
        if (isEnd) end(&loads[i]);
        else start(&loads[i], pairs + i);
      }
      step(commit);
      now = nanoseconds(CLOCK_MONOTONIC);
      if (latencies == room) latency = realloc(latency, (size_t)(room *= 2) * sizeof *latency);
      latency[latencies++] = now - before;
    }
    pairs += events;
  }
  qsort(latency, (size_t)latencies, sizeof *latency, ascending);
  printf("{\"pairs\": %lld, \"seconds\": %.6f, \"p50\": %lld, \"p99\": %lld}\n", pairs, (double)(now - began) / 1e9,
         latency[latencies / 2], latency[latencies * 99 / 100]);
  return 0;
}
