/* The compiler that made a piece of code, and the options that matter for speed, from the texts that it left
   in the file.

   Most compilers record little: GCC writes its options into the debug information, Clang does so only with an
   option, Intel's compilers write them into .comment. Options that are not recorded are unknown, and rules
   about options then stay silent or suggest -g. */
#ifndef CODE_QUALITY_COMPILER_H
#define CODE_QUALITY_COMPILER_H
#include "code/machine/extensions.h"
#include "model/model.h"

enum compiler_family { compiler_UNKNOWN, compiler_GCC, compiler_CLANG, compiler_INTEL };

struct compiler {
    enum compiler_family family;
    enum language language; /* of units; OTHER for all that no rule mentions */
    bool is_not_fortran;    /* also where the language is unknown */
    unsigned major;         /* version; 0: unknown */
    const char *name;       /* as recorded in the file, such as "GNU C17 12.2.0"; NULL: unknown */
    const char *flags;      /* NULL: unknown */
    bool has_debug;         /* the code has lines */
    /* If flags are known, the options in force: given by the user, or implied by another option, the language
       or the compiler's default. */
    int optimisation;                         /* 0 … 3, from the last -O, or the default without one */
    bool optimises_size, optimises_debugging; /* -Os, -Oz; -Og */
    bool vectorises;                          /* loops, at this level of optimisation */
    bool forbids_vectorising;                 /* -fno-tree-vectorize and similar */
    char target[32];   /* of -march, -mcpu or -x; "": none, or the baseline of the instruction set, which GCC
                          records if nothing was given */
    bool has_features; /* beyond the target, such as -mavx2 */
    bool is_native;    /* -march=native, -mcpu=native, -xHost */
    uint32_t
        without; /* extensions (code/machine/extensions.h) that the options keep it from using, or that the target
                    does not have: on AArch64 by the target's name, on x86 by options such as -mno-avx512f */
    bool has_fast_math, has_no_math_errno, has_associative_math, has_no_signed_zeros, has_no_trapping_math,
        has_reciprocal_math, has_finite_math, has_limited_range, has_unroll, has_lto, has_openmp,
        forbids_contraction, forbids_fma, has_profile, has_sanitizer;
    bool is_strict_iso;        /* -std=c11 and others, with which GCC does not contract */
    unsigned preferred_vector; /* -mprefer-vector-width in bits; 0: none */
};

/* From the compile unit of a function, or from the program if it has none. */
void compiler_find(struct compiler *compiler, const struct model *model, uint32_t function);
/* From texts alone, which must stay: the name (producer, or .comment), flags (NULL: unknown, unless they
   are in the name), language of the debug information. */
void compiler_parse(struct compiler *compiler, const char *producer, const char *flags,
                    enum language language);
/* Whether options are in force, by their spelling, such as "-ffast-math" or "-fno-signed-zeros
   -fno-trapping-math"; false where flags are unknown.  "-march" and "-mcpu" mean any target beyond the
   baseline. */
bool compiler_has(const struct compiler *compiler, const char *options);
#endif
