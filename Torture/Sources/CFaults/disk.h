// What is on a disk for certain, and what may be.

#ifndef DISK_H
#define DISK_H

#include <stdint.h>

/// The files of a disk by their names.
typedef struct disk disk;
/// A file, whatever its name is now.
typedef struct disk_file disk_file;

disk *disk_create(void);
void disk_destroy(disk *disk);

/// The file of a name; what the real one holds is on the disk for certain. One that is missing is created if asked for.
disk_file *disk_open(disk *disk, const char *path, int creates);
void disk_write(disk_file *file, const void *bytes, int count, int64_t offset);
void disk_truncate(disk_file *file, int64_t size);
/// What the file holds now is on the disk.
void disk_sync(disk_file *file);
void disk_delete(disk *disk, const char *path);
/// What the files are called now is on the disk.
void disk_sync_names(disk *disk);
/// Writes the real files as a power cut may leave them. Returns 0, or an errno.
int disk_restore(disk *disk, uint64_t seed);

#endif
