/* The members of ar archives, thin ones included, one by one. */
#ifndef CODE_READ_ELF_ARCHIVE_H
#define CODE_READ_ELF_ARCHIVE_H
#include "model/model.h"

enum { ARCHIVE_MAGIC = 8 }; /* bytes */

struct archive {
    struct span bytes;
    bool is_thin; /* members are separate files, named relative to the archive */
    size_t at;
    struct span long_names;
    bool is_damaged; /* the walk ended before the archive did */
};

struct archive_member {
    char *name;        /* the caller frees it */
    struct span bytes; /* empty for members of thin archives */
};

bool archive_open(struct archive *archive, struct span bytes); /* false if it is not an archive */
/* The next member, without the archive's own tables; false at the end. */
bool archive_next(struct archive *archive, struct archive_member *member);
#endif
