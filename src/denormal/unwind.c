/* The callers of a sample. */
#include "denormal/parts.h"

size_t denormal_unwind(const struct array *modules, const struct denormal_registers *registers,
                       uint64_t stack_address, const uint8_t *stack, size_t stack_size, uint64_t *addresses,
                       size_t most)
{
    (void)modules;
    (void)registers;
    (void)stack_address;
    (void)stack;
    (void)stack_size;
    (void)addresses;
    (void)most;
    return 0;
}
