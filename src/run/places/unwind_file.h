/* Call frame information of one file: where a caller's registers are, by code address. */
#ifndef RUN_PLACES_UNWIND_FILE_H
#define RUN_PLACES_UNWIND_FILE_H
#include "run/places/unwind_expressions.h"

struct unwind_file;
/* Never NULL: a file that cannot be read, or is another one than was loaded (build_id, hexadecimal, unless
   it is NULL or empty), has no rules.  "[vdso]" and "linux-vdso.…" are the kernel's pages in our own process:
   those of every process of our instruction set. */
struct unwind_file *unwind_file_open(const char *path, const char *build_id);
/* NULL does nothing. */
void unwind_file_close(struct unwind_file *file);

/* Whether it could be read and is an ELF file. */
bool unwind_file_is_elf(const struct unwind_file *file);
/* Hexadecimal; empty: none. */
void unwind_file_build_id(const struct unwind_file *file, char build_id[41]);
/* The address, as the file numbers it, of what was mapped executable from this offset on; the offset itself
   where the segments are unknown.  file may be NULL. */
uint64_t unwind_file_address(const struct unwind_file *file, uint64_t offset, uint64_t size);

/* Four bytes of its code; false: there is none. */
bool unwind_file_code(const struct unwind_file *file, uint64_t address, uint32_t *word);

enum unwind_step {
    UNWIND_NO_RULE, /* the state is as it was */
    UNWIND_CALLER,  /* the state is the caller's */
    UNWIND_SIGNAL,  /* the state is that of code that a signal interrupted */
    UNWIND_END,     /* there is no caller */
    UNWIND_LOST,    /* there is one, but its registers are not in the copy of the stack */
};
/* From code at this address (as the file numbers it) to its caller.  is_leaf: the code was interrupted, it is
   not calling. */
enum unwind_step unwind_file_step(struct unwind_file *file, uint64_t address, bool is_leaf,
                                  struct unwind_state *state);
bool unwind_file_has_rule(struct unwind_file *file, uint64_t address, const struct unwind_isa *isa);
#endif
