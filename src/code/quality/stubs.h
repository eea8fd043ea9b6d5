/* The functions that stubs and imports stand for.

   A shared library calls its own exported functions through stubs of the linkage table (PLT), because another
   library may replace them (symbol interposition); a member of an archive calls what another member defines.
   Names tell which function that is. */
#ifndef CODE_QUALITY_STUBS_H
#define CODE_QUALITY_STUBS_H
#include "model/model.h"

/* Whether the program has its code: not a stub, not an import. */
bool stubs_is_defined(const struct function *function);
/* By row of functions: what it stands for, in its own program, else the first of another; all others stand
   for themselves. The caller frees it. */
uint32_t *stubs_find(const struct model *model);
#endif
