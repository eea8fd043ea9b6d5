/* A function's name as a person writes it, found in a file. */
#ifndef CHANGE_OPTIMISE_REPLAY_FUNCTION_SYMBOL_H
#define CHANGE_OPTIMISE_REPLAY_FUNCTION_SYMBOL_H
#include "base/error.h"

#include <stdint.h>

struct function_symbol {
    char *name; /* as the linker sees it; to be freed */
    uint64_t address, size;
    uint64_t lowest; /* address of the file's first loaded page */
};
/* The exact symbol; else a Fortran procedure of that name; else a C++ function by its name, with or without
   its parameters. */
bool function_symbol_find(const char *path, const char *function, struct function_symbol *found,
                          struct error *error);
#endif
