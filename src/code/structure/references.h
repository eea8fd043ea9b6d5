/* Addresses in code that a program holds: as pointers in its data, or computed by its code. */
#ifndef CODE_STRUCTURE_REFERENCES_H
#define CODE_STRUCTURE_REFERENCES_H
#include "code/structure/layout.h"

/* Those that lie in functions of unknown size: of uint64_t, sorted, each once. */
struct array references_find(struct layout *layout);
#endif
