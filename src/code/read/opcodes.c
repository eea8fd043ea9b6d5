#include "code/read/opcodes.h"

#include "base/built.h"
#include "code/read/opcodes_text.h"

/* A library for a single instruction set has disassemblers of that one alone. */
bool opcodes_know(enum isa isa, struct error *error)
{
    if (isa == isa_AARCH64)
        return disassembler(bfd_arch_aarch64, false, bfd_mach_aarch64, NULL) ||
               feature_missing(feature_AARCH64, error);
    if (isa == isa_IA64)
        return disassembler(bfd_arch_ia64, false, bfd_mach_ia64_elf64, NULL) ||
               feature_missing(feature_IA64, error);
    return true;
}
