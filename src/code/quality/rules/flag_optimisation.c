/* Code that was compiled without optimisation, or with less than the usual.

   Without any, every variable lives in memory: no register carries a value from one iteration to the next,
   which the code shows even if the options are unknown. But variables are in memory for other reasons too: a
   setjmp, structures, addresses that other functions got; so this is only reported as potential. The figure
   has the cycles of the loop with its variables in registers; a compiler that may optimise does much more.

   -O1, -Og and -Os are reported only where they omit something that this loop could use: vectors, or
   registers for values on the stack. */
#include "code/quality/rules/flags.h"
#include "code/quality/rules/targets.h"
#include "code/quality/without.h"

#include <math.h>

/* The least gain that is reported if the loop is optimised a little. */
static const double WORTH_A_WORD = 1.2;

static double cycles_in_registers(const struct subject *subject, struct remark *remark)
{
    struct without without;
    if (!subject_is_timed(subject) || !subject->metric->stack_reference_count)
        return NAN;
    without_begin(&without, subject);
    for (unsigned i = 0; i < subject->access_count; i++)
        if (subject->accesses[i].is_stack) {
            without_memory(&without, subject->accesses[i].item);
            remark_point(remark, subject->accesses[i].item);
        }
    return without_cycles(&without);
}

static bool find_unoptimised(const struct subject *subject, struct remark *remark)
{
    bool is_known = flags_are_known(subject);
    if (is_known ? subject->compiler->optimisation != 0 : !flags_look_unoptimised(subject))
        return false;
    double cycles = cycles_in_registers(subject, remark);
    if (subject->path->cycles >= WORTH_A_WORD * cycles)
        remark->cycles = cycles;
    if (is_known)
        remark->level = advice_level_GAIN;
    remark_say(remark,
               is_known
                   ? "The code was compiled without optimisation."
                   : "The code looks unoptimised: no register keeps a value from one iteration to the next.");
    if (subject->metric->stack_reference_count)
        remark_say(
            remark,
            " %u of the %u instructions per iteration load or store variables that belong in registers.",
            subject->metric->stack_reference_count, subject->item_count);
    return true;
}

/* What -O1, -Og and -Os leave out. */
static bool find_less(const struct subject *subject, struct remark *remark)
{
    const struct compiler *compiler = subject->compiler;
    const char *level = compiler->optimises_size        ? "for size (-Os or -Oz)"
                        : compiler->optimises_debugging ? "for debugging (-Og)"
                                                        : "at -O1 only";
    bool is_lower = compiler->optimises_size || compiler->optimisation < 2;
    if (!flags_matter(subject) || !is_lower)
        return false;
    double with_vectors = target_cycles(subject, target_bits(subject)), in_registers = NAN;
    bool could_vectorise = subject->path->cycles >= WORTH_A_WORD * with_vectors &&
                           !flags_has_vectors(subject) && !compiler->vectorises;
    if (!could_vectorise)
        in_registers = cycles_in_registers(subject, remark);
    bool could_keep = subject->path->cycles >= WORTH_A_WORD * in_registers;
    if (!could_vectorise && !could_keep)
        return false;
    remark->cycles = could_vectorise ? with_vectors : in_registers;
    remark_say(remark, "The code is optimised %s; ", level);
    if (could_vectorise)
        remark_say(remark, "its scalar work could be vectorised, which compilers do at higher levels.");
    else
        remark_say(
            remark,
            "%u of the %u instructions per iteration load or store variables that could be in registers.",
            subject->metric->stack_reference_count, subject->item_count);
    for (unsigned i = 0; i < subject->item_count && could_vectorise; i++)
        if (subject->items[i].purpose == purpose_DATA && subject->items[i].is_vectorisable)
            remark_point(remark, i);
    return true;
}

static bool find(const struct subject *subject, struct remark *remark)
{
    return find_unoptimised(subject, remark) || find_less(subject, remark);
}

const struct rule rule_flag_optimisation = {
    .name = "flag-optimisation",
    .title = "The code was not compiled for speed",
    .meaning = "Without -O2 or -O3 the compiler translates the source literally: it loads and stores "
               "variables at every use, moves nothing out of the loop, inlines no functions and does not "
               "vectorise. This option alone makes programs several times faster.",
    .level = advice_level_POTENTIAL,
    .remedies = {{audience_GCC, "-O3",
                  "Compile with -O3, or with -O2 if the program gets too large. Keep -g if it is there.",
                  action_OPTIMISE},
                 {audience_CLANG, "-O2", "Compile with -O2 or -O3. Keep -g if it is there.", action_OPTIMISE},
                 {audience_INTEL, "-O2",
                  "Compile with -O2 or -O3: with -g and no -O level these compilers do not optimise.",
                  action_OPTIMISE},
                 {audience_ANY, NULL,
                  "Check every place that sets options: CFLAGS, CXXFLAGS, FFLAGS, CMAKE_BUILD_TYPE=Release, "
                  "Meson's --buildtype=release. The last -O on a command line counts.",
                  action_OPTIMISE}},
    .find = find,
};
