/* Parts of files: which functions of a large file a command needs. */
#ifndef MODEL_PART_H
#define MODEL_PART_H
#include <stddef.h>
#include <stdint.h>

/* The functions that contain these addresses (sorted, as the file numbers them), and nothing else of the
 * file. */
struct model_part {
    const char *path;
    const uint64_t *addresses;
    size_t count;
};
#endif
