/* The functions that a preloaded library wraps: the next ones of their names. */
#ifndef RUNTIME_COMMON_REAL_FUNCTIONS_H
#define RUNTIME_COMMON_REAL_FUNCTIONS_H
#include <dlfcn.h>
#include <stdbool.h>

struct real_function {
    void **place;
    const char *name;
};

/* Finds them once; several threads may do so at the same time. */
static inline void real_functions_find(const struct real_function *wanted, unsigned count, bool *is_ready)
{
    for (unsigned i = 0; i < count; i++)
        *wanted[i].place = dlsym(RTLD_NEXT, wanted[i].name);
    __atomic_store_n(is_ready, true, __ATOMIC_RELEASE);
}
#endif
