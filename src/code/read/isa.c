#include "code/read/isa.h"

#include <string.h>

struct register_use *description_use(struct description *description, unsigned number)
{
    unsigned place = description->use_count;
    while (place > 0 && description->uses[place - 1].register_ >= number)
        place--;
    struct register_use *use = &description->uses[place];
    if (place < description->use_count && use->register_ == number)
        return use;
    if (description->use_count == MOST_REGISTER_USES)
        return NULL;
    memmove(use + 1, use, (description->use_count - place) * sizeof *use);
    *use = (struct register_use){.register_ = number};
    description->use_count++;
    return use;
}

void transfer_note_inside(const struct transfer_search *search, uint64_t from, uint64_t to,
                          struct array *found)
{
    struct bisection place = {0, search->range_count};
    while (bisect(&place))
        bisect_past(&place, search->ranges[place.middle].end <= to);
    const struct transfer_range *range = &search->ranges[place.first];
    if (to > range->start && (from < range->start || from >= range->end))
        *(struct transfer *)array_add(found) = (struct transfer){from, to};
}

const struct isa_reader *isa_reader(enum isa isa)
{
    switch (isa) {
    case isa_X86_64:
        return &x86_64_reader;
    case isa_I386:
        return &i386_reader;
    case isa_K1OM:
        return &k1om_reader;
    case isa_AARCH64:
        return &aarch64_reader;
    case isa_IA64:
        return &ia64_reader;
    default:
        return NULL;
    }
}
