// What the VFS and its files share.

#ifndef VFS_H
#define VFS_H

#include "disk.h"
#include "faults.h"
#include <pthread.h>
#include <sqlite3.h>

struct fault_vfs {
    sqlite3_vfs vfs;
    sqlite3_vfs *real;
    char *name;
    /// Guards all that follows.
    pthread_mutex_t lock;
    int is_armed;
    fault_plan plan;
    long calls, failures;
    /// Nil until files are tracked.
    disk *disk;
    /// Changes until the power is cut; 0 when it is not to be.
    long until_cut;
    int is_off;
    /// Files that are open, and whether whoever made the VFS still has it: the last of them frees it.
    int users;
};

typedef struct {
    sqlite3_file file;
    fault_vfs *vfs;
    /// Nil for a file that is not tracked.
    disk_file *disk;
    /// Whether the first sync of the file is one of its directory, as in SQLite's own VFS.
    int syncs_names;
    /// Of the real VFS; its bytes follow.
    sqlite3_file *real;
} fault_file;

extern const sqlite3_io_methods fault_file_methods;

/// What a call is to return in place of doing its work; SQLITE_OK when it is to do it. The lock is held.
int fault_in(fault_vfs *vfs, unsigned operation);
/// Frees the VFS when no one uses it any more.
void fault_release(fault_vfs *vfs);
/// Counts a change, and cuts the power when it is the one in which that is to happen. The lock is held.
void fault_change(fault_vfs *vfs);

#endif
