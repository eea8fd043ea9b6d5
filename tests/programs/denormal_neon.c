/* AArch64 alone: an instruction, or a few, in each function, on arrays whose denormals are known; the tests
   of the tracer know the counts.  first has denormals at 0, 2 and 3, second at 0 and 1, and where both have
   one it has the same bits, so that a value's path is told by its tag alone.  Each function stores to a block
   of its own. */
#include <stdlib.h>

#define APART __attribute__((noinline, noclone))
#define CLOBBERED "v0", "v1", "v2", "v3", "x9", "x10", "memory", "cc"
enum { N = 16 };

volatile float smallest = 1.17549435e-38f;
volatile double smallest_double = 2.2250738585072014e-308;

/* Loads first into v0 and second into v1, does something, and stores v0. */
#define SINGLES(name, text)                                                                                  \
    APART void name(float *out, const float *first, const float *second)                                     \
    {                                                                                                        \
        __asm__ volatile("ldr q0, [%1]\n\tldr q1, [%2]\n\t" text                                             \
                         :                                                                                   \
                         : "r"(out), "r"(first), "r"(second)                                                 \
                         : CLOBBERED);                                                                       \
    }
#define ALL "\n\tstr q0, [%0]"
#define HALF "\n\tstr d0, [%0]"
#define ONE "\n\tstr s0, [%0]"

/* moves of lanes */
SINGLES(extract, "ext v0.16b, v0.16b, v1.16b, #4" ALL)
SINGLES(zip_low, "zip1 v0.4s, v0.4s, v1.4s" ALL)
SINGLES(zip_high, "zip2 v0.4s, v1.4s, v0.4s" ALL)
SINGLES(zip_halves, "zip1 v0.2s, v0.2s, v1.2s" HALF)
SINGLES(unzip_odd, "uzp2 v0.4s, v0.4s, v1.4s" ALL)
SINGLES(unzip_even, "uzp1 v0.4s, v0.4s, v1.4s" ALL)
SINGLES(transpose, "trn1 v0.4s, v0.4s, v1.4s" ALL)
SINGLES(reverse, "rev64 v0.4s, v0.4s" ALL)
SINGLES(duplicate, "dup v0.4s, v0.s[2]" ALL)
SINGLES(insert, "ins v1.s[3], v0.s[0]\n\tmov v0.16b, v1.16b" ALL)
SINGLES(table, "adr x9, 1f\n\tldr q2, [x9]\n\tb 2f\n\t.balign 16\n1:\t.byte 12, 13, 14, 15, 8, 9, 10, 11, 4, "
               "5, 6, 7, 0, "
               "1, 2, 3\n2:\ttbl v0.16b, {v0.16b}, v2.16b" ALL)
SINGLES(through_general,
        "fmov w9, s0\n\tumov w10, v0.s[2]\n\tfmov s2, w9\n\tfmov s3, w10\n\tstp s2, s3, [%0]")
SINGLES(select_scalar, "cmp x9, x9\n\tfcsel s0, s0, s1, eq" ONE)
SINGLES(select_lanes,
        "movi v2.2d, #0x00000000ffffffff\n\tbsl v2.16b, v0.16b, v1.16b\n\tmov v0.16b, v2.16b" ALL)
SINGLES(signs, "fneg v0.4s, v0.4s\n\tfabs s1, s0\n\tfneg s1, s1\n\tstr s1, [%0, #16]" ALL)

/* loads and stores */
#define MOVES(name, text)                                                                                    \
    APART void name(float *out, const float *first, const float *second)                                     \
    {                                                                                                        \
        (void)second;                                                                                        \
        __asm__ volatile(text : : "r"(out), "r"(first) : CLOBBERED);                                         \
    }
MOVES(pairs_of_quads, "ldp q0, q1, [%1]\n\tstp q1, q0, [%0]")
MOVES(pairs_of_doubles, "ldp d0, d1, [%1]\n\tstp d0, d1, [%0]")
MOVES(pairs_of_singles, "ldp s0, s1, [%1]\n\tstp s0, s1, [%0]")
MOVES(structures_of_two, "ld2 {v0.4s, v1.4s}, [%1]\n\tst2 {v0.4s, v1.4s}, [%0]")
MOVES(structures_of_three, "ld3 {v0.4s, v1.4s, v2.4s}, [%1]\n\tst3 {v0.4s, v1.4s, v2.4s}, [%0]")
MOVES(structures_of_four, "ld4 {v0.4s, v1.4s, v2.4s, v3.4s}, [%1]\n\tst4 {v0.4s, v1.4s, v2.4s, v3.4s}, [%0]")
MOVES(registers_in_turn, "ld1 {v0.4s, v1.4s}, [%1]\n\tst1 {v0.4s, v1.4s}, [%0]")
MOVES(lanes_alone, "ld1 {v0.s}[1], [%1]\n\tst1 {v0.s}[1], [%0]")
MOVES(load_to_all, "ld1r {v0.4s}, [%1]\n\tst1 {v0.4s}, [%0]")

