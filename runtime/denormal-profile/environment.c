/* The functions of fenv.h: "show" the program's environment (arm.c), call the real function, "take" the
   result.  So they see and change the same environment as without the profiler. */
#include "profile.h"
#include "real.h"

#include <fenv.h>

#pragma GCC diagnostic ignored "-Wmissing-prototypes"

/* Where nothing is watched, show and take do nothing. */
#define CALL(answer, name, parameters, ...)                                                                  \
    PROFILE_EXPORT answer name parameters                                                                        \
    {                                                                                                        \
        static void *place;                                                                                  \
        answer(*real) parameters = (answer(*) parameters)real_function(&place, #name);                       \
        if (!real)                                                                                           \
            return -1;                                                                                       \
        arm_show(&profile_thread);                                                                               \
        answer result = real(__VA_ARGS__);                                                                   \
        environment_take(#name);                                                                             \
        return result;                                                                                       \
    }

/* Functions that set masks or the whole environment are worth a note. */
static bool changes_environment(const char *name)
{
    static const char *const names[] = {"fesetenv", "feupdateenv", "feholdexcept", "fesetmode"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static void environment_take(const char *name)
{
    if (!profile_thread.is_watched)
        return;
    if (changes_environment(name))
        note(PROFILE_NOTE_ENVIRONMENT_CHANGED, 0);
    else if (strcmp(name, "feenableexcept") == 0)
        note(PROFILE_NOTE_ENABLED_BY_PROGRAM, 0);
    arm_take(&profile_thread);
}

CALL(int, fesetenv, (const fenv_t *environment), environment)
CALL(int, feupdateenv, (const fenv_t *environment), environment)
CALL(int, feholdexcept, (fenv_t * environment), environment)
CALL(int, fegetenv, (fenv_t * environment), environment)
CALL(int, fegetmode, (femode_t * mode), mode)
CALL(int, fesetmode, (const femode_t *mode), mode)
CALL(int, feenableexcept, (int exceptions), exceptions)
CALL(int, fedisableexcept, (int exceptions), exceptions)
CALL(int, fegetexcept, (void))
CALL(int, feclearexcept, (int exceptions), exceptions)
CALL(int, feraiseexcept, (int exceptions), exceptions)
CALL(int, fesetexcept, (int exceptions), exceptions)
CALL(int, fetestexcept, (int exceptions), exceptions)
CALL(int, fegetexceptflag, (fexcept_t * flags, int exceptions), flags, exceptions)
CALL(int, fesetexceptflag, (const fexcept_t *flags, int exceptions), flags, exceptions)

/* Fortran programs compiled with -ffpe-trap call this at start; it writes both control words itself. */
PROFILE_EXPORT void _gfortran_set_fpe(int exceptions)
{
    static void *place;
    void (*real)(int) = (void (*)(int))real_function(&place, "_gfortran_set_fpe");
    arm_show(&profile_thread);
    if (real)
        real(exceptions);
    environment_take("feenableexcept");
}
