/* Where a remedy can work: what the code of the loop must show before it is offered (struct remedy, holds).

   Each is a question about the code alone. Options that are already in force are not asked here: a remedy
   names its option, and is left out where the compiler's record has it. */
#ifndef CODE_QUALITY_RULES_PRECONDITIONS_H
#define CODE_QUALITY_RULES_PRECONDITIONS_H
#include "code/quality/subject.h"

/* #pragma omp simd: at most counters, pointers and reductions pass from one iteration to the next. */
bool precondition_independent(const struct subject *subject);
/* #pragma omp simd reduction: and the reduction is not in vectors yet, but can be: its data is contiguous. It is
   a sum or product: compilers do not vectorise minima and maxima by it (Clang 14). */
bool precondition_scalar_sum(const struct subject *subject);
/* Options about floating-point sums: numbers that wait for each other are floating-point ones,
   and no minimum or maximum is among what computes them. */
bool precondition_float_chain(const struct subject *subject);
/* GCC's options about the order of sums, which only help it to vectorise: and the data is contiguous. */
bool precondition_float_sum_for_vectors(const struct subject *subject);
/* restrict: something is stored, and something is loaded from elsewhere; not where the pointers have
   it already, as parameters or as variables of the function, or of the one that was inlined there. */
bool precondition_two_arrays(const struct subject *subject);
/* -O3 for vectors: the loop has work for vectors, and nothing stands in the way. */
bool precondition_vectorisable(const struct subject *subject);
/* -march, -mcpu: this processor has longer vectors than the code was compiled for (AVX, AVX-512, SVE). */
bool precondition_more_instructions(const struct subject *subject);
/* -O3 for longer vectors: those of the loop are shorter than every processor's. */
bool precondition_short_vectors(const struct subject *subject);
/* Options that only x86 has. */
bool precondition_x86(const struct subject *subject);
/* -mfma, and -march of processors with it: x86, and this processor fuses. */
bool precondition_fma(const struct subject *subject);
/* Versions for AVX2: this processor would use them. */
bool precondition_avx2(const struct subject *subject);
/* Exchange of loops: there is a loop around it. */
bool precondition_nested(const struct subject *subject);
/* A function is called, on whatever path. */
bool precondition_calls(const struct subject *subject);
/* Wider indices: addresses are computed from 32-bit numbers. */
bool precondition_narrow_index(const struct subject *subject);
/* Pointers before the loop: it loads addresses from places that do not move. */
bool precondition_loaded_pointers(const struct subject *subject);
#endif
