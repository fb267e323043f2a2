// An allocator that fails when it is told to, before the one that SQLite has.

#include "faults.h"
#include <sqlite3.h>
#include <stdatomic.h>
#ifdef __APPLE__
#include <malloc/malloc.h>
#else
#include <malloc.h>
#endif

static sqlite3_mem_methods real;
/// Allocations until one fails; 0 and below when none does.
static atomic_long remaining;
static atomic_int persistent;
static atomic_long failures;

static int fails(void) {
    if (atomic_load_explicit(&remaining, memory_order_relaxed) <= 0) return 0;
    long left = atomic_fetch_sub(&remaining, 1);
    if (left != 1) return 0;
    if (atomic_load(&persistent)) atomic_store(&remaining, 1);
    atomic_fetch_add(&failures, 1);
    return 1;
}

static void *allocate(int size) {
    return fails() ? 0 : real.xMalloc(size);
}

static void *reallocate(void *memory, int size) {
    return fails() ? 0 : real.xRealloc(memory, size);
}

int fault_memory_install(void) {
    int code = sqlite3_config(SQLITE_CONFIG_GETMALLOC, &real);
    if (code != SQLITE_OK) return code;
    sqlite3_mem_methods ours = real;
    ours.xMalloc = allocate;
    ours.xRealloc = reallocate;
    code = sqlite3_config(SQLITE_CONFIG_MALLOC, &ours);
    if (code != SQLITE_OK) return code;
    return sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0);
}

void fault_memory_arm(long nth, int is_persistent) {
    atomic_store(&failures, 0);
    atomic_store(&persistent, is_persistent);
    atomic_store(&remaining, nth);
}

long fault_memory_disarm(void) {
    atomic_store(&remaining, 0);
    return atomic_load(&failures);
}

int64_t fault_memory_used(void) {
    return sqlite3_memory_used();
}

int64_t fault_heap_used(void) {
#ifdef __APPLE__
    malloc_statistics_t statistics;
    malloc_zone_statistics(0, &statistics);
    return statistics.size_in_use;
#else
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
#endif
}
