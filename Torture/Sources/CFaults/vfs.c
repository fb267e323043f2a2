// The VFS: files are opened and deleted here.

#include "vfs.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int code_of(unsigned operation) {
    switch (operation) {
    case FAULT_OPEN: return SQLITE_CANTOPEN;
    case FAULT_READ: return SQLITE_IOERR_READ;
    case FAULT_WRITE: return SQLITE_IOERR_WRITE;
    case FAULT_SYNC: return SQLITE_IOERR_FSYNC;
    case FAULT_TRUNCATE: return SQLITE_IOERR_TRUNCATE;
    case FAULT_DELETE: return SQLITE_IOERR_DELETE;
    case FAULT_SIZE: return SQLITE_IOERR_FSTAT;
    case FAULT_LOCK: return SQLITE_IOERR_LOCK;
    case FAULT_SHARED_MEMORY: return SQLITE_IOERR_SHMMAP;
    case FAULT_ACCESS: return SQLITE_IOERR_ACCESS;
    default: return SQLITE_IOERR;
    }
}

int fault_in(fault_vfs *vfs, unsigned operation) {
    if (vfs->is_off) return code_of(operation);
    if (!vfs->is_armed || !(vfs->plan.operations & operation)) return SQLITE_OK;
    vfs->calls++;
    int fails = vfs->calls == vfs->plan.nth || (vfs->plan.is_persistent && vfs->plan.nth && vfs->calls > vfs->plan.nth);
    if (!fails) return SQLITE_OK;
    vfs->failures++;
    return vfs->plan.code ? vfs->plan.code : code_of(operation);
}

void fault_change(fault_vfs *vfs) {
    if (vfs->until_cut && --vfs->until_cut == 0) vfs->is_off = 1;
}

static fault_vfs *self(sqlite3_vfs *vfs) {
    return (fault_vfs *)vfs;
}

static int is_tracked(int flags) {
    return flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_WAL | SQLITE_OPEN_SUPER_JOURNAL);
}

static int open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *opened, int flags, int *out) {
    fault_vfs *faults = self(vfs);
    fault_file *file = (fault_file *)opened;
    memset(file, 0, sizeof(*file));
    file->vfs = faults;
    file->real = (sqlite3_file *)(file + 1);
    pthread_mutex_lock(&faults->lock);
    int code = fault_in(faults, FAULT_OPEN);
    if (code == SQLITE_OK && faults->disk && name && is_tracked(flags)) {
        int creates = flags & SQLITE_OPEN_CREATE;
        int is_new = creates && !disk_open(faults->disk, name, 0);
        file->disk = disk_open(faults->disk, name, creates);
        file->syncs_names = creates && !(flags & SQLITE_OPEN_MAIN_DB);
        if (is_new) fault_change(faults);
    }
    pthread_mutex_unlock(&faults->lock);
    if (code == SQLITE_OK) code = faults->real->xOpen(faults->real, name, file->real, flags, out);
    // SQLite closes a file that could not be opened if it has methods.
    if (code != SQLITE_OK) return code;
    file->file.pMethods = &fault_file_methods;
    pthread_mutex_lock(&faults->lock);
    faults->users++;
    pthread_mutex_unlock(&faults->lock);
    return code;
}

static int delete_file(sqlite3_vfs *vfs, const char *name, int syncs) {
    fault_vfs *faults = self(vfs);
    pthread_mutex_lock(&faults->lock);
    int code = fault_in(faults, FAULT_DELETE);
    if (code == SQLITE_OK) {
        // The directory on the real disk needs no sync when power cuts are simulated.
        code = faults->real->xDelete(faults->real, name, faults->disk ? 0 : syncs);
        if (code == SQLITE_OK && faults->disk) {
            disk_delete(faults->disk, name);
            fault_change(faults);
            if (faults->is_off) code = SQLITE_IOERR_DELETE;
            else if (syncs) {
                fault_change(faults);
                if (faults->is_off) code = SQLITE_IOERR_DIR_FSYNC;
                else disk_sync_names(faults->disk);
            }
        }
    }
    pthread_mutex_unlock(&faults->lock);
    return code;
}

static int access_file(sqlite3_vfs *vfs, const char *name, int flags, int *result) {
    fault_vfs *faults = self(vfs);
    pthread_mutex_lock(&faults->lock);
    int code = fault_in(faults, FAULT_ACCESS);
    pthread_mutex_unlock(&faults->lock);
    return code ? code : faults->real->xAccess(faults->real, name, flags, result);
}

