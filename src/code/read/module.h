/* The debug information that belongs to an ELF file, in the file or in a separate one, as a module of
 * libdwfl. */
#ifndef CODE_READ_MODULE_H
#define CODE_READ_MODULE_H
#include "code/read/elf/elf.h"
#include "code/read/read.h"
#include <elfutils/libdwfl.h>

struct module {
    struct elf *elf;
    Dwfl *dwfl;
    Dwfl_Module *handle; /* NULL if libdwfl cannot use the file; a problem was recorded */
    Dwfl_Callbacks callbacks;
    char *search_path;
    struct span
        copy; /* of a relocatable file, whose debug sections libdwfl relocates in place; of Knights Corner's */
};

/* Call it right after elf_open: it may move the sections of a relocatable file. */
void module_open(struct module *module, struct elf *elf, const char *name,
                 const struct read_options *options);
/* The symbol table of the separate debug file, if the file itself has none. */
void module_read_symbols(struct module *module);
/* The .debug_frame section, which can describe code that .eh_frame does not. */
void module_read_frames(struct module *module);
/* Everything else, through dwarf_read, and the columns of programs about debug information.  With a part,
   only what belongs to it. */
void module_read_debug(struct module *module, const struct model_part *part);
void module_close(struct module *module);
#endif
