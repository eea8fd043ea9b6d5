/* What a process that Assay forked, and that stays Assay, does before it works. */
#ifndef BASE_FORKED_H
#define BASE_FORKED_H
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* fork, with every signal held back until the new process has called forked_begin: one that was sent to it
   before that would find Assay's own handlers there, and be lost. */
pid_t forked_make(void);
/* Signals do what they do by default. What Assay registered for its own end, and what its streams still hold,
   is not this process's: exit is _exit here. */
void forked_begin(void);
/* Whether this process did that. */
bool forked_is_here(void);
/* Lowers a limit (RLIMIT_…) to at most this. */
void forked_limit(int resource, uint64_t most);
/* Processor time; whoever meets this limit ends by SIGXCPU. */
void forked_limit_seconds(unsigned most);
/* Closes all that was open, but standard streams, this descriptor (or -1) and another one; with keeps_files
   files that are open for reading only, and what SQLite shares with others, stay. */
void forked_close_others(int kept, int also_kept, bool keeps_files);
/* Bytes beyond those that are in use. */
void forked_limit_memory(uint64_t most);
#endif
