/* environment: what the functions of fenv.h tell must be what they tell without the profiler. */
#include "counted.h"
#include <fenv.h>

/* A denormal that is exact, and one that is not: only the second is an underflow to the program. */
static void exact_event(void)
{
    double_event();
}

int main(void)
{
    fenv_t saved;
    feclearexcept(FE_ALL_EXCEPT);
    if (fegetexcept() != 0)
        return 1;
    exact_event();
    if (fetestexcept(FE_UNDERFLOW))
        return 2;
    underflow_event();
    if (!fetestexcept(FE_UNDERFLOW) || fegetexcept() != 0)
        return 3;
    fegetenv(&saved);
    feclearexcept(FE_ALL_EXCEPT);
    if (fetestexcept(FE_ALL_EXCEPT))
        return 4;
    fesetenv(&saved);
    if (!fetestexcept(FE_UNDERFLOW))
        return 5;
    for (int i = 0; i < 10; i++)
        operand_event();
    fesetenv(FE_DFL_ENV);
    for (int i = 0; i < 10; i++)
        operand_event();
    feholdexcept(&saved);
    for (int i = 0; i < 10; i++)
        operand_event();
    feupdateenv(&saved);
    fesetround(FE_UPWARD);
    for (int i = 0; i < 10; i++)
        operand_event();
    if (result_float == 1)
        return 6;
    fesetround(FE_TONEAREST);
    feraiseexcept(FE_UNDERFLOW);
    if (!fetestexcept(FE_UNDERFLOW))
        return 7;
    return 0;
}
