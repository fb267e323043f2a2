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

/// A library or a program in memory: where it begins, and its file; NULL if none is known.
struct csqlite_image {
    const void *base;
    const char *file;
};

#if defined(__linux__)
#include <elf.h>
#include <stdint.h>

#if UINTPTR_MAX > 0xffffffff
typedef Elf64_Phdr csqlite_segment;
#else
typedef Elf32_Phdr csqlite_segment;
#endif

// Of link.h, which declares them only where _GNU_SOURCE is defined. dladdr takes longer by far: it looks for the symbol,
// too, among all of the library.
struct csqlite_object {
    uintptr_t start;
    const char *file;
    const csqlite_segment *segments;
    uint16_t count;
};
int csqlite_each_object(int (*)(struct csqlite_object *, unsigned long, void *), void *) __asm__("dl_iterate_phdr");

struct csqlite_search {
    uintptr_t address;
    struct csqlite_image found;
};

static inline int csqlite_look_into(struct csqlite_object *object, unsigned long size, void *search) {
    struct csqlite_search *looking = (struct csqlite_search *)search;
    (void)size;
    for (uint16_t i = 0; i < object->count; i++) {
        const csqlite_segment *segment = &object->segments[i];
        if (segment->p_type != PT_LOAD || looking->address - object->start - segment->p_vaddr >= segment->p_memsz) continue;
        // The program's own is often at 0, and has no name.
        looking->found.base = object->segments;
        looking->found.file = object->file;
        return 1;
    }
    return 0;
}

/// The library or program that an address is in.
static inline struct csqlite_image csqlite_image_of(const void *address) {
    struct csqlite_search search = {(uintptr_t)address, {(const void *)0, (const char *)0}};
    csqlite_each_object(csqlite_look_into, &search);
    return search.found;
}
#else
#include <dlfcn.h>

/// The library or program that an address is in.
static inline struct csqlite_image csqlite_image_of(const void *address) {
    struct dl_info info;
    struct csqlite_image image = {(const void *)0, (const char *)0};
    if (dladdr(address, &info) != 0) {
        image.base = info.dli_fbase;
        image.file = info.dli_fname;
    }
    return image;
}
#endif

/// An address in the SQLite that this is linked with.
static inline const void *csqlite_address(void) {
    return (const void *)&sqlite3_libversion;
}

/// Writes a floating point number with so many digits at most.
static inline void csqlite_print_real(int size, char *buffer, int digits, double value) {
    sqlite3_snprintf(size, buffer, "%!.*g", digits, value);
}

#endif
