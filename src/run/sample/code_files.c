#include "run/sample/code_files.h"

#include "base/strings.h"
#include "run/places/unwind_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct code_file {
    char *path;                          /* "": none */
    uint64_t device, inode, start, size; /* of the first map */
    uint32_t process;                    /* that had it first */
    uint32_t place;                      /* in the recording; 0: no sample was in it */
    uint8_t kind;                        /* enum sample_file_kind */
    char build_id[41];                   /* that its map has; empty: none */
    char *found;                         /* by the finder; NULL: at its path */
    bool is_missing, is_other;           /* by the finder */
    bool is_deleted, is_read;
    struct unwind_file *rules;
    struct stat facts; /* of what was read */
};

void code_files_begin(struct code_files *files, struct sample_recording *recording)
{
    *files = (struct code_files){.recording = recording, .files = ARRAY_OF(struct code_file)};
    array_add(&files->files);
    if (!recording->files.count)
        array_add(&recording->files);
}

/* ---- kinds ---- */

static bool starts_with(const char *text, const char *start)
{
    return !strncmp(text, start, strlen(start));
}

static uint8_t kind_of(const char *path)
{
    if (!strcmp(path, "[vdso]") || !strcmp(path, "[vsyscall]"))
        return SAMPLE_FILE_VDSO;
    if (!strcmp(path, "//toolong") || !strcmp(path, "//enomem"))
        return SAMPLE_FILE_UNKNOWN;
    bool has_file = path[0] == '/' && path[1] != '/' && !starts_with(path, "/memfd:") &&
                    !starts_with(path, "/dev/zero") && !starts_with(path, "/SYSV") &&
                    !starts_with(path, "/anon_hugepage");
    return has_file ? SAMPLE_FILE_CODE : SAMPLE_FILE_GENERATED;
}

/* Without the kernel's note that it was deleted. */
static char *plain_path(const char *path, uint8_t kind, bool *is_deleted)
{
    static const char note[] = " (deleted)";
    size_t length = strlen(path), note_length = sizeof note - 1;
    if (kind == SAMPLE_FILE_GENERATED && path[0] != '/')
        return memory_copy_text("", 0); /* all memory without a name is one */
    if (length > note_length && path[0] == '/' && !strcmp(path + length - note_length, note)) {
        *is_deleted = kind == SAMPLE_FILE_CODE;
        length -= note_length;
    }
    if (starts_with(path, "//"))
        length = 0;
    return memory_copy_text(path, length);
}

uint32_t code_files_find(struct code_files *files, uint32_t process, const struct collector_map *map)
{
    const char *path = map->path ? map->path : "";
    uint8_t kind = kind_of(path);
    bool is_deleted = map->is_deleted && kind == SAMPLE_FILE_CODE;
    char *plain = plain_path(path, kind, &is_deleted);
    bool is_file = kind == SAMPLE_FILE_CODE;
    uint64_t device = is_file ? map->device : 0, inode = is_file ? map->inode : 0;
    uint64_t hash = hash_mix(hash_mix(strings_hash(plain, strlen(plain)), inode),
                             kind == SAMPLE_FILE_GENERATED ? (uint64_t)process << 8 | kind : kind);
    const char *build_id = is_file && map->build_id ? map->build_id : "";
    size_t slot = SIZE_MAX;
    for (uint32_t place; (place = hash_index_next(&files->by_map, hash, &slot)) != UINT32_MAX;) {
        const struct code_file *file = ARRAY_AT(struct code_file, &files->files, place);
        if (file->kind == kind && file->inode == inode && file->device == device &&
            file->is_deleted == is_deleted && !strcmp(file->path, plain) &&
            (kind != SAMPLE_FILE_GENERATED || file->process == process) &&
            !strcmp(file->build_id, build_id)) {
            free(plain);
            return place;
        }
    }
    uint32_t place = (uint32_t)files->files.count;
    struct code_file *file = array_add(&files->files);
    file->path = plain;
    file->device = device;
    file->inode = inode;
    file->start = map->start;
    file->size = map->size;
    file->process = process;
    file->kind = kind;
    file->is_deleted = is_deleted;
    snprintf(file->build_id, sizeof file->build_id, "%s", build_id);
    hash_index_add(&files->by_map, hash, place);
    return place;
}

/* ---- reading ---- */

/* Whether the path holds another file than the one that was loaded.  Some file systems show other devices to
   stat than to the kernel's maps (overlayfs, btrfs): then the numbers of files mean nothing. */
static bool is_another(const struct code_file *file)
{
    return file->inode && file->device == file->facts.st_dev && file->inode != file->facts.st_ino;
}

