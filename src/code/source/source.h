/* Loops of source files with the operations of one iteration, for the MA bound: rows of source_loops.

   C and C++ are read by libclang, loaded when it is needed; Fortran by gfortran, whose dump of the parsed
   program is read.  Counted as the first paper does: each floating-point multiply, add, subtract, divide,
   comparison, minimum and maximum is one operation, each array access (indexing, dereference of a computed
   pointer) one memory operation, each loop, if, switch and break one branch.  Operations of inner loops are
   not counted for outer ones.  docs/sources.md has the rules in full. */
#ifndef CODE_SOURCE_SOURCE_H
#define CODE_SOURCE_SOURCE_H
#include "base/trust.h"
#include "model/model.h"

struct source_options {
    const char
        *compile_commands; /* path of compile_commands.json or its directory; NULL: look beside the source */
    const char *flags;     /* compiler options from the debug information, or NULL */
    const char *directory; /* of the compilation, or NULL */
    const char *unit;      /* the source that was compiled, where path is a header of it; NULL: path itself */
    uint32_t program;      /* problems are noted for it; 0: for none */
    struct trust *trust;   /* whether files that the source or its options name may be read; NULL: none */
};

/* Adds the loops of one source file, unless they exist already. false if it cannot be read; the error says
   what to do (which package to install, which option).  Partly read files become problems of kind SOURCE.
   Rows of source_loops stay in order of file and line, so ids of rows of later files change. */
bool source_read(struct model *model, const char *path, const struct source_options *options,
                 struct error *error);
#endif
