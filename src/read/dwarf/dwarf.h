/* Debug information becomes rows: units, files, source lines with their inline stacks, inlined calls,
   symbols of origin "debug", types, variables and their locations.

   DWARF 2 to 5, compressed sections, separate debug files, split units in .dwo files and the shared files
   that dwz makes.  Not: .dwp packages (libdw 0.188 cannot) and units whose version it does not know; both are
   counted in the table problems. */
#ifndef READ_DWARF_DWARF_H
#define READ_DWARF_DWARF_H
#include "model/model.h"

#include <elfutils/libdwfl.h>

/* Adds what the module's debug information says about the program, whose row (and symbols, where it has some)
   must be there.  Addresses are those of the file as linked; for relocatable files those that libdwfl laid
   the sections out at.  Damage is counted in the table problems and the rest is kept; false only where
   nothing could be read at all for a reason that a person should hear of. */
bool dwarf_read(struct model *model, uint32_t program, Dwfl_Module *module, struct error *error);
#endif
