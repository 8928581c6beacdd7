// What SQLite offers only as a variadic function, which Swift cannot call.
#ifndef CLOADLOG_SQLITE_H
#define CLOADLOG_SQLITE_H

#include <sqlite3.h>

// Sets a boolean option of a connection; the reply is SQLite's result code.
static inline int loadlog_sqlite_configure(sqlite3 *db, int option, int on) {
  int now = 0;
  return sqlite3_db_config(db, option, on, &now);
}

#endif
