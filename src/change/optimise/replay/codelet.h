/* A codelet that was read: mapped, and every number of it checked. */
#ifndef CHANGE_OPTIMISE_REPLAY_CODELET_H
#define CHANGE_OPTIMISE_REPLAY_CODELET_H
#include "base/error.h"
#include "runtime/replay/codelet_file.h"

#include <stdbool.h>
#include <stddef.h>

struct codelet {
    int file;
    char *path;
    const char *bytes;
    uint64_t size;
    const struct codelet_header *header;
    const struct codelet_region *regions;
    const struct codelet_stretch *stretches;
    const struct codelet_module *modules;
    const struct codelet_symbol *symbols;
    const struct codelet_object *objects;
};

bool codelet_open(const char *path, struct codelet *codelet, struct error *error);
/* The same of a descriptor, which stays the caller's; path is for messages. */
bool codelet_open_file(int file, const char *path, struct codelet *codelet, struct error *error);
void codelet_close(struct codelet *codelet);
const char *codelet_text(const struct codelet *codelet, uint32_t name);
/* Bytes of contents that the file has. */
uint64_t codelet_contents(const struct codelet *codelet);
/* What a name means for code of this source file (NULL: not known) in the module of the function: the
   file's own static first, then the module's, then the others' in their order. NULL: nobody has it;
   *is_doubtful: several static ones have it. */
const struct codelet_symbol *codelet_find(const struct codelet *codelet, const char *name, const char *source,
                                          bool *is_doubtful);
/* The same of a static variable of a function, which extracts call NAME..FUNCTION: it is NAME.N in programs,
   and which N is whose is known by the debug information. *is_doubtful: not known, and there are several. */
#define CODELET_STATIC ".."
const struct codelet_symbol *codelet_find_static(const struct codelet *codelet, const char *label,
                                                 const char *source, bool *is_doubtful);
/* The data or function that an address belongs to; NULL: none. */
const struct codelet_symbol *codelet_symbol_at(const struct codelet *codelet, uint64_t address);
/* The pages at an address; NULL: zero, or not in the file. */
const void *codelet_memory(const struct codelet *codelet, uint64_t address, uint64_t *bytes);
#endif
