/* A mangled name can stand for a text that is exponentially longer than itself (substitutions that double),
   and names come from hostile files.  So the text is taken piece by piece and abandoned when it outgrows any
   name that a person would read; libiberty keeps everything in the stack frame that is then left, and bounds
   its own recursion. */
#include "model/demangle.h"

#include "base/memory.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_TEXT = 65536 };

struct piecewise {
    jmp_buf give_up;
    size_t length;
    char text[LONGEST_TEXT];
};

static void add_piece(const char *piece, size_t length, void *opaque)
{
    struct piecewise *whole = opaque;
    if (length >= sizeof whole->text - whole->length)
        longjmp(whole->give_up, 1);
    if (length)
        memcpy(whole->text + whole->length, piece, length);
    whole->length += length;
}

char *demangle_by_library(const char *name)
{
    char *volatile result = NULL;
    struct piecewise *whole = memory_get(sizeof *whole);
    if (!setjmp(whole->give_up)) {
        int options = DMGL_PARAMS | DMGL_ANSI;
        int found = rust_demangle_callback(name, options, add_piece, whole);
        if (!found) {
            whole->length = 0;
            found = cplus_demangle_v3_callback(name, options, add_piece, whole);
        }
        if (found && whole->length)
            result = memory_copy_text(whole->text, whole->length);
    }
    free(whole);
    return result;
}
