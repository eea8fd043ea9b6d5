/* Names to search in: of functions, as in the source and as in the file, and mnemonics; and who calls whom.

   A name in a database is mangled, so SQL cannot find `Matrix::solve` in it.  Each file that is open gets a
   thread that reads its names once, beside the first requests; whoever searches waits for it.  Afterwards
   nothing changes, and any thread may read. */
#ifndef SHOW_UI_NAMES_H
#define SHOW_UI_NAMES_H
#include "base/error.h"
#include "base/memory.h"

#include <stdbool.h>

struct ui_names;

struct ui_mnemonic {
    char *name;
    int64_t uses;
};

/* How well a name fits: the larger the better. */
enum name_fit { name_INSIDE = 1, name_AT_WORD, name_AT_START, name_WHOLE };
struct ui_name_hit {
    uint32_t function;
    uint32_t length;
    enum name_fit fit;
};

/* Starts to read. */
struct ui_names *ui_names_begin(const char *database, bool demangle);
void ui_names_free(struct ui_names *names);
/* Functions whose names contain a text, in either case: of struct ui_name_hit, the best first. */
struct array ui_names_find(struct ui_names *names, const char *text);
/* Who calls a function: of struct ui_caller, the most calls first.  The table of calls is in the order of
   callers, so that SQL would have to read all of it. */
struct ui_caller {
    uint32_t caller, calls;
};
struct array ui_names_callers(struct ui_names *names, uint32_t function);
/* By name; of struct ui_mnemonic. */
const struct array *ui_names_mnemonics(struct ui_names *names);
#endif
