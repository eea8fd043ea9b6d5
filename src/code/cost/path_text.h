/* A path through an innermost loop as a text that can be edited (code/read/listing/code_text.h): the same
   cycles come out of it (text_block.h, as a loop) as of the path itself.  What leads into the loop stands
   before it where the cycles depend on it, which is rare. */
#ifndef CODE_COST_PATH_TEXT_H
#define CODE_COST_PATH_TEXT_H
#include "code/cost/loops.h"

struct path_text {
    const struct model *model;
    const struct machine *machine;
    /* The name of what is at an address, for comments; NULL: none.  It may be asked for any address. */
    const char *(*name)(void *context, uint64_t address);
    /* The bytes of a block, where the model does not have them; NULL: it has. */
    struct span (*bytes)(void *context, uint32_t block);
    void *context;
    /* Filled. */
    char *text; /* to be freed */
    bool has_entry;
    unsigned raw_count;    /* instructions that had to be spelled as bytes */
    struct loop_path path; /* with its cycles on the machine */
};

/* path: of loop_paths_list. */
bool path_text_write(struct path_text *work, const struct loop_path *path, struct error *error);
#endif
