/* Loops that a library does better: products of matrices, of a matrix and a vector, and scalar products, as
   templates.c recognises them.

   What it says was measured (bench/templates, docs/templates.md): for matrices of a hundred rows a library
   multiplies several times as fast as any code that a compiler makes of three loops, because it keeps blocks
   of both in registers and caches. Scalar products, alone or in a loop, are faster from about a hundred
   elements on where the sum is one number, which each addition waits for. Everything else that is recognised
   is as fast once it is vectorised (axpy, triad), or the compiler calls the library already (copy, fill), and
   is not mentioned.

   The number of elements is mostly unknown, so what it gains is an upper limit: the peak of the machine. It
   is silent where the loop is short, where rows are (a product of 3 x 3), and where it reaches a good part of that peak. */
#include "code/quality/rules/rule.h"
#include "code/quality/templates.h"
#include "code/quality/without.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_ROWS = 64, LEAST_ELEMENTS = 100 };
static const double GOOD_SHARE = 0.4;

static const struct remedy product_of_matrices = {
    audience_C, NULL,
    "Call cblas_dgemm (cblas_sgemm for float) of a BLAS: OpenBLAS, BLIS, MKL or Arm Performance Libraries. "
    "It pays from "
    "matrices of about a hundred rows on; below about thirty the loops are as good.",
    action_LIBRARY};
static const struct remedy product_in_fortran = {audience_FORTRAN, NULL,
                                                 "Write C = matmul(A, B) and compile with -fexternal-blas "
                                                 "(gfortran; -lopenblas when linking), or call dgemm.",
                                                 action_LIBRARY};
static const struct remedy other_products = {audience_ANY, NULL,
                                             "Call the function of a BLAS (OpenBLAS, BLIS, MKL or Arm "
                                             "Performance Libraries): ddot for a scalar product, dgemv for "
                                             "a matrix and a vector (sdot and sgemv for float). It pays from "
                                             "about a hundred elements on. The order of the sum is another "
                                             "one, so that the last digits may differ.",
                                             action_LIBRARY};

/* Whoever has slow code of a BLAS in the profile calls one already. */
static const struct remedy tuned_library = {
    audience_ANY, NULL,
    "This is the plain version of a BLAS, which is called already: link with a tuned one (OpenBLAS, BLIS, MKL or "
    "Arm Performance Libraries) instead. Where the plain one is a shared library, the other can take its place "
    "without linking again.",
    action_LIBRARY};

/* Whether the loop is in such a function of a BLAS, by its name in C or Fortran. */
static bool is_in_blas(const struct subject *subject)
{
    static const char *const names[] = {"gemm", "gemv", "symm", "symv", "syrk", "syr2k",
                                        "trmm", "trmv", "trsm", "trsv", "dot"};
    const struct function *function =
        model_function(subject->model, model_loop(subject->model, subject->loop)->function);
    const char *name = function->name ? model_text(subject->model, function->name) : NULL;
    if (!name || (*name != 'd' && *name != 's'))
        return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t length = strlen(names[i]);
        if (!strncmp(name + 1, names[i], length) && (!name[1 + length] || !strcmp(name + 1 + length, "_")))
            return true;
    }
    return false;
}

/* Whether rows are so short that the matrices are small, whatever the number of iterations is: m[3][3]. */
static bool has_short_rows(const struct subject *subject, enum element element)
{
    int64_t bytes = element == element_FP64 ? 8 : 4;
    for (unsigned i = 0; i < subject->access_count; i++) {
        const struct subject_access *access = &subject->accesses[i];
        if (access->pattern == access_pattern_CONSTANT_STRIDE && access->stride &&
            llabs(access->stride) < LEAST_ROWS * bytes)
            return true;
    }
    return false;
}

static bool find(const struct subject *subject, struct remark *remark)
{
    const struct template_match *match = subject->match;
    bool is_vector = match && subject->items[match->item].is_vectorised;
    if (!match || !without_matters(subject) || subject_is_aside(subject) ||
        (match->element != element_FP64 && match->element != element_FP32))
        return false;
    bool is_gemm = match->kind == loop_template_GEMM;
    bool is_sum =
        !subject->items[match->item].row->store_bytes || match->is_in_memory; /* not column by column */
    bool is_other =
        !is_vector && is_sum && (match->kind == loop_template_GEMV || match->kind == loop_template_DOT);
    const struct loop_metric *metric = subject->metric;
    if ((!is_gemm && !is_other) || !(metric->flop_share < GOOD_SHARE) ||
        (subject->trips && subject->trips < (is_gemm ? LEAST_ROWS : LEAST_ELEMENTS)) ||
        (is_gemm && has_short_rows(subject, match->element)))
        return false;
    remark->level = is_gemm ? advice_level_POTENTIAL : advice_level_HINT;
    remark->is_upper = true;
    remark->cycles = fmin(subject->path->cycles, metric->flop_count / metric->peak_flop_per_cycle);
    remark_point(remark, match->item);
    remark_say(remark,
               "It is %s, and reaches %.0f %% of the floating-point operations that the machine can do.",
               is_gemm                             ? "the inner loop of a product of two matrices"
               : match->kind == loop_template_GEMV ? "the inner loop of a product of a matrix and a vector"
                                                   : "a scalar product of two arrays",
               100 * metric->flop_share);
    if (is_in_blas(subject)) {
        remark_advise(remark, &tuned_library);
    } else if (is_gemm) {
        remark_advise(remark, &product_of_matrices);
        remark_advise(remark, &product_in_fortran);
    } else {
        remark_advise(remark, &other_products);
    }
    return true;
}

const struct rule rule_library_call = {
    .name = "library-call",
    .title = "A library has this loop, and does it faster",
    .meaning = "Products of matrices and vectors are the most tuned code there is. Libraries work on blocks "
               "that stay in registers "
               "and caches, so that each number is loaded once for many operations; compilers do not do that "
               "to three plain loops.",
    .level = advice_level_HINT,
    .remedies = {{0}},
    .find = find,
};
