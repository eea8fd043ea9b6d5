/* Small loops that do one kind of arithmetic again and again, for measure.c.

   Each operation waits for the one before, as in code that is slow: its result, with all bits cleared, is put
   into the first operand of the next.  So every operation has the operands that were asked for, whatever its
   result is.  What clearing and putting back take is measured by a kernel without an operation. */
#ifndef DENORMAL_KERNELS_H
#define DENORMAL_KERNELS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kernel_numbers { /* all lanes of vectors hold the same number, as float or as double */
    _Alignas(16) uint8_t operands[3][16];
};

enum kernel_operation {
    kernel_NOTHING,
    kernel_ADD,
    kernel_MULTIPLY,
    kernel_FMA,
    kernel_DIVIDE,
    kernel_SQRT,
    kernel_COMPARE,
    kernel_CONVERT, /* from the type: float to double, double to float */
    kernel_LOAD,    /* x87: float in memory to a register, and back */
    kernel_STORE,
    kernel_OPERATIONS
};
enum kernel_type { kernel_FLOAT, kernel_DOUBLE, kernel_X87, kernel_TYPES };

struct kernel {
    enum kernel_operation operation;
    enum kernel_type type;
    bool is_packed;
    bool needs_fma;
    /* Does it this many times, or a few more: a multiple of KERNEL_UNROLLED. */
    void (*run)(const struct kernel_numbers *numbers, unsigned count);
};
enum { KERNEL_UNROLLED = 8 };

extern const struct kernel kernels[];
extern const size_t kernel_count;
bool kernels_have_fma(void);
#endif
