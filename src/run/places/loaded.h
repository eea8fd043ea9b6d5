/* Addresses in the memory of a watched process, as places of the model. */
#ifndef RUN_PLACES_LOADED_H
#define RUN_PLACES_LOADED_H
#include "model/model.h"

/* A file that was loaded into a process of the run, and where. */
struct places_loaded {
    char *path;
    uint64_t start, end; /* addresses in memory of all its loaded segments */
    uint64_t bias;       /* address in memory - address in the file */
    char build_id[41];   /* hexadecimal; empty: none */
    uint64_t events;     /* that happened in its code; 0: only in stacks */
    uint32_t program;    /* row of programs; 0: not in the model */
};
struct places_location {
    uint32_t program, function, loop, instruction; /* rows; 0: unknown */
    uint32_t file, line;
    uint32_t inlined_call;
    uint64_t address; /* as the file numbers it; in memory where program is 0 */
    string_id name;   /* as text, if the model does not have the code */
};
/* Finds the programs of modules by build-id, else by path, and puts the modules in order of their addresses:
   numbers of modules are invalid afterwards. */
void places_match_loaded(struct model *model, struct array *modules);
/* The module that an address in memory lies in, or NULL. */
struct places_loaded *places_loaded_at(const struct array *modules, uint64_t address);
struct places_location places_locate(struct model *model, const struct array *modules, uint64_t address);
/* The program that is this file: the one with its build-id ("": none); where either has none, the one at its
   path (NULL: none).  0: not in the model. */
uint32_t places_program_of(const struct model *model, const char *build_id, const char *path);
/* The same for an address of a program, as its file numbers it; without a name. */
struct places_location places_locate_in(struct model *model, uint32_t program, uint64_t address);
/* The block that an address of a program lies in, as its file numbers it; or 0. */
uint32_t places_block_at(struct model *model, uint32_t program, uint64_t address);
/* Whether a loop's own blocks have calls; those of loops within it do not count. */
bool places_has_calls(const struct model *model, uint32_t loop);
void places_free_loaded(struct array *modules);
/* symbols.c: the name of the function symbol there; 0: none.  The path may be NULL. */
string_id places_name_symbol(struct model *model, const char *path, uint64_t address);
/* "expf (libm.so.6)" or "libm.so.6+0x1234", for code of a file that is not in the model; address
   as the file numbers it. */
string_id places_name_code(struct model *model, const char *path, uint64_t address);
#endif
