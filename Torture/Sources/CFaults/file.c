// The files of the VFS.

#include "vfs.h"

static fault_file *self(sqlite3_file *file) {
    return (fault_file *)file;
}

/// What a call that changes nothing is to return in place of doing its work.
static int fault(sqlite3_file *file, unsigned operation) {
    fault_vfs *vfs = self(file)->vfs;
    pthread_mutex_lock(&vfs->lock);
    int code = fault_in(vfs, operation);
    pthread_mutex_unlock(&vfs->lock);
    return code;
}

static int close_file(sqlite3_file *file) {
    fault_vfs *vfs = self(file)->vfs;
    int code = self(file)->real->pMethods->xClose(self(file)->real);
    fault_release(vfs);
    return code;
}

static int read_file(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
    int code = fault(file, FAULT_READ);
    return code ? code : self(file)->real->pMethods->xRead(self(file)->real, bytes, count, offset);
}

static int write_file(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    fault_vfs *vfs = self(file)->vfs;
    sqlite3_file *real = self(file)->real;
    pthread_mutex_lock(&vfs->lock);
    int code = fault_in(vfs, FAULT_WRITE);
    int is_torn = code && vfs->is_armed && !vfs->is_off && vfs->plan.is_torn;
    if (!code || is_torn) {
        int written = is_torn ? count / 2 : count;
        int result = real->pMethods->xWrite(real, bytes, written, offset);
        if (!code) code = result;
        if (self(file)->disk && result == SQLITE_OK) {
            disk_write(self(file)->disk, bytes, written, offset);
            fault_change(vfs);
            if (vfs->is_off) code = SQLITE_IOERR_WRITE;
        }
    }
    pthread_mutex_unlock(&vfs->lock);
    return code;
}

static int truncate_file(sqlite3_file *file, sqlite3_int64 size) {
    fault_vfs *vfs = self(file)->vfs;
    pthread_mutex_lock(&vfs->lock);
    int code = fault_in(vfs, FAULT_TRUNCATE);
    if (!code) code = self(file)->real->pMethods->xTruncate(self(file)->real, size);
    if (!code && self(file)->disk) {
        disk_truncate(self(file)->disk, size);
        fault_change(vfs);
        if (vfs->is_off) code = SQLITE_IOERR_TRUNCATE;
    }
    pthread_mutex_unlock(&vfs->lock);
    return code;
}

static int sync_file(sqlite3_file *file, int flags) {
    fault_vfs *vfs = self(file)->vfs;
    pthread_mutex_lock(&vfs->lock);
    int code = fault_in(vfs, FAULT_SYNC);
    if (!code && self(file)->disk) {
        fault_change(vfs);
        if (vfs->is_off) {
            code = SQLITE_IOERR_FSYNC;
        } else {
            disk_sync(self(file)->disk);
            if (self(file)->syncs_names) disk_sync_names(vfs->disk);
            self(file)->syncs_names = 0;
        }
    } else if (!code) {
        code = self(file)->real->pMethods->xSync(self(file)->real, flags);
    }
    pthread_mutex_unlock(&vfs->lock);
    return code;
}

static int size_file(sqlite3_file *file, sqlite3_int64 *size) {
    int code = fault(file, FAULT_SIZE);
    return code ? code : self(file)->real->pMethods->xFileSize(self(file)->real, size);
}

static int lock_file(sqlite3_file *file, int level) {
    int code = fault(file, FAULT_LOCK);
    return code ? code : self(file)->real->pMethods->xLock(self(file)->real, level);
}

static int unlock_file(sqlite3_file *file, int level) {
    return self(file)->real->pMethods->xUnlock(self(file)->real, level);
}

static int check_lock(sqlite3_file *file, int *result) {
    int code = fault(file, FAULT_LOCK);
    return code ? code : self(file)->real->pMethods->xCheckReservedLock(self(file)->real, result);
}

static int control_file(sqlite3_file *file, int operation, void *argument) {
    return self(file)->real->pMethods->xFileControl(self(file)->real, operation, argument);
}

static int sector_size(sqlite3_file *file) {
    return self(file)->real->pMethods->xSectorSize(self(file)->real);
}

static int characteristics(sqlite3_file *file) {
    // Of what the real disk can do, what a sector of 512 bytes can as well.
    return self(file)->real->pMethods->xDeviceCharacteristics(self(file)->real) & SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

static int map_memory(sqlite3_file *file, int region, int size, int extends, void volatile **memory) {
    int code = fault(file, FAULT_SHARED_MEMORY);
    return code ? code : self(file)->real->pMethods->xShmMap(self(file)->real, region, size, extends, memory);
}

static int lock_memory(sqlite3_file *file, int offset, int count, int flags) {
    int code = flags & SQLITE_SHM_LOCK ? fault(file, FAULT_SHARED_MEMORY) : SQLITE_OK;
    return code ? code : self(file)->real->pMethods->xShmLock(self(file)->real, offset, count, flags);
}

static void order_memory(sqlite3_file *file) {
    self(file)->real->pMethods->xShmBarrier(self(file)->real);
}

static int unmap_memory(sqlite3_file *file, int deletes) {
    return self(file)->real->pMethods->xShmUnmap(self(file)->real, deletes);
}

const sqlite3_io_methods fault_file_methods = {
    .iVersion = 2,
    .xClose = close_file,
    .xRead = read_file,
    .xWrite = write_file,
    .xTruncate = truncate_file,
    .xSync = sync_file,
    .xFileSize = size_file,
    .xLock = lock_file,
    .xUnlock = unlock_file,
    .xCheckReservedLock = check_lock,
    .xFileControl = control_file,
    .xSectorSize = sector_size,
    .xDeviceCharacteristics = characteristics,
    .xShmMap = map_memory,
    .xShmLock = lock_memory,
    .xShmBarrier = order_memory,
    .xShmUnmap = unmap_memory,
};
