/* Finds the functions that the library wraps.

   The mathematics library may have been loaded later by dlopen; then it is not among the libraries after this
   one and is looked up by name. */
#include "real.h"

#include <dlfcn.h>
#include <stddef.h>

void *real_function(void **place, const char *name)
{
    void *found = __atomic_load_n(place, __ATOMIC_RELAXED);
    if (found)
        return found;
    found = dlsym(RTLD_NEXT, name);
    if (!found) {
        void *library = dlopen("libm.so.6", RTLD_LAZY);
        found = library ? dlsym(library, name) : NULL;
    }
    __atomic_store_n(place, found, __ATOMIC_RELAXED);
    return found;
}