/* The file itself; as the process sees it (a container); what the kernel still has of a deleted one. */
static void read_file(struct code_file *file)
{
    char *seen = memory_format("/proc/%u/root%s", file->process, file->path);
    char *kept = memory_format("/proc/%u/map_files/%llx-%llx", file->process, (unsigned long long)file->start,
                               (unsigned long long)(file->start + file->size));
    const char *ways[] = {file->is_deleted ? kept : file->path, file->is_deleted ? NULL : seen};
    bool is_missing = false;
    for (int i = 0; i < 2 && ways[i]; i++) {
        if (stat(ways[i], &file->facts)) {
            is_missing |= !i && errno == ENOENT;
            continue;
        }
        if (!file->is_deleted && is_another(file)) {
            file->is_deleted = true;
            ways[0] = kept;
            ways[1] = NULL;
            i = -1;
            continue;
        }
        file->rules = unwind_file_open(ways[i], NULL);
        if (unwind_file_is_elf(file->rules))
            break;
        unwind_file_close(file->rules);
        file->rules = NULL;
        if (S_ISREG(file->facts.st_mode) && !file->is_deleted) {
            file->kind = SAMPLE_FILE_GENERATED; /* a file, but not of code */
            break;
        }
    }
    if (is_missing && !file->rules)
        file->is_deleted = true;
    free(seen);
    free(kept);
}

static void find_file(const struct code_finder *finder, struct code_file *file)
{
    struct code_finding finding = finder->find(finder->context, file->path, file->build_id, file->is_deleted);
    memcpy(file->build_id, finding.build_id, sizeof file->build_id);
    file->is_other = !finding.path && finding.is_other;
    file->is_missing = !finding.path && !finding.is_other;
    file->is_deleted = false;
    file->rules = finding.path ? unwind_file_open(finding.path, NULL) : NULL;
    if (finding.path && strcmp(finding.path, file->path))
        file->found = finding.path;
    else
        free(finding.path);
}

struct code_file *code_files_read(struct code_files *files, struct map_range *range)
{
    struct code_file *file = ARRAY_AT(struct code_file, &files->files, range->code);
    if (!file->is_read) {
        file->is_read = true;
        if (file->kind == SAMPLE_FILE_CODE && files->finder)
            find_file(files->finder, file);
        else if (file->kind == SAMPLE_FILE_CODE)
            read_file(file);
        else if (file->kind == SAMPLE_FILE_VDSO && !files->finder)
            file->rules = unwind_file_open("[vdso]", NULL);
    }
    if (!range->has_bias) {
        range->has_bias = true;
        if (file->kind == SAMPLE_FILE_VDSO)
            range->bias = range->start;
        else if (file->kind == SAMPLE_FILE_CODE)
            range->bias =
                range->start - unwind_file_address(file->rules, range->offset, range->end - range->start);
    }
    return file;
}

uint32_t code_file_place(struct code_files *files, struct code_file *file)
{
    if (file->place)
        return file->place;
    file->place = (uint32_t)files->recording->files.count;
    struct sample_file *row = array_add(&files->recording->files);
    row->path = file->path[0] ? memory_copy_text(file->path, strlen(file->path)) : NULL;
    row->kind = file->kind;
    row->process = file->kind == SAMPLE_FILE_GENERATED ? file->process : 0;
    row->is_deleted = file->is_deleted;
    row->is_missing = file->is_missing;
    row->has_other_code = file->is_other;
    row->found = file->found ? memory_copy_text(file->found, strlen(file->found)) : NULL;
    if (file->rules)
        unwind_file_build_id(file->rules, row->build_id);
    else
        memcpy(row->build_id, file->build_id, sizeof row->build_id);
    return file->place;
}

uint32_t code_files_place_of(struct code_files *files, uint32_t file)
{
    return code_file_place(files, ARRAY_AT(struct code_file, &files->files, file));
}

struct unwind_file *code_file_rules(const struct code_file *file)
{
    return file->rules;
}

uint32_t code_files_kernel(struct code_files *files)
{
    if (!files->kernel) {
        files->kernel = (uint32_t)files->recording->files.count;
        struct sample_file *row = array_add(&files->recording->files);
        row->kind = SAMPLE_FILE_KERNEL;
    }
    return files->kernel;
}

/* ---- the end ---- */

static bool is_same(const struct stat *left, const struct stat *right)
{
    return left->st_dev == right->st_dev && left->st_ino == right->st_ino &&
           left->st_size == right->st_size && left->st_mtim.tv_sec == right->st_mtim.tv_sec &&
           left->st_mtim.tv_nsec == right->st_mtim.tv_nsec;
}

static void look_again(const struct code_file *file, struct sample_file *row)
{
    struct stat facts;
    char build_id[41] = "";
    if (stat(file->path, &facts)) {
        row->is_deleted |= errno == ENOENT || errno == ENOTDIR;
        return;
    }
    if (file->rules && !file->is_deleted && is_same(&file->facts, &facts))
        return;
    struct unwind_file *now = unwind_file_open(file->path, NULL);
    unwind_file_build_id(now, build_id);
    unwind_file_close(now);
    if (row->build_id[0] && !strcmp(row->build_id, build_id))
        return;
    row->is_deleted = row->has_other_code = true;
}

void code_files_end(struct code_files *files)
{
    for (size_t i = 1; i < files->files.count; i++) {
        struct code_file *file = ARRAY_AT(struct code_file, &files->files, i);
        if (file->place && file->kind == SAMPLE_FILE_CODE && !files->finder)
            look_again(file, ARRAY_AT(struct sample_file, &files->recording->files, file->place));
        unwind_file_close(file->rules);
        free(file->path);
        free(file->found);
    }
    array_free(&files->files);
    hash_index_free(&files->by_map);
}
