/* What the system says of a process that runs: everything may be gone by the time it is asked. */
#ifndef RUN_SAMPLE_PROC_H
#define RUN_SAMPLE_PROC_H
#include "run/sample/collector.h"

/* Words with blanks; NULL: none. To be freed. */
char *proc_command(uint32_t process);
/* NO_NUMBER for the launchers of MPI programs. */
int32_t proc_rank(uint32_t process, const char *command);
/* 0: unknown. */
uint32_t proc_parent(uint32_t process);
/* The short name of a thread; NULL: none. To be freed. */
char *proc_thread_name(uint32_t process, uint32_t thread);
/* Calls for each executable map: of a text such as /proc/PID/maps, which is changed and may be NULL; of a
   process. */
void proc_map_lines(char *text, void (*visit)(void *context, const struct collector_map *map), void *context);
void proc_maps(uint32_t process, void (*visit)(void *context, const struct collector_map *map),
               void *context);
/* Of uint32_t. */
void proc_threads(uint32_t process, struct array *threads);
#endif
