/* In the place of opcodes.c, opcodes_text.c, aarch64/text.c and ia64/text.c where there is no libopcodes. */
#include "base/built.h"
#include "code/read/aarch64/text.h"
#include "code/read/ia64/text.h"
#include "code/read/opcodes.h"

bool opcodes_know(enum isa isa, struct error *error)
{
    if (isa == isa_AARCH64)
        return feature_missing(feature_AARCH64, error);
    return isa != isa_IA64 || feature_missing(feature_IA64, error);
}

/* Nothing is an instruction; nobody asks who asked opcodes_know. */
bool aarch64_write_text(uint32_t word, char *text, size_t size)
{
    (void)word;
    if (size)
        text[0] = 0;
    return false;
}

bool ia64_write_text(char unit, uint64_t word, uint64_t extension, char *text, size_t size)
{
    (void)unit;
    (void)extension;
    return aarch64_write_text((uint32_t)word, text, size);
}
