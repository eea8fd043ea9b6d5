/* The loops of kernels.h: in assembly where a compiler must not see through them, which is x86-64 and
   AArch64; in C with volatile variables elsewhere.

   KERNEL is a macro because the instruction has to be part of the text of an asm statement. */
#include "run/denormal/kernels.h"

#include <string.h>

typedef float vector __attribute__((vector_size(16)));

#if defined __x86_64__

#define KERNEL(name, instructions)                                                                           \
    static void name(const struct kernel_numbers *numbers, unsigned count)                                   \
    {                                                                                                        \
        vector x, y, z, zero = {0}, r;                                                                       \
        memcpy(&x, numbers->operands[0], sizeof x);                                                          \
        memcpy(&y, numbers->operands[1], sizeof y);                                                          \
        memcpy(&z, numbers->operands[2], sizeof z);                                                          \
        for (unsigned i = 0; i < count; i += KERNEL_UNROLLED)                                                \
            __asm__ volatile(".rept 8\n\t"                                                                   \
                             "movaps %[x], %[r]\n\t" instructions "\n\t"                                     \
                             "andps %[zero], %[r]\n\t"                                                       \
                             "orps %[r], %[x]\n\t"                                                           \
                             ".endr"                                                                         \
                             : [x] "+x"(x), [r] "=&x"(r)                                                     \
                             : [y] "x"(y), [z] "x"(z), [zero] "x"(zero));                                    \
    }

KERNEL(nothing, "")
KERNEL(add_float, "addss %[y], %[r]")
KERNEL(add_double, "addsd %[y], %[r]")
KERNEL(add_floats, "addps %[y], %[r]")
KERNEL(add_doubles, "addpd %[y], %[r]")
KERNEL(multiply_float, "mulss %[y], %[r]")
KERNEL(multiply_double, "mulsd %[y], %[r]")
KERNEL(multiply_floats, "mulps %[y], %[r]")
KERNEL(multiply_doubles, "mulpd %[y], %[r]")
KERNEL(fma_float, "vfmadd213ss %[z], %[y], %[r]")
KERNEL(fma_double, "vfmadd213sd %[z], %[y], %[r]")
KERNEL(fma_floats, "vfmadd213ps %[z], %[y], %[r]")
KERNEL(fma_doubles, "vfmadd213pd %[z], %[y], %[r]")
KERNEL(divide_float, "divss %[y], %[r]")
KERNEL(divide_double, "divsd %[y], %[r]")
KERNEL(divide_floats, "divps %[y], %[r]")
KERNEL(divide_doubles, "divpd %[y], %[r]")
KERNEL(sqrt_float, "sqrtss %[r], %[r]")
KERNEL(sqrt_double, "sqrtsd %[r], %[r]")
KERNEL(sqrt_floats, "sqrtps %[r], %[r]")
KERNEL(sqrt_doubles, "sqrtpd %[r], %[r]")
KERNEL(compare_float, "cmpltss %[y], %[r]")
KERNEL(compare_double, "cmpltsd %[y], %[r]")
KERNEL(convert_float, "cvtss2sd %[r], %[r]")
KERNEL(convert_double, "cvtsd2ss %[r], %[r]")

/* On the stack of the x87: 1, and the number as a float in memory. */
#define KERNEL_X87(name, instructions)                                                                       \
    static void name(const struct kernel_numbers *numbers, unsigned count)                                   \
    {                                                                                                        \
        float number, stored;                                                                                \
        memcpy(&number, numbers->operands[0], sizeof number);                                                \
        for (unsigned i = 0; i < count; i += KERNEL_UNROLLED)                                                \
            __asm__ volatile("fld1\n\t"                                                                      \
                             ".rept 8\n\t" instructions "\n\t"                                               \
                             ".endr\n\t"                                                                     \
                             "fstp %%st(0)"                                                                  \
                             : [stored] "=m"(stored)                                                         \
                             : [number] "m"(number)                                                          \
                             : "st", "st(1)");                                                               \
    }

KERNEL_X87(add_x87, "fadds %[number]")
KERNEL_X87(multiply_x87, "fld %%st(0)\n\tfmuls %[number]\n\tfstp %%st(0)")
KERNEL_X87(divide_x87, "fld %%st(0)\n\tfdivs %[number]\n\tfstp %%st(0)")
KERNEL_X87(load_x87, "flds %[number]\n\tfstp %%st(0)")

