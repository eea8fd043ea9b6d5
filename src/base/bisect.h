/* Bisection in rows that are in order: the first place in [first, end) that is not before the wanted one.

       struct bisection search = {first, end};
       while (bisect(&search))
           bisect_past(&search, rows[search.middle].key < wanted);

   search.first is the place then, or end.  All rows that are before the wanted one stand before all others.
   The last row at or below a number is the one before the first above it.  base/memory.h has the usual
   searches in arrays. */
#ifndef BASE_BISECT_H
#define BASE_BISECT_H
#include <stdbool.h>
#include <stddef.h>

struct bisection {
    size_t first, end;
    size_t middle; /* the place that is asked about */
};

static inline bool bisect(struct bisection *search)
{
    search->middle = search->first + (search->end - search->first) / 2;
    return search->first < search->end;
}

static inline void bisect_past(struct bisection *search, bool is_before)
{
    if (is_before)
        search->first = search->middle + 1;
    else
        search->end = search->middle;
}

/* The row of this name in a table whose rows start with a const char * and are in order of these names; NULL
   for none. */
const void *bisect_named(const void *rows, size_t count, size_t width, const char *name, size_t length);
#endif
