/* Finding rows by the name that a user gives: by the name as the file has it, else by the name in the source
   (with or without its parameters; of Fortran procedures in any case and without the underscore; of copies
   that GCC makes, such as kernel.constprop.0, without the suffix), else by a POSIX extended regular
   expression on either.

   Offer every row, then take the best kind of match that there was. */
#ifndef MODEL_NAMES_H
#define MODEL_NAMES_H
#include "base/error.h"
#include "base/memory.h"
#include "base/nearest.h"

#include <regex.h>
#include <stdbool.h>

struct name_search {
    const char *wanted;
    regex_t expression;
    bool has_expression;
    struct array exact, source, matching; /* of int64_t */
    struct nearest nearest;
};

/* wanted must stay valid. */
void name_search_begin(struct name_search *search, const char *wanted);
void name_search_offer(struct name_search *search, int64_t id, const char *name);
/* The ids that match, in the order offered; empty: none does. */
const struct array *name_search_found(const struct name_search *search);
/* Says that nothing matches, and what is near.  Returns false. */
bool name_search_fail(const struct name_search *search, const char *where, struct error *error);
void name_search_end(struct name_search *search);
#endif
