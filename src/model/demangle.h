/* Names of C++ and Rust functions as the source has them, through libiberty, and those of procedures in
   Fortran modules (bugs::total). */
#ifndef MODEL_DEMANGLE_H
#define MODEL_DEMANGLE_H

/* The name as in the source, to be freed, or NULL where name is not mangled (or names nothing sensible). */
char *demangle_name(const char *name);
#endif
