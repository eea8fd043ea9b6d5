/* A codelet in the making: tables that grow, and a file that gets their contents first and their heads last.
 */
#ifndef CHANGE_OPTIMISE_REPLAY_DRAFT_H
#define CHANGE_OPTIMISE_REPLAY_DRAFT_H
#include "base/error.h"
#include "base/memory.h"
#include "runtime/replay/codelet_file.h"

#include <stdbool.h>
#include <sys/types.h>

struct draft {
    struct codelet_header header;
    union {
        struct codelet_aarch64 aarch64;
        struct codelet_x86 x86;
    } registers;
    struct array regions, stretches, modules, symbols, objects; /* of struct codelet_… */
    struct array names;                                         /* of char */
    int file;                                                   /* unnamed */
    uint64_t end;                                               /* of what was written */
    bool is_apart; /* the next stretch is in another region than the last */
};

/* A file without a name in the folder of `path`, where the codelet shall be. */
bool draft_begin(struct draft *draft, const char *path, struct error *error);
uint32_t draft_name(struct draft *draft, const char *text);
const char *draft_text(const struct draft *draft, uint32_t name);
/* Contents of memory, whole pages; those that are zero are left out.  Addresses only grow. */
bool draft_add_pages(struct draft *draft, uint64_t address, const void *pages, uint64_t bytes,
                     struct error *error);
/* A stretch that has no contents. */
void draft_add_dropped(struct draft *draft, uint64_t address, uint64_t bytes);
/* Tables, names and the header. */
bool draft_finish(struct draft *draft, struct error *error);
void draft_free(struct draft *draft);

/* process_memory.c: regions and their contents, of a stopped process. */
bool draft_take_memory(struct draft *draft, pid_t process, uint64_t limit, struct error *error);
/* process_registers.c: registers of a stopped thread. */
bool draft_take_registers(struct draft *draft, pid_t thread, struct error *error);
/* process_symbols.c: loaded files and their names. The thread is used to resolve ifuncs, after everything
   else: its stack and registers are not what they were afterwards. */
bool draft_take_symbols(struct draft *draft, pid_t process, pid_t thread, struct error *error);
/* process_debug.c: what the debug information of the function's file says: its result, what its arguments
   point to, variables.  Nothing where there is none. */
void draft_take_debug(struct draft *draft);
#endif
