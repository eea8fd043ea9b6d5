/* The vectors that a compiler uses: those of the target that it compiles for, not always the processor's
   longest.

   A promise is that of the first remedy. -O3 or a change of the source leaves the target as it is: without
   -march or -mcpu that is the baseline of the instruction set, with vectors of 128 bits. For a processor with
   AVX-512, GCC and Clang use 256 bits unless -mprefer-vector-width says otherwise. */
#ifndef CODE_QUALITY_RULES_TARGETS_H
#define CODE_QUALITY_RULES_TARGETS_H
#include "code/quality/rules/rule.h"

/* Bits of the vectors that every processor of x86-64 and AArch64 has (SSE2, Advanced SIMD). */
enum { target_BASELINE = 128 };

/* Bits of the vectors with the present target. Unknown options: the longest vectors of the file. */
unsigned target_bits(const struct subject *subject);
/* Whether nothing shows that they are those of this loop: unknown options, and longer vectors than the
   baseline's only elsewhere in the file, where they may be versions for newer processors. */
bool target_is_guessed(const struct subject *subject);
/* And if it is compiled for this processor, with -march=native. */
unsigned target_native_bits(const struct subject *subject);
/* "-march=native": how to name this processor. */
const char *target_native_option(const struct subject *subject);
/* Cycles of an iteration with vectors of at most so many bits; NaN: they gain nothing, or unknown. */
double target_cycles(const struct subject *subject, unsigned bits);
#endif
