// The floor's own way to sqlite3.h: it shares nothing with what is measured against it.

#ifndef CBENCHMARKSQLITE_SHIM_H
#define CBENCHMARKSQLITE_SHIM_H

#include <sqlite3.h>

/// SQLITE_TRANSIENT, a cast that Swift cannot take.
static inline sqlite3_destructor_type csqlite_transient(void) {
    return SQLITE_TRANSIENT;
}

#endif
