/* Where a loop is, for whoever wrote the program.

   A compiler inlines functions, so the lines of a loop may belong to a header that its reader never opened:
   std::accumulate is stl_numeric.h:140. His own line is the one that calls it. It is the call nearest to the
   loop in the file of its function; where there is none, the nearest one outside the headers of compilers and
   systems. A loop in that file itself, or in a function that was not inlined, is at its own lines. */
#ifndef SHOW_REPORT_COMMON_LOOP_PLACE_H
#define SHOW_REPORT_COMMON_LOOP_PLACE_H
#include "model/model.h"

struct loop_place {
    uint32_t file, first_line, last_line; /* the user's own lines; file 0: unknown */
    /* Where these are a call: the lines of the loop, in another file; file 0: they are the loop's. */
    uint32_t origin_file, origin_first_line, origin_last_line;
    uint32_t call_line; /* where the loop is in the file of its function, but was inlined there: the line that
                           calls it; 0: not inlined */
};

struct loop_place loop_place_find(const struct model *model, uint32_t loop);
/* "bugs.cpp:74", "heat.c:30-31", with the path from the debug information without a leading directory (which
   may be NULL), or the address of its first block, "0x11a0"; to be freed. */
char *loop_place_short(const struct model *model, uint32_t loop, const char *directory);
/* The same with the other place: "bugs.cpp:74, inlined from stl_numeric.h:140-143",
   "heat.c:30-31, inlined at line 80". */
char *loop_place_words(const struct model *model, uint32_t loop, const char *directory);
/* Whether a loop, or a call that it was inlined by, is in a file, named by the end of its path (of `length`
   characters), and there at a line (0: any). */
bool loop_place_is_at(const struct model *model, uint32_t loop, const char *path, size_t length,
                      uint32_t line);
#endif
