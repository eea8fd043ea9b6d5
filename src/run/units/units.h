/* The compile units of a sampled run: how hot each is, and what its compiler's options cost, whether or not
   it has loops.

   An option is judged by what it left in the code, weighted by samples: -ffloat-store leaves floating-point
   numbers that go to the frame and come back, -O0 does that with every variable, assertions leave branches to
   calls of __assert_fail, -pg leaves calls of a counter, and small functions of other units are called
   where -flto would have inlined them.  The time on that code is what the option costs. */
#ifndef RUN_UNITS_UNITS_H
#define RUN_UNITS_UNITS_H
#include "code/machine/machine.h"
#include "model/model.h"

/* After sample_rows_add: replaces the rows of run_units and run_options. */
void units_judge(struct model *model);
/* Which units are compiled for older processors than the one with these machines (by enum isa; NULL: unknown). */
void units_judge_target(struct model *model, const struct machine *const machines[]);
/* After quality_build: what a higher level would save, from advice on the unit's loops that names it, also
   where their numbers of iterations are unknown. */
void units_promise(struct model *model);

/* What a rule says, for reports. */
struct units_rule {
    const char *costs;  /* after the option: "writes every variable to memory and reads it back" */
    const char *stands; /* after a share of the unit's time: "is spent on these accesses"; NULL: no figure */
    const char *remedy; /* whole sentences */
    bool is_upper;      /* what is saved may be less: the work stays */
    bool is_missing;    /* the option is, rather than being there */
};
const struct units_rule *units_rule_of(enum option_rule rule);
#endif
