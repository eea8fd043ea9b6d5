/* Files whose code is mapped into processes: which kind each is, where its segments lie, its call frame
   information.

   A file is found by the path, device and inode of a map, and read when code of it is first seen in a sample:
   most files of a run never are.  Only these get a place in the recording. */
#ifndef RUN_SAMPLE_CODE_FILES_H
#define RUN_SAMPLE_CODE_FILES_H
#include "run/sample/collector.h"
#include "run/sample/maps.h"
#include "base/hash_index.h"

/* Where a file of a recording by others lies here. */
struct code_finding {
    char *path;        /* to be freed; NULL: nowhere */
    bool is_other;     /* what lies at its path is another build */
    char build_id[41]; /* of the file that ran; empty: unknown */
};
struct code_finder {
    void *context;
    /* build_id: as its map says; empty: it does not.  is_deleted: while it ran, another may have come to its path. */
    struct code_finding (*find)(void *context, const char *path, const char *build_id, bool is_deleted);
};

struct code_file;
struct code_files {
    struct sample_recording *recording;
    struct code_finder *finder; /* NULL: files are where the processes saw them */
    struct array files;         /* of struct code_file; 0: none */
    struct hash_index by_map;
    uint32_t kernel; /* place in the recording; 0: none yet */
};
void code_files_begin(struct code_files *files, struct sample_recording *recording);
/* Finds out which files were deleted or replaced meanwhile, and closes all. */
void code_files_end(struct code_files *files);

/* The code of a map: a place in files. */
uint32_t code_files_find(struct code_files *files, uint32_t process, const struct collector_map *map);
/* Reads the file if it was not read yet; sets the bias of a range if it has none. */
struct code_file *code_files_read(struct code_files *files, struct map_range *range);
/* Place in the recording. */
uint32_t code_file_place(struct code_files *files, struct code_file *file);
/* The same of a file that code_files_find gave. */
uint32_t code_files_place_of(struct code_files *files, uint32_t file);
/* NULL: none. */
struct unwind_file *code_file_rules(const struct code_file *file);
uint32_t code_files_kernel(struct code_files *files);
#endif
