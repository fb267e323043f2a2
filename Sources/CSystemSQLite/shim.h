// What Swift cannot take from sqlite3.h as it stands: functions with a variable
// number of arguments, and constants that are casts.

#ifndef CSYSTEMSQLITE_SHIM_H
#define CSYSTEMSQLITE_SHIM_H

// Both guard declarations only; a system library target takes no other place for them.
#define SQLITE_ENABLE_SESSION 1
#define SQLITE_ENABLE_PREUPDATE_HOOK 1

#include <sqlite3.h>

/// Tells SQLite to copy the bytes it is given before the call returns.
static inline sqlite3_destructor_type csqlite_transient(void) {
    return SQLITE_TRANSIENT;
}

/// The address of an empty text: for SQLite, no address is NULL.
static inline const char *csqlite_empty(void) {
    return "";
}

/// sqlite3_db_config for the options that take an on/off value.
static inline int csqlite_db_config_flag(sqlite3 *db, int option, int value) {
    return sqlite3_db_config(db, option, value, (int *)0);
}

/// Lets files that aren't trusted use the virtual table that is being connected.
static inline int csqlite_vtab_innocuous(sqlite3 *db) {
    return sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
}

/// Keeps the virtual table that is being connected from the views and triggers of a file.
static inline int csqlite_vtab_direct_only(sqlite3 *db) {
    return sqlite3_vtab_config(db, SQLITE_VTAB_DIRECTONLY);
}

#if defined(__linux__)
// Of dlfcn.h, which declares them only where _GNU_SOURCE is defined.
struct csqlite_dl_info {
    const char *dli_fname;
    void *dli_fbase;
    const char *dli_sname;
    void *dli_saddr;
};
int csqlite_dladdr(const void *, struct csqlite_dl_info *) __asm__("dladdr");
#else
#include <dlfcn.h>
#define csqlite_dl_info dl_info
#define csqlite_dladdr dladdr
#endif

/// The address at which the library or program begins that another address is in, and its file; NULL if none is known.
static inline const void *csqlite_image(const void *address, const char **file) {
    struct csqlite_dl_info info;
    if (csqlite_dladdr(address, &info) == 0) return (const void *)0;
    *file = info.dli_fname;
    return info.dli_fbase;
}

/// An address in the SQLite that this is linked with.
static inline const void *csqlite_address(void) {
    return (const void *)&sqlite3_libversion;
}

/// Writes a floating point number with so many digits at most.
static inline void csqlite_print_real(int size, char *buffer, int digits, double value) {
    sqlite3_snprintf(size, buffer, "%!.*g", digits, value);
}

#endif