/* A number that is normal on the stack and denormal as a float: the product of operands 0 and 1. */
static void store_x87(const struct kernel_numbers *numbers, unsigned count)
{
    float left, right, stored;
    memcpy(&left, numbers->operands[0], sizeof left);
    memcpy(&right, numbers->operands[1], sizeof right);
    for (unsigned i = 0; i < count; i += KERNEL_UNROLLED)
        __asm__ volatile("flds %[left]\n\t"
                         "fmuls %[right]\n\t"
                         ".rept 8\n\t"
                         "fsts %[stored]\n\t"
                         ".endr\n\t"
                         "fstp %%st(0)"
                         : [stored] "=m"(stored)
                         : [left] "m"(left), [right] "m"(right)
                         : "st");
}

bool kernels_have_fma(void)
{
    return __builtin_cpu_supports("fma");
}

#elif defined __aarch64__

#define KERNEL(name, instructions)                                                                           \
    static void name(const struct kernel_numbers *numbers, unsigned count)                                   \
    {                                                                                                        \
        vector x, y, z, zero = {0}, r;                                                                       \
        memcpy(&x, numbers->operands[0], sizeof x);                                                          \
        memcpy(&y, numbers->operands[1], sizeof y);                                                          \
        memcpy(&z, numbers->operands[2], sizeof z);                                                          \
        for (unsigned i = 0; i < count; i += KERNEL_UNROLLED)                                                \
            __asm__ volatile(".rept 8\n\t" instructions "\n\t"                                               \
                             "and %[r].16b, %[r].16b, %[zero].16b\n\t"                                       \
                             "orr %[x].16b, %[x].16b, %[r].16b\n\t"                                          \
                             ".endr"                                                                         \
                             : [x] "+w"(x), [r] "=&w"(r)                                                     \
                             : [y] "w"(y), [z] "w"(z), [zero] "w"(zero));                                    \
    }

KERNEL(nothing, "mov %[r].16b, %[x].16b")
KERNEL(add_float, "fadd %s[r], %s[x], %s[y]")
KERNEL(add_double, "fadd %d[r], %d[x], %d[y]")
KERNEL(add_floats, "fadd %[r].4s, %[x].4s, %[y].4s")
KERNEL(add_doubles, "fadd %[r].2d, %[x].2d, %[y].2d")
KERNEL(multiply_float, "fmul %s[r], %s[x], %s[y]")
KERNEL(multiply_double, "fmul %d[r], %d[x], %d[y]")
KERNEL(multiply_floats, "fmul %[r].4s, %[x].4s, %[y].4s")
KERNEL(multiply_doubles, "fmul %[r].2d, %[x].2d, %[y].2d")
KERNEL(fma_float, "fmadd %s[r], %s[x], %s[y], %s[z]")
KERNEL(fma_double, "fmadd %d[r], %d[x], %d[y], %d[z]")
KERNEL(fma_floats, "mov %[r].16b, %[z].16b\n\tfmla %[r].4s, %[x].4s, %[y].4s")
KERNEL(fma_doubles, "mov %[r].16b, %[z].16b\n\tfmla %[r].2d, %[x].2d, %[y].2d")
KERNEL(divide_float, "fdiv %s[r], %s[x], %s[y]")
KERNEL(divide_double, "fdiv %d[r], %d[x], %d[y]")
KERNEL(divide_floats, "fdiv %[r].4s, %[x].4s, %[y].4s")
KERNEL(divide_doubles, "fdiv %[r].2d, %[x].2d, %[y].2d")
KERNEL(sqrt_float, "fsqrt %s[r], %s[x]")
KERNEL(sqrt_double, "fsqrt %d[r], %d[x]")
KERNEL(sqrt_floats, "fsqrt %[r].4s, %[x].4s")
KERNEL(sqrt_doubles, "fsqrt %[r].2d, %[x].2d")
KERNEL(compare_float, "fcmgt %s[r], %s[y], %s[x]")
KERNEL(compare_double, "fcmgt %d[r], %d[y], %d[x]")
KERNEL(convert_float, "fcvt %d[r], %s[x]")
KERNEL(convert_double, "fcvt %s[r], %d[x]")

