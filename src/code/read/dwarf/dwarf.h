/* Debug information becomes rows: units, files, source lines with their inline stacks, inlined calls,
   symbols of origin "debug", types, variables and their locations.

   DWARF 2 to 5, compressed sections, separate debug files, split units in .dwo files and the shared files
   that dwz makes.  Not supported: .dwp packages (libdw 0.188 cannot) and unknown versions; both are counted
   in the table problems. */
#ifndef CODE_READ_DWARF_DWARF_H
#define CODE_READ_DWARF_DWARF_H
#include "model/model.h"
#include "model/part.h"

#include <elfutils/libdwfl.h>

/* Adds the module's debug information about the program, whose row (and symbols, if it has any) must exist.
   Addresses are those of the linked file, or of libdwfl's layout for relocatable files.  Damage is counted in
   the table problems and the rest is kept; false only if nothing could be read for a reason that the user
   should know.

   With a part (NULL: all), units without code at its addresses have a row of units and nothing else, and
   other functions of the units that have some have symbols and source lines. */
bool dwarf_read(struct model *model, uint32_t program, Dwfl_Module *module, const struct model_part *part,
                struct error *error);
#endif
