/* Functions that loops call, known by their names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "code/quality/rules/callees.h"

static const struct {
    const char *name;
    enum callee_sort sort;
} names[] = {
    {"exp", callee_MATH},
    {"expf", callee_MATH},
    {"expl", callee_MATH},
    {"__exp_finite", callee_MATH},
    {"acos", callee_MATH},
    {"sincosf", callee_MATH},
    {"tgamma", callee_PLAIN_MATH},
    {"cabs", callee_PLAIN_MATH},
    {"__powidf2", callee_PLAIN_MATH},
    {"floor", callee_ROUNDING},
    {"truncf", callee_ROUNDING},
    {"fmin", callee_EXTREME},
    {"fmaxl", callee_EXTREME},
    {"sqrtf", callee_ROOT},
    {"fma", callee_FUSED},
    {"fmaf", callee_FUSED},
    {"__divdc3", callee_COMPLEX},
    {"__mulxc3", callee_COMPLEX},
    {"__multf3", callee_QUADRUPLE},
    {"__addtf3", callee_QUADRUPLE},
    {"memcpy", callee_MEMORY},
    {"__memcpy_chk", callee_MEMORY},
    {"malloc", callee_ALLOCATION},
    {"_Znwm", callee_ALLOCATION},
    {"_ZdaPv", callee_RELEASE},
    {"posix_memalign", callee_ALLOCATION},
    {"_gfortran_internal_pack", callee_PACKING},
    {"_ZGVdN4v_exp", callee_VECTOR},
    {"__svml_exp4", callee_VECTOR},
    {"Sleef_expd4_u10", callee_VECTOR},
    {"", callee_OTHER},
    {"f", callee_OTHER},
    {"l", callee_OTHER},
    {"explode", callee_OTHER},
    {"__finite", callee_OTHER},
    {"_finite", callee_OTHER},
    {"a_function_with_a_name_longer_than_any_of_libm", callee_OTHER},
    {"MPI_Send", callee_OTHER},
};

static void test_names(void **state)
{
    (void)state;
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (callee_sort(names[i].name) != names[i].sort)
            fail_msg("%s is taken as %d, not as %d", names[i].name, callee_sort(names[i].name),
                     names[i].sort);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
