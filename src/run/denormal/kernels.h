/* Small loops that repeat one kind of arithmetic, for measure.c.

   Each operation waits for the one before, as in code that is slow: its result, with all bits cleared, is put
   into the first operand of the next. So every operation has the wanted operands, whatever its result is. A
   kernel without an operation measures the cost of clearing and putting back. */
#ifndef RUN_DENORMAL_KERNELS_H
#define RUN_DENORMAL_KERNELS_H
#include "model/model.h"

struct kernel_numbers { /* all lanes of vectors hold the same number, as float or as double */
    _Alignas(16) uint8_t operands[3][16];
};

struct kernel {
    enum denormal_operation operation;
    enum denormal_type type;
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
