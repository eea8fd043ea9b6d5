/* What a process that Assay forked, and that stays Assay, does before it works. */
#ifndef BASE_FORKED_H
#define BASE_FORKED_H
#include <stdbool.h>
#include <stdint.h>

/* Signals do what they do by default. What Assay registered for its own end, and what its streams still hold,
   is not this process's: exit is _exit here. */
void forked_begin(void);
/* Whether this process did that. */
bool forked_is_here(void);
/* Lowers a limit (RLIMIT_…) to at most this. */
void forked_limit(int resource, uint64_t most);
/* Bytes beyond those that are in use. */
void forked_limit_memory(uint64_t most);
#endif
