/* Names of C++ and Rust functions as the source has them, through libiberty, and those of procedures in
   Fortran modules (bugs::total). */
#ifndef MODEL_DEMANGLE_H
#define MODEL_DEMANGLE_H

/* The name as in the source, to be freed, or NULL where name is not mangled (or names nothing sensible). */
char *demangle_name(const char *name);
/* The same for names of C++ and Rust alone, which begin with _ and are not endless. */
char *demangle_by_library(const char *name);
#endif
