/* In the place of bundles_program.c where there is no GLPK.  Machines whose bundles have the usual shapes get
   the same bounds by the formula. */
#include "base/built.h"
#include "code/cost/macs/bundles.h"

bool bundles_solve(const struct bundle_program *program, unsigned floating, unsigned memory,
                   unsigned branches, unsigned *least, unsigned counts[MOST_SHAPES], struct error *error)
{
    (void)program;
    (void)floating;
    (void)memory;
    (void)branches;
    (void)least;
    (void)counts;
    return feature_missing(feature_PROGRAMS, error);
}
