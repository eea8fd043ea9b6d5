/* A file becomes rows: programs, sections, symbols, relocations, landing pads, data ranges, and from the
   debug information units, files, source lines, inlined calls, types, variables and their locations.  Code is
   not decoded here: code/structure/ does that, asking isa.h.

   Handles ELF executables, shared objects, relocatable files and archives of them, and assembly listings
   (listing.h), for x86-64, i386, AArch64 and IA-64.  Damaged parts are skipped if the rest is still usable,
   and counted in the table problems.  Separate debug files are searched by build-id and debug link, unless
   the options exclude debug information. */
#ifndef CODE_READ_READ_H
#define CODE_READ_READ_H
#include "base/trust.h"
#include "model/model.h"
#include "model/part.h"

struct read_options {
    unsigned threads;            /* 0: one for each processor */
    bool without_debug;          /* do not read debug information */
    const char *debug_directory; /* another directory with separate debug files, or NULL */
    enum isa isa;                /* of assembly listings; isa_NONE: detected from their text */
    struct trust *trust;         /* whether files that a listing or an archive names may be read */
    /* For listings, each list ended by NULL, or NULL: macros for the preprocessor ("NAME" or "NAME=TEXT"),
       and additional folders for included files. */
    const char *const *macros, *const *folders;
    /* Of these files only the parts are needed: debug information of other functions may be left out. */
    const struct model_part *parts;
    size_t part_count;
};

/* Adds the files' programs: one for each binary and archive member, one for all listings of one instruction
   set.  Nothing is printed; the error names the file. */
bool read_files(struct model *model, const char *const *paths, size_t count,
                const struct read_options *options, struct error *error);
/* Adds the file's programs to the model.  Nothing is printed; the error names the file. */
bool read_file(struct model *model, const char *path, const struct read_options *options,
               struct error *error);
#endif
