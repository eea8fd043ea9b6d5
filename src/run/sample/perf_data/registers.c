#include "run/sample/perf_data/registers.h"

#include <linux/perf_event.h>
#include <string.h>
#include <sys/utsname.h>

/* Numbers of perf for x86: ax bx cx dx si di bp sp ip flags cs ss ds es fs gs r8 … r15. */
enum { AX, BX, CX, DX, SI, DI, BP, SP, IP, R8 = 16 };
static const uint8_t wide[] = {AX, DX, CX, BX, SI, DI, BP, SP, R8, 17, 18, 19, 20, 21, 22, 23, IP},
                     narrow[] = {AX, CX, DX, BX, SP, BP, SI, DI, IP};
enum { ARM_STACK = 31, ARM_COUNT = 33 }; /* x0 … x30, sp, pc, as in struct places_registers */

enum isa perf_data_registers_isa(const char *architecture)
{
    struct utsname here;
    if (!architecture)
        architecture = !uname(&here) ? here.machine : "";
    if (!strcmp(architecture, "x86_64") || (architecture[0] == 'i' && !strcmp(architecture + 2, "86")))
        return isa_X86_64;
    return !strcmp(architecture, "aarch64") || !strcmp(architecture, "arm64") ? isa_AARCH64 : isa_NONE;
}

/* false: the mask has no such register. */
static bool read_one(uint64_t mask, const uint8_t *values, unsigned number, uint64_t *value)
{
    if (!(mask >> number & 1))
        return false;
    memcpy(value, values + 8 * (size_t)__builtin_popcountll(mask & ((UINT64_C(1) << number) - 1)),
           sizeof *value);
    return true;
}

static bool read_x86(bool is_wide, uint64_t mask, const uint8_t *values, struct places_registers *registers,
                     uint64_t *stack_pointer)
{
    const uint8_t *numbers = is_wide ? wide : narrow;
    registers->isa = is_wide ? isa_X86_64 : isa_I386;
    for (size_t i = 0; i < (is_wide ? sizeof wide : sizeof narrow); i++)
        if (!read_one(mask, values, numbers[i], &registers->values[i]))
            return false;
    return read_one(mask, values, SP, stack_pointer);
}

bool perf_data_registers_read(enum isa isa, uint64_t abi, uint64_t mask, const uint8_t *values,
                              struct places_registers *registers, uint64_t *stack_pointer)
{
    if (isa == isa_X86_64)
        return read_x86(abi == PERF_SAMPLE_REGS_ABI_64, mask, values, registers, stack_pointer);
    if (isa != isa_AARCH64 || abi != PERF_SAMPLE_REGS_ABI_64)
        return false;
    registers->isa = isa_AARCH64;
    for (unsigned i = 0; i < ARM_COUNT; i++)
        if (!read_one(mask, values, i, &registers->values[i]))
            return false;
    *stack_pointer = registers->values[ARM_STACK];
    return true;
}
