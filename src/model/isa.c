#include "model/isa.h"

const struct isa_facts *isa_facts(enum isa isa)
{
    static const struct isa_facts facts[isa_COUNT] = {
        [isa_X86_64] = {.address_bytes = 8, .is_x86 = true, .machine = isa_X86_64},
        [isa_I386] = {.address_bytes = 4, .is_x86 = true, .machine = isa_X86_64},
        [isa_K1OM] = {.address_bytes = 8, .is_x86 = true, .machine = isa_K1OM},
        [isa_AARCH64] = {.address_bytes = 8, .steps_bases = true, .machine = isa_AARCH64},
        [isa_IA64] = {.address_bytes = 8, .steps_bases = true, .machine = isa_IA64},
    };
    return &facts[isa < isa_COUNT ? isa : isa_NONE];
}

bool isa_operation_rotates(enum operation operation)
{
    return operation >= operation_COUNTED_TOP && operation <= operation_WHILE_EXIT;
}