/* arithmetic */
SINGLES(add_halves, "fadd v0.2s, v0.2s, v1.2s" HALF)
SINGLES(add_pairs, "faddp v0.4s, v0.4s, v1.4s" ALL)
SINGLES(add_pairs_of_halves, "faddp v0.2s, v0.2s, v1.2s" HALF)
SINGLES(add_one_pair, "faddp s0, v1.2s" ONE)
SINGLES(minimum_of_all, "fminv s0, v0.4s" ONE)
SINGLES(maximum, "fmax v0.4s, v0.4s, v1.4s" ALL)
SINGLES(minimum_of_scalars, "fminnm s0, s0, s1" ONE)
SINGLES(multiply_add, "fmov v2.4s, #0.5\n\tfmla v1.4s, v0.4s, v2.4s\n\tmov v0.16b, v1.16b" ALL)
SINGLES(multiply_add_hidden,
        "fmov v2.4s, #0.5\n\tfmov v3.4s, #1.0\n\tfmla v3.4s, v0.4s, v2.4s\n\tmov v0.16b, v3.16b" ALL)
SINGLES(multiply_subtract_element, "fmov v2.4s, #0.5\n\tfmls v1.2s, v0.2s, v2.s[3]\n\tmov v0.8b, v1.8b" HALF)
SINGLES(multiply_scalar_by_element, "fmov s2, #0.5\n\tfmul s0, s1, v2.s[0]" ONE)
SINGLES(multiply_add_scalar, "fmov s2, #0.5\n\tfmadd s0, s0, s2, s1" ONE)
SINGLES(multiply_subtract_scalar, "fmov s2, #0.5\n\tfnmsub s0, s0, s2, s1" ONE)
SINGLES(difference, "fabd v0.4s, v1.4s, v0.4s" ALL)
SINGLES(square_roots, "fsqrt v0.2s, v0.2s" HALF)
SINGLES(square_root, "fsqrt s0, s0" ONE)
SINGLES(divide_lanes, "fmov v2.4s, #2.0\n\tfdiv v0.4s, v0.4s, v2.4s" ALL)
SINGLES(round_lanes, "frintn v0.4s, v0.4s" ALL)
SINGLES(round_scalar, "frintm s0, s0" ONE)
SINGLES(to_integers, "fcvtzs v0.4s, v0.4s" ALL)
SINGLES(compare_lanes, "fcmgt v0.4s, v0.4s, v1.4s" ALL)
SINGLES(compare_halves_with_zero, "fcmge v0.2s, v0.2s, #0.0" HALF)
SINGLES(compare_scalars, "fcmp s0, s1\n\tcset w9, eq\n\tstr w9, [%0]")
SINGLES(widen_lanes, "fcvtl v0.2d, v0.2s" ALL)
SINGLES(to_half, "fcvt h0, s0\n\tstr h0, [%0]")

/* double precision: first has a denormal at 0, second at 0 and 1 */
#define DOUBLES(name, text)                                                                                  \
    APART void name(double *out, const double *first, const double *second)                                  \
    {                                                                                                        \
        __asm__ volatile("ldr q0, [%1]\n\tldr q1, [%2]\n\t" text                                             \
                         :                                                                                   \
                         : "r"(out), "r"(first), "r"(second)                                                 \
                         : CLOBBERED);                                                                       \
    }
