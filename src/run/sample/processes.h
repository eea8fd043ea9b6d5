/* What /proc says of processes that run already. */
#ifndef RUN_SAMPLE_PROCESSES_H
#define RUN_SAMPLE_PROCESSES_H
#include "base/error.h"
#include "base/memory.h"

/* Whether it is a process that can be watched; the error says why not. */
bool processes_check(uint32_t process, struct error *error);
/* The user who owns it is somebody else. */
bool processes_is_foreign(uint32_t process);
/* Of uint32_t: a process and all that descend from it, as of now, but for ourselves and our children. */
void processes_family(uint32_t process, struct array *family);
/* Adds to an array of uint32_t the threads of a process. */
void processes_threads(uint32_t process, struct array *threads);
#endif
