/* The compiler that made a piece of code, and the options that matter for speed, from the texts that it left
   in the file.

   Most compilers say little: GCC writes its options into the debug information, Clang only when asked,
   Intel's into .comment.  What is not said is not known, and rules about options then keep silent or ask for
   -g. */
#ifndef QUALITY_COMPILER_H
#define QUALITY_COMPILER_H
#include "model/model.h"

enum compiler_family { compiler_UNKNOWN, compiler_GCC, compiler_CLANG, compiler_INTEL };
enum compiler_language {
    language_UNKNOWN,
    language_C,
    language_CPLUSPLUS,
    language_FORTRAN,
    language_OTHER,
    language_ASSEMBLY
};

struct compiler {
    enum compiler_family family;
    enum compiler_language language;
    unsigned major;    /* version; 0: not known */
    const char *name;  /* as the file tells it, such as "GNU C17 12.2.0"; NULL: not known */
    const char *flags; /* NULL: not known */
    bool has_debug;    /* the code has lines */
    /* Where flags are known: */
    int optimisation;                         /* 0 … 3, as the last -O says; 0 where there is none */
    bool optimises_size, optimises_debugging; /* -Os, -Oz; -Og */
    const char *target;                       /* of -march, -mcpu or -x; NULL: none given */
    bool is_native, has_fast_math, has_no_math_errno, has_associative_math, has_no_trapping_math,
        has_reciprocal_math, has_finite_math, has_limited_range, has_unroll, has_lto, has_openmp,
        forbids_vectorising, forbids_contraction, forbids_fma, has_profile, has_sanitizer;
    unsigned preferred_vector; /* -mprefer-vector-width in bits; 0: none */
};

/* Of the compile unit of a function, or of the program where it has none. */
void compiler_find(struct compiler *compiler, const struct model *model, uint32_t function);
/* From texts alone: producer or .comment, flags (NULL: not known), language of the debug information. */
void compiler_parse(struct compiler *compiler, const char *producer, const char *flags, const char *language);
/* Whether an option is in force, by its spelling, such as "-ffast-math"; false where flags are not known.
   -march=x86-64-v3 and the like are asked as "-march". */
bool compiler_has(const struct compiler *compiler, const char *option);
/* Frees what compiler_find made: nothing of it points into the model but texts. */
#endif