DOUBLES(doubles_in_turn, "zip2 v0.2d, v1.2d, v0.2d" ALL)
DOUBLES(doubles_duplicated, "dup v0.2d, v1.d[1]" ALL)
DOUBLES(doubles_through_general, "fmov x9, d0\n\tmov x10, v1.d[1]\n\tfmov d0, x10\n\tfmov v0.d[1], x9" ALL)
DOUBLES(doubles_extracted, "ext v0.16b, v0.16b, v1.16b, #8" ALL)
DOUBLES(pairs_of_double_registers, "ldp d2, d3, [%1]\n\tstp d3, d2, [%0]")
DOUBLES(structures_of_doubles, "ld2 {v2.2d, v3.2d}, [%1]\n\tst2 {v2.2d, v3.2d}, [%0]")
DOUBLES(add_pairs_of_doubles, "faddp v0.2d, v0.2d, v1.2d" ALL)
DOUBLES(add_one_pair_of_doubles, "faddp d0, v1.2d" HALF)
DOUBLES(multiply_add_doubles, "fmov v2.2d, #0.5\n\tfmla v1.2d, v0.2d, v2.d[1]\n\tmov v0.16b, v1.16b" ALL)
DOUBLES(multiply_double_by_element, "fmov d2, #0.5\n\tfmul d0, d1, v2.d[0]" HALF)
DOUBLES(narrow_lanes, "fcvtn v0.2s, v0.2d" HALF)
DOUBLES(divide_doubles, "fmov v2.2d, #2.0\n\tfdiv v0.2d, v0.2d, v2.2d" ALL)
DOUBLES(round_doubles, "frintz v0.2d, v0.2d" ALL)
DOUBLES(double_select, "cmp x9, x9\n\tfcsel d0, d0, d1, ne" HALF)
DOUBLES(fused_double, "fmov d2, #0.5\n\tfnmadd d0, d0, d2, d1" HALF)

APART void make(float *to, int lanes)
{
    for (int i = 0; i < N; i++)
        to[i] = lanes >> i & 1 ? smallest * (0.25f + (float)i / 64) : 1;
}

APART void make_doubles(double *to, int lanes)
{
    for (int i = 0; i < N; i++)
        to[i] = lanes >> i & 1 ? smallest_double * (0.25 + (double)i / 64) : 1;
}

#define RUN(function) function(malloc(N * 8), first, second)

int main(void)
{
    float *single[2] = {malloc(N * 4), malloc(N * 4)};
    make(single[0], 0xd);
    make(single[1], 0x3);
    {
        const float *first = single[0], *second = single[1];
        RUN(extract);
        RUN(zip_low);
        RUN(zip_high);
        RUN(zip_halves);
        RUN(unzip_odd);
        RUN(unzip_even);
        RUN(transpose);
        RUN(reverse);
        RUN(duplicate);
        RUN(insert);
        RUN(table);
        RUN(through_general);
        RUN(select_scalar);
        RUN(select_lanes);
        RUN(signs);
        RUN(pairs_of_quads);
        RUN(pairs_of_doubles);
        RUN(pairs_of_singles);
        RUN(structures_of_two);
        RUN(structures_of_three);
        RUN(structures_of_four);
        RUN(registers_in_turn);
        RUN(lanes_alone);
        RUN(load_to_all);
        RUN(add_halves);
        RUN(add_pairs);
        RUN(add_pairs_of_halves);
        RUN(add_one_pair);
        RUN(minimum_of_all);
        RUN(maximum);
        RUN(minimum_of_scalars);
        RUN(multiply_add);
        RUN(multiply_add_hidden);
        RUN(multiply_subtract_element);
        RUN(multiply_scalar_by_element);
        RUN(multiply_add_scalar);
        RUN(multiply_subtract_scalar);
        RUN(difference);
        RUN(square_roots);
        RUN(square_root);
        RUN(divide_lanes);
        RUN(round_lanes);
        RUN(round_scalar);
        RUN(to_integers);
        RUN(compare_lanes);
        RUN(compare_halves_with_zero);
        RUN(compare_scalars);
        RUN(widen_lanes);
        RUN(to_half);
    }
    double *number[2] = {malloc(N * 8), malloc(N * 8)};
    make_doubles(number[0], 1);
    make_doubles(number[1], 3);
    {
        const double *first = number[0], *second = number[1];
        RUN(doubles_in_turn);
        RUN(doubles_duplicated);
        RUN(doubles_through_general);
        RUN(doubles_extracted);
        RUN(pairs_of_double_registers);
        RUN(structures_of_doubles);
        RUN(double_select);
        RUN(add_pairs_of_doubles);
        RUN(add_one_pair_of_doubles);
        RUN(multiply_add_doubles);
        RUN(multiply_double_by_element);
        RUN(narrow_lanes);
        RUN(divide_doubles);
        RUN(round_doubles);
        RUN(fused_double);
    }
    __asm__ volatile("mrs x9, fpcr\n\torr x9, x9, #0x1000000\n\tmsr fpcr, x9" : : : "x9");
    return 0;
}
