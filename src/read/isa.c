#include "read/isa.h"

const struct isa_reader *isa_reader(enum isa isa)
{
    switch (isa) {
    case isa_X86_64:
        return &x86_64_reader;
    case isa_I386:
        return &i386_reader;
    case isa_AARCH64:
        return &aarch64_reader;
    case isa_IA64:
        return &ia64_reader;
    default:
        return NULL;
    }
}
