/* Latencies that depend on who made the operand.

   A chain of one instruction shows how fast it follows itself.  Some cores hand a result to an instruction of
   the same kind earlier than to others: a fused multiply-add takes its sum late if a product comes from the
   same pipes, an adder keeps its result in its own format.  So each sum is measured twice: in a chain of its
   own, and in turns with an instruction of another kind, whose time is taken off.

       fmla v6, v0, v1                     fmla v6, v0, v1
       fmla v6, v0, v1                     fadd v6, v6, v1

   Where the second takes longer, the form is `chained` by the first figure, and its latency is the second.  A
   core may lock into a slower mode with one pattern (3.1 or 3.9 cycles on a Neoverse V1, by runs): a turn has
   one of the others or two, and the quicker counts. */
#include "run/bench/core/experiments.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TURNS = 12, OWN = 1, MOST_OTHERS = 2, SUM_aarch64 = 6, SUM_x86 = 5 };
/* Further apart than two latencies that are the same; and steadier than the difference. */
static const double APART = 0.4, STEADY = 0.03;

struct sum {
    const char *form, *other; /* another kind on the same register */
};

static const struct sum sums_aarch64[] = {
    {"fmadd s,s,s,s", "fadd s,s,s"},     {"fmadd d,d,d,d", "fadd d,d,d"},
    {"fmsub s,s,s,s", "fadd s,s,s"},     {"fmsub d,d,d,d", "fadd d,d,d"},
    {"fnmadd s,s,s,s", "fadd s,s,s"},    {"fnmadd d,d,d,d", "fadd d,d,d"},
    {"fnmsub s,s,s,s", "fadd s,s,s"},    {"fnmsub d,d,d,d", "fadd d,d,d"},
    {"fmla 2s,2s,2s", "fadd 2s,2s,2s"},  {"fmla 4s,4s,4s", "fadd 4s,4s,4s"},
    {"fmla 2d,2d,2d", "fadd 2d,2d,2d"},  {"fmls 2s,2s,2s", "fadd 2s,2s,2s"},
    {"fmls 4s,4s,4s", "fadd 4s,4s,4s"},  {"fmls 2d,2d,2d", "fadd 2d,2d,2d"},
    {"fmla 2s,2s,s[]", "fadd 2s,2s,2s"}, {"fmla 4s,4s,s[]", "fadd 4s,4s,4s"},
    {"fmla 2d,2d,d[]", "fadd 2d,2d,2d"}, {"fmls 2s,2s,s[]", "fadd 2s,2s,2s"},
    {"fmls 4s,4s,s[]", "fadd 4s,4s,4s"}, {"fmls 2d,2d,d[]", "fadd 2d,2d,2d"},
    {"fmla s,s,s[]", "fadd s,s,s"},      {"fmla d,d,d[]", "fadd d,d,d"},
    {"fadd s,s,s", "fmul s,s,s"},        {"fadd d,d,d", "fmul d,d,d"},
    {"fadd 2s,2s,2s", "fmul 2s,2s,2s"},  {"fadd 4s,4s,4s", "fmul 4s,4s,4s"},
    {"fadd 2d,2d,2d", "fmul 2d,2d,2d"},
};
static const struct sum sums_x86[] = {
    {"addss xmm,xmm", "mulss xmm,xmm"},           {"addsd xmm,xmm", "mulsd xmm,xmm"},
    {"addps xmm,xmm", "mulps xmm,xmm"},           {"addpd xmm,xmm", "mulpd xmm,xmm"},
    {"subss xmm,xmm", "mulss xmm,xmm"},           {"subsd xmm,xmm", "mulsd xmm,xmm"},
    {"subps xmm,xmm", "mulps xmm,xmm"},           {"subpd xmm,xmm", "mulpd xmm,xmm"},
    {"vaddss xmm,xmm,xmm", "vmulss xmm,xmm,xmm"}, {"vaddsd xmm,xmm,xmm", "vmulsd xmm,xmm,xmm"},
    {"vaddps xmm,xmm,xmm", "vmulps xmm,xmm,xmm"}, {"vaddpd xmm,xmm,xmm", "vmulpd xmm,xmm,xmm"},
    {"vaddps ymm,ymm,ymm", "vmulps ymm,ymm,ymm"}, {"vaddpd ymm,ymm,ymm", "vmulpd ymm,ymm,ymm"},
    {"vsubss xmm,xmm,xmm", "vmulss xmm,xmm,xmm"}, {"vsubsd xmm,xmm,xmm", "vmulsd xmm,xmm,xmm"},
    {"vsubps xmm,xmm,xmm", "vmulps xmm,xmm,xmm"}, {"vsubpd xmm,xmm,xmm", "vmulpd xmm,xmm,xmm"},
    {"vsubps ymm,ymm,ymm", "vmulps ymm,ymm,ymm"}, {"vsubpd ymm,ymm,ymm", "vmulpd ymm,ymm,ymm"},
};

