/* Finds functions, source lines, loops and instructions by what somebody types.

   `solve`: functions whose names contain it, source files, instructions of that name.  `solve.c:40`: the
   line, and the loops around it.  `12`, `loop 12`: a loop.  `0x11a0`: the instruction there.  `add x0, x1`:
   text of instructions. */
#ifndef SHOW_UI_SEARCH_H
#define SHOW_UI_SEARCH_H
#include "show/ui/request.h"

enum search_group { search_FUNCTIONS, search_LOOPS, search_LINES, search_INSTRUCTIONS, search_GROUPS };

struct search_hit {
    char *address;        /* of its page */
    char *title, *detail; /* detail: where it is, or how often; "": nothing */
    char *whole;          /* the title in full where it is shortened; NULL: it is not */
};

struct search_result {
    struct array hits[search_GROUPS]; /* of struct search_hit, the best first */
    uint64_t counts[search_GROUPS];   /* also those that are not among the hits */
    bool is_cut;                      /* places of instructions were only looked for in a part of the code */
};

extern const char *const search_group_words[search_GROUPS]; /* "Functions", … */

/* most: hits of a group.  is_quick: for suggestions while somebody types; nothing that takes longer than a
   moment. */
bool ui_search(struct ui_request *request, const char *text, size_t most, bool is_quick,
               struct search_result *result, struct error *error);
void ui_search_free(struct search_result *result);
/* search_code.c: instructions by address, name or text. */
bool search_instructions(struct ui_request *request, const char *text, size_t most, bool is_quick,
                         struct search_result *result, struct error *error);
void search_add(struct search_result *result, enum search_group group, char *address, char *title,
                char *detail);
/* `0x11a0`, with or without the mark; false: it is not an address. */
bool search_is_address(const char *text, uint64_t *address);
#endif
