#include "read/isa.h"

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