static const struct sum *sums_of(enum isa isa, size_t *count)
{
    *count =
        isa == isa_AARCH64 ? sizeof sums_aarch64 / sizeof *sums_aarch64 : sizeof sums_x86 / sizeof *sums_x86;
    return isa == isa_AARCH64 ? sums_aarch64 : sums_x86;
}

/* On the register of the sum alone: the operand that is added to is the last one of `fmadd`, the first one of
   the others. */
static void put_sum(struct core_unit *unit, const char *form)
{
    uint8_t sum = unit->isa == isa_AARCH64 ? SUM_aarch64 : SUM_x86;
    struct bench_instruction sample;
    unsigned sources = 0;
    bool adds_to_result = false;
    unit->is_made &= bench_sample(&sample, unit->isa, form);
    for (unsigned i = 0; unit->is_made && i < sample.slot_count; i++)
        if (sample.slots[i].writes)
            adds_to_result |= sample.slots[i].reads;
        else
            sources++;
    struct core_registers registers = {
        .to = sum, .from = core_VECTOR, .second = core_VECTOR_TOO, .has_second = true};
    if (!adds_to_result && sources == 3) {
        registers.third = sum;
        registers.has_third = true;
    } else if (!adds_to_result) {
        registers.from = sum;
    }
    core_put(unit, form, registers);
}

/* In turns with so many of the other; 0: alone. */
static void plan_chain(struct array *plan, enum isa isa, const struct sum *sum, unsigned others)
{
    char what[BENCH_NAME / 2];
    snprintf(what, sizeof what, "sum %s", sum->form);
    struct core_unit unit = core_begin(plan, isa, what, OWN + others);
    for (unsigned i = 0; i < TURNS; i++) {
        put_sum(&unit, sum->form);
        for (unsigned k = 0; k < others; k++)
            put_sum(&unit, sum->other);
    }
    core_end(&unit);
}

/* Whether a chain of the form alone is planned as the other of a sum before it. */
static bool is_planned(const struct sum *sums, size_t before, const char *other)
{
    for (size_t i = 0; i < before; i++)
        if (!strcmp(sums[i].other, other) || !strcmp(sums[i].form, other))
            return true;
    return false;
}

void core_plan_sums(struct array *plan, enum isa isa)
{
    size_t count;
    const struct sum *sums = sums_of(isa, &count);
    for (size_t i = 0; i < count; i++) {
        for (unsigned others = 1; others <= MOST_OTHERS; others++)
            plan_chain(plan, isa, &sums[i], others);
        if (!is_planned(sums, i, sums[i].form))
            plan_chain(plan, isa, &sums[i], 0);
        if (!is_planned(sums, i, sums[i].other))
            plan_chain(plan, isa, &(struct sum){.form = sums[i].other}, 0);
    }
}

/* NaN where it was disturbed, too. */
static double cycles_of(struct core_evidence *evidence, const char *form, unsigned number)
{
    char what[BENCH_NAME / 2];
    double spread = 0;
    snprintf(what, sizeof what, "sum %s", form);
    double cycles = core_cycles(evidence->results, &spread, what, number) / TURNS;
    return spread > STEADY ? NAN : cycles;
}

/* After another kind; NaN: not measured. */
static double behind_other(struct core_evidence *evidence, const struct sum *sum)
{
    double best = NAN, other = cycles_of(evidence, sum->other, OWN);
    for (unsigned others = 1; others <= MOST_OTHERS; others++)
        best = fmin(best, cycles_of(evidence, sum->form, OWN + others) - others * other);
    return best;
}

void core_find_sums(struct core_evidence *evidence)
{
    size_t count;
    const struct sum *sums = sums_of(evidence->isa, &count);
    for (size_t i = 0; i < count; i++) {
        double own = cycles_of(evidence, sums[i].form, OWN), others = behind_other(evidence, &sums[i]);
        char value[16];
        if (!(others > own + APART))
            continue;
        snprintf(value, sizeof value, "%g", round(4 * own) / 4);
        core_add_word(evidence, sums[i].form, "chained", value, 0);
        snprintf(value, sizeof value, "%g", round(4 * others) / 4);
        core_add_word(evidence, sums[i].form, core_USUAL, value, 0);
    }
}
