// Faults that a disk, its power and memory bring to SQLite: for tests of what stands on it.

#ifndef FAULTS_H
#define FAULTS_H

#include <stdint.h>

/// The calls that can be made to fail, as bits.
enum {
    FAULT_OPEN = 1 << 0,
    FAULT_READ = 1 << 1,
    FAULT_WRITE = 1 << 2,
    FAULT_SYNC = 1 << 3,
    FAULT_TRUNCATE = 1 << 4,
    FAULT_DELETE = 1 << 5,
    FAULT_SIZE = 1 << 6,
    FAULT_LOCK = 1 << 7,
    FAULT_SHARED_MEMORY = 1 << 8,
    FAULT_ACCESS = 1 << 9,
    FAULT_ANY = (1 << 10) - 1,
};

/// Which call fails, and how.
typedef struct {
    /// The calls that count, as bits.
    unsigned operations;
    /// The call that fails, counted from 1; none for 0.
    long nth;
    /// What it returns; the code that SQLite has for the call for 0.
    int code;
    /// Whether those after it fail as well.
    int is_persistent;
    /// Whether a write that fails leaves its first half.
    int is_torn;
} fault_plan;

/// A VFS that passes calls on to the default one, but for those that are to fail.
typedef struct fault_vfs fault_vfs;

/// Registers a VFS by name; NULL when it could not be. One that is destroyed stays for the files that are open.
fault_vfs *fault_vfs_create(const char *name);
void fault_vfs_destroy(fault_vfs *vfs);

/// Starts to count calls again, and fails those that the plan says.
void fault_vfs_arm(fault_vfs *vfs, fault_plan plan);
/// Fails no more calls.
///
/// Returns how many have failed.
long fault_vfs_disarm(fault_vfs *vfs);
/// How many calls of the plan's kinds there have been.
long fault_vfs_call_count(fault_vfs *vfs);

/// Keeps from now on, of each file that is opened, what is on the disk for certain; syncs then take no time.
void fault_vfs_track(fault_vfs *vfs);
/// Cuts the power in the nth creation, write, sync, truncation or deletion from now: from there on all calls fail.
void fault_vfs_cut_power(fault_vfs *vfs, long nth);
/// Whether the power is off.
int fault_vfs_is_off(fault_vfs *vfs);
/// Leaves on the disk what a power cut may leave, and turns the power on. All connections must be closed.
///
/// Of what was not synced each sector of 512 bytes, each file's length and each directory entry is there or not, as a
/// coin falls. Returns 0, or the errno of a file that could not be written.
int fault_vfs_restore(fault_vfs *vfs, uint64_t seed);

/// Puts an allocator of ours before SQLite's, and switches lookaside memory off. SQLite must not have been used yet.
///
/// Returns SQLite's result code.
int fault_memory_install(void);
/// Fails the nth allocation from now, counted from 1, and those after it if `is_persistent`.
void fault_memory_arm(long nth, int is_persistent);
/// Fails no more allocations.
///
/// Returns how many have failed.
long fault_memory_disarm(void);
/// The bytes that SQLite has allocated and not freed.
int64_t fault_memory_used(void);
/// The bytes that the process has allocated and not freed.
int64_t fault_heap_used(void);

#endif
