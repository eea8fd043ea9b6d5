/* The names in a folder, without memory from malloc: in a signal's handler, and in a process that was forked while another
   thread held its lock, opendir may wait for ever. */
#ifndef BASE_ENTRIES_H
#define BASE_ENTRIES_H
#include <stdint.h>

struct entries {
    int folder; /* open, and the caller's; the rest is zero at the beginning */
    long size, at;
    _Alignas(uint64_t) char bytes[4096];
};

/* The next name, but . and ..; NULL: there is none. */
const char *entries_next(struct entries *entries);
#endif
