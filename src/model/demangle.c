#include "model/demangle.h"

#include "base/memory.h"

#include <string.h>

enum { LONGEST_NAME = 16384 };

/* gfortran: __MODULE_MOD_PROCEDURE.  Names in modules are in lower case, so the first _MOD_ is the joint. */
static char *fortran_name(const char *name)
{
    const char *joint = !strncmp(name, "__", 2) ? strstr(name + 2, "_MOD_") : NULL;
    if (!joint || joint == name + 2 || !joint[5])
        return NULL;
    for (const char *at = name + 2; at < joint; at++)
        if (!(*at >= 'a' && *at <= 'z') && !(*at >= '0' && *at <= '9') && !strchr("_$.", *at))
            return NULL;
    return memory_format("%.*s::%s", (int)(joint - name - 2), name + 2, joint + 5);
}

char *demangle_name(const char *name)
{
    if (name[0] != '_' || strlen(name) > LONGEST_NAME)
        return NULL;
    char *fortran = fortran_name(name);
    return fortran ? fortran : demangle_by_library(name);
}
