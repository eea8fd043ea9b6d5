/* The model remembers the ranges of all units of all programs, sorted when they are first asked for.  Ranges
   of different units do not overlap, but for damaged or folded code: then the one that starts last counts. */
#include "code/read/dwarf/unread.h"

#include <stdlib.h>

struct unread_range {
    uint32_t program, unit;
    uint64_t address, end;
};

struct unread {
    struct array ranges; /* of struct unread_range */
    bool is_sorted;
};

static void unread_free(void *memory)
{
    struct unread *unread = memory;
    array_free(&unread->ranges);
    free(unread);
}

void unread_add(struct model *model, uint32_t unit, uint64_t address, uint64_t end)
{
    struct unread *unread = model_kept(model, unread_free);
    if (!unread) {
        unread = memory_get(sizeof *unread);
        unread->ranges = ARRAY_OF(struct unread_range);
        model_keep(model, unread, unread_free);
    }
    *(struct unread_range *)array_add(&unread->ranges) =
        (struct unread_range){model_unit(model, unit)->program, unit, address, end};
    unread->is_sorted = false;
}

static int by_place(const void *a, const void *b)
{
    const struct unread_range *x = a, *y = b;
    if (x->program != y->program)
        return x->program < y->program ? -1 : 1;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    return x->unit < y->unit ? -1 : x->unit > y->unit;
}

uint32_t unread_unit_at(const struct model *model, uint32_t program, uint64_t address)
{
    struct unread *unread = model_kept(model, unread_free);
    if (!unread)
        return 0;
    if (!unread->is_sorted)
        qsort(unread->ranges.data, unread->ranges.count, unread->ranges.width, by_place);
    unread->is_sorted = true;
    struct bisection search = {0, unread->ranges.count};
    while (bisect(&search)) {
        const struct unread_range *range = array_at(&unread->ranges, search.middle);
        bisect_past(&search,
                    range->program < program || (range->program == program && range->address <= address));
    }
    const struct unread_range *range = array_at(&unread->ranges, search.first - 1);
    return search.first && range->program == program && address < range->end ? range->unit : 0;
}