bool kernels_have_fma(void)
{
    return true;
}

#else

#define KERNEL(name, type, expression)                                                                       \
    static void name(const struct kernel_numbers *numbers, unsigned count)                                   \
    {                                                                                                        \
        type given[3];                                                                                       \
        for (unsigned i = 0; i < 3; i++)                                                                     \
            memcpy(&given[i], numbers->operands[i], sizeof given[i]);                                        \
        volatile type x = given[0], y = given[1];                                                            \
        volatile double result;                                                                              \
        for (unsigned i = 0; i < count; i++)                                                                 \
            result = expression;                                                                             \
        (void)result;                                                                                        \
        (void)y;                                                                                             \
    }

KERNEL(nothing, float, x)
KERNEL(add_float, float, x + y)
KERNEL(add_double, double, x + y)
KERNEL(multiply_float, float, x *y)
KERNEL(multiply_double, double, x *y)
KERNEL(divide_float, float, x / y)
KERNEL(divide_double, double, x / y)
KERNEL(compare_float, float, x < y)
KERNEL(compare_double, double, x < y)
KERNEL(convert_float, float, (double)x)
KERNEL(convert_double, double, (float)x)

bool kernels_have_fma(void)
{
    return false;
}
#endif

const struct kernel kernels[] = {
    {denormal_operation_NONE, denormal_type_FLOAT, false, false, nothing},
    {denormal_operation_ADD, denormal_type_FLOAT, false, false, add_float},
    {denormal_operation_ADD, denormal_type_DOUBLE, false, false, add_double},
    {denormal_operation_MULTIPLY, denormal_type_FLOAT, false, false, multiply_float},
    {denormal_operation_MULTIPLY, denormal_type_DOUBLE, false, false, multiply_double},
    {denormal_operation_DIVIDE, denormal_type_FLOAT, false, false, divide_float},
    {denormal_operation_DIVIDE, denormal_type_DOUBLE, false, false, divide_double},
    {denormal_operation_COMPARE, denormal_type_FLOAT, false, false, compare_float},
    {denormal_operation_COMPARE, denormal_type_DOUBLE, false, false, compare_double},
    {denormal_operation_CONVERT, denormal_type_FLOAT, false, false, convert_float},
    {denormal_operation_CONVERT, denormal_type_DOUBLE, false, false, convert_double},
#if defined __x86_64__ || defined __aarch64__
    {denormal_operation_SQRT, denormal_type_FLOAT, false, false, sqrt_float},
    {denormal_operation_SQRT, denormal_type_DOUBLE, false, false, sqrt_double},
    {denormal_operation_FMA, denormal_type_FLOAT, false, true, fma_float},
    {denormal_operation_FMA, denormal_type_DOUBLE, false, true, fma_double},
    {denormal_operation_ADD, denormal_type_FLOAT, true, false, add_floats},
    {denormal_operation_ADD, denormal_type_DOUBLE, true, false, add_doubles},
    {denormal_operation_MULTIPLY, denormal_type_FLOAT, true, false, multiply_floats},
    {denormal_operation_MULTIPLY, denormal_type_DOUBLE, true, false, multiply_doubles},
    {denormal_operation_DIVIDE, denormal_type_FLOAT, true, false, divide_floats},
    {denormal_operation_DIVIDE, denormal_type_DOUBLE, true, false, divide_doubles},
    {denormal_operation_SQRT, denormal_type_FLOAT, true, false, sqrt_floats},
    {denormal_operation_SQRT, denormal_type_DOUBLE, true, false, sqrt_doubles},
    {denormal_operation_FMA, denormal_type_FLOAT, true, true, fma_floats},
    {denormal_operation_FMA, denormal_type_DOUBLE, true, true, fma_doubles},
#endif
#ifdef __x86_64__
    {denormal_operation_ADD, denormal_type_X87, false, false, add_x87},
    {denormal_operation_MULTIPLY, denormal_type_X87, false, false, multiply_x87},
    {denormal_operation_DIVIDE, denormal_type_X87, false, false, divide_x87},
    {denormal_operation_LOAD, denormal_type_X87, false, false, load_x87},
    {denormal_operation_STORE, denormal_type_X87, false, false, store_x87},
#endif
};
const size_t kernel_count = sizeof kernels / sizeof *kernels;
