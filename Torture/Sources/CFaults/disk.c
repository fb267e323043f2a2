// Each file has two contents, that which programs see and that which is on the disk for certain; each name has two
// files in the same way.

#include "disk.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SECTOR = 512 };

typedef struct {
    char *bytes;
    int64_t size;
} content;

struct disk_file {
    content current, durable;
    disk_file *next;
};

typedef struct entry {
    char *path;
    disk_file *current, *durable;
    struct entry *next;
} entry;

struct disk {
    entry *entries;
    disk_file *files;
};

/// A test without memory for it ends.
static void *checked(void *memory) {
    if (!memory) abort();
    return memory;
}

static void resize(content *content, int64_t size) {
    if (size > content->size) {
        content->bytes = checked(realloc(content->bytes, size));
        memset(content->bytes + content->size, 0, size - content->size);
    }
    content->size = size;
}

static void copy(content *to, const content *from) {
    resize(to, from->size);
    if (from->size) memcpy(to->bytes, from->bytes, from->size);
}

disk *disk_create(void) {
    return checked(calloc(1, sizeof(disk)));
}

static void remove_all(disk *disk) {
    while (disk->entries) {
        entry *entry = disk->entries;
        disk->entries = entry->next;
        free(entry->path);
        free(entry);
    }
    while (disk->files) {
        disk_file *file = disk->files;
        disk->files = file->next;
        free(file->current.bytes);
        free(file->durable.bytes);
        free(file);
    }
}

void disk_destroy(disk *disk) {
    if (disk) remove_all(disk);
    free(disk);
}

static entry *find(disk *disk, const char *path) {
    for (entry *entry = disk->entries; entry; entry = entry->next)
        if (!strcmp(entry->path, path)) return entry;
    entry *entry = checked(calloc(1, sizeof(*entry)));
    entry->path = checked(strdup(path));
    entry->next = disk->entries;
    disk->entries = entry;
    return entry;
}

static disk_file *new_file(disk *disk) {
    disk_file *file = checked(calloc(1, sizeof(*file)));
    file->next = disk->files;
    disk->files = file;
    return file;
}

/// Reads a real file that no entry knows yet.
static disk_file *read_file(disk *disk, const char *path) {
    int descriptor = open(path, O_RDONLY);
    if (descriptor < 0) return 0;
    disk_file *file = new_file(disk);
    struct stat status;
    if (!fstat(descriptor, &status)) {
        resize(&file->current, status.st_size);
        if (pread(descriptor, file->current.bytes, status.st_size, 0) != status.st_size) abort();
    }
    close(descriptor);
    copy(&file->durable, &file->current);
    return file;
}

disk_file *disk_open(disk *disk, const char *path, int creates) {
    entry *entry = find(disk, path);
    if (!entry->current && !entry->durable) entry->current = entry->durable = read_file(disk, path);
    if (!entry->current && creates) entry->current = new_file(disk);
    return entry->current;
}

void disk_write(disk_file *file, const void *bytes, int count, int64_t offset) {
    if (offset + count > file->current.size) resize(&file->current, offset + count);
    memcpy(file->current.bytes + offset, bytes, count);
}

void disk_truncate(disk_file *file, int64_t size) {
    resize(&file->current, size);
}

void disk_sync(disk_file *file) {
    copy(&file->durable, &file->current);
}

void disk_delete(disk *disk, const char *path) {
    find(disk, path)->current = 0;
}

void disk_sync_names(disk *disk) {
    for (entry *entry = disk->entries; entry; entry = entry->next) entry->durable = entry->current;
}

/// SplitMix64.
static int coin(uint64_t *state) {
    uint64_t z = *state += 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return (z ^ (z >> 31)) & 1;
}

/// What is left of a file whose last writes were not synced.
static content survivors(const disk_file *file, uint64_t *state) {
    content left = {0, 0};
    const content *current = &file->current, *durable = &file->durable;
    resize(&left, current->size == durable->size || coin(state) ? current->size : durable->size);
    int64_t kept = durable->size < left.size ? durable->size : left.size;
    if (kept) memcpy(left.bytes, durable->bytes, kept);
    for (int64_t offset = 0; offset < left.size && offset < current->size; offset += SECTOR) {
        int64_t end = offset + SECTOR < left.size ? offset + SECTOR : left.size;
        int64_t count = (end < current->size ? end : current->size) - offset;
        int is_same = offset + count <= kept && !memcmp(current->bytes + offset, left.bytes + offset, count);
        if (!is_same && coin(state)) memcpy(left.bytes + offset, current->bytes + offset, count);
    }
    return left;
}

static int write_file(const char *path, const content *content) {
    int descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (descriptor < 0) return errno;
    int failed = pwrite(descriptor, content->bytes, content->size, 0) == content->size ? 0 : EIO;
    close(descriptor);
    return failed;
}

int disk_restore(disk *disk, uint64_t seed) {
    int failed = 0;
    for (entry *entry = disk->entries; entry && !failed; entry = entry->next) {
        disk_file *file = entry->current == entry->durable || coin(&seed) ? entry->current : entry->durable;
        if (!file) {
            if (unlink(entry->path) && errno != ENOENT) failed = errno;
            continue;
        }
        content left = survivors(file, &seed);
        failed = write_file(entry->path, &left);
        free(left.bytes);
    }
    // What is there now is read when it is next opened.
    remove_all(disk);
    return failed;
}
