/* In the place of demangle_library.c where there is no libiberty: names of C++ and Rust stay as the file has
 * them. */
#include "model/demangle.h"

#include <stddef.h>

char *demangle_by_library(const char *name)
{
    (void)name;
    return NULL;
}
