/* PLT stubs that lead back into their own library.

   A shared library calls its own exported functions through the PLT, because another library may replace
   them (symbol interposition). The call then names a stub; the function behind it has the same name and code
   in the same file. */
#ifndef QUALITY_STUBS_H
#define QUALITY_STUBS_H
#include "model/model.h"

/* By row of functions: the function of the same program behind a stub or an import; 0 for all others. The
   caller frees it. */
uint32_t *stubs_find(const struct model *model);
#endif