static int full_path(sqlite3_vfs *vfs, const char *name, int count, char *path) {
    return self(vfs)->real->xFullPathname(self(vfs)->real, name, count, path);
}

static int randomness(sqlite3_vfs *vfs, int count, char *bytes) {
    return self(vfs)->real->xRandomness(self(vfs)->real, count, bytes);
}

static int wait_for(sqlite3_vfs *vfs, int microseconds) {
    return self(vfs)->real->xSleep(self(vfs)->real, microseconds);
}

static int current_time(sqlite3_vfs *vfs, double *time) {
    return self(vfs)->real->xCurrentTime(self(vfs)->real, time);
}

static int last_error(sqlite3_vfs *vfs, int count, char *text) {
    return self(vfs)->real->xGetLastError(self(vfs)->real, count, text);
}

static int current_milliseconds(sqlite3_vfs *vfs, sqlite3_int64 *time) {
    return self(vfs)->real->xCurrentTimeInt64(self(vfs)->real, time);
}

fault_vfs *fault_vfs_create(const char *name) {
    sqlite3_vfs *real = sqlite3_vfs_find(0);
    fault_vfs *faults = real ? calloc(1, sizeof(*faults)) : 0;
    if (!faults || !(faults->name = strdup(name))) {
        free(faults);
        return 0;
    }
    pthread_mutex_init(&faults->lock, 0);
    faults->real = real;
    faults->users = 1;
    faults->vfs = (sqlite3_vfs){
        .iVersion = real->iVersion < 2 ? 1 : 2,
        .szOsFile = (int)sizeof(fault_file) + real->szOsFile,
        .mxPathname = real->mxPathname,
        .zName = faults->name,
        .xOpen = open_file,
        .xDelete = delete_file,
        .xAccess = access_file,
        .xFullPathname = full_path,
        .xRandomness = randomness,
        .xSleep = wait_for,
        .xCurrentTime = current_time,
        .xGetLastError = last_error,
        .xCurrentTimeInt64 = current_milliseconds,
    };
    if (sqlite3_vfs_register(&faults->vfs, 0) == SQLITE_OK) return faults;
    fault_vfs_destroy(faults);
    return 0;
}

void fault_vfs_destroy(fault_vfs *faults) {
    sqlite3_vfs_unregister(&faults->vfs);
    fault_release(faults);
}

void fault_release(fault_vfs *faults) {
    pthread_mutex_lock(&faults->lock);
    int users = --faults->users;
    pthread_mutex_unlock(&faults->lock);
    if (users) return;
    pthread_mutex_destroy(&faults->lock);
    disk_destroy(faults->disk);
    free(faults->name);
    free(faults);
}

void fault_vfs_arm(fault_vfs *faults, fault_plan plan) {
    pthread_mutex_lock(&faults->lock);
    faults->is_armed = 1;
    faults->plan = plan;
    faults->calls = faults->failures = 0;
    pthread_mutex_unlock(&faults->lock);
}

long fault_vfs_disarm(fault_vfs *faults) {
    pthread_mutex_lock(&faults->lock);
    faults->is_armed = 0;
    long failures = faults->failures;
    pthread_mutex_unlock(&faults->lock);
    return failures;
}

long fault_vfs_call_count(fault_vfs *faults) {
    pthread_mutex_lock(&faults->lock);
    long calls = faults->calls;
    pthread_mutex_unlock(&faults->lock);
    return calls;
}

void fault_vfs_track(fault_vfs *faults) {
    pthread_mutex_lock(&faults->lock);
    if (!faults->disk) faults->disk = disk_create();
    pthread_mutex_unlock(&faults->lock);
}

void fault_vfs_cut_power(fault_vfs *faults, long nth) {
    pthread_mutex_lock(&faults->lock);
    faults->until_cut = nth;
    pthread_mutex_unlock(&faults->lock);
}

int fault_vfs_is_off(fault_vfs *faults) {
    pthread_mutex_lock(&faults->lock);
    int is_off = faults->is_off;
    pthread_mutex_unlock(&faults->lock);
    return is_off;
}

int fault_vfs_restore(fault_vfs *faults, uint64_t seed) {
    pthread_mutex_lock(&faults->lock);
    int failed = faults->disk ? disk_restore(faults->disk, seed) : 0;
    faults->is_off = 0;
    faults->until_cut = 0;
    pthread_mutex_unlock(&faults->lock);
    return failed;
}
