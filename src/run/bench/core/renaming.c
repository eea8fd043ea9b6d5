/* What renaming does by itself: moves that it removes, and results that do not depend on their sources.

   A move that is removed takes no time in a chain: two registers are moved back and forth.  An idiom (a
   register minus itself, exclusive or with itself) breaks a chain: the same register is source and result,
   and instances still do not wait for each other.  Whether it needs a port then shows beside the rate of the
   same form with different registers. */
#include "run/bench/core/experiments.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PAIRS = 12 };

static const char *const moves_aarch64[] = {"mov x,x", "mov w,w", "mov 16b,16b", "fmov d,d", NULL};
static const char *const moves_x86[] = {"mov r64,r64",     "mov r32,r32",     "movzx r32,r8",
                                        "movaps xmm,xmm",  "movdqa xmm,xmm",  "movups xmm,xmm",
                                        "movapd xmm,xmm",  "vmovaps xmm,xmm", "vmovaps ymm,ymm",
                                        "vmovdqa ymm,ymm", "vmovaps zmm,zmm", NULL};
static const char *const idioms_aarch64[] = {"eor x,x,x",       "eor w,w,w",    "sub x,x,x",    "sub w,w,w",
                                             "eor 16b,16b,16b", "sub 4s,4s,4s", "sub 2d,2d,2d", NULL};
static const char *const idioms_x86[] = {"xor r32,r32",        "xor r64,r64",        "sub r32,r32",
                                         "sub r64,r64",        "pxor xmm,xmm",       "xorps xmm,xmm",
                                         "xorpd xmm,xmm",      "psubb xmm,xmm",      "psubd xmm,xmm",
                                         "psubq xmm,xmm",      "pcmpeqd xmm,xmm",    "pcmpgtd xmm,xmm",
                                         "pcmpeqb xmm,xmm",    "sbb r32,r32",        "cmp r32,r32",
                                         "vpxor xmm,xmm,xmm",  "vpxor ymm,ymm,ymm",  "vxorps xmm,xmm,xmm",
                                         "vxorps ymm,ymm,ymm", "vpsubd ymm,ymm,ymm", NULL};

static const char *const *moves_of(enum isa isa)
{
    return isa == isa_AARCH64 ? moves_aarch64 : moves_x86;
}

static const char *const *idioms_of(enum isa isa)
{
    return isa == isa_AARCH64 ? idioms_aarch64 : idioms_x86;
}

static void name_of(char *what, size_t size, const char *start, const char *form)
{
    snprintf(what, size, "%s %s", start, form);
}

/* Two registers of any kind that the unit may write. */
static struct core_registers pair_of(enum isa isa)
{
    return isa == isa_AARCH64 ? (struct core_registers){.to = 6, .from = 7}
                              : (struct core_registers){.to = 2, .from = 5};
}

/* A source that nobody writes, of the kind of the form's result. */
static uint8_t other_source(enum isa isa, const char *form)
{
    struct bench_instruction sample;
    bool is_vector = bench_sample(&sample, isa, form) && sample.slots[0].domain == domain_VECTOR;
    return is_vector ? core_VECTOR : core_general(isa, core_INDEX);
}

void core_plan_renaming(struct array *plan, enum isa isa)
{
    char what[BENCH_NAME / 2];
    for (const char *const *form = moves_of(isa); *form; form++) {
        struct core_registers there = pair_of(isa), back = {.to = there.from, .from = there.to};
        name_of(what, sizeof what, "move", *form);
        struct core_unit unit = core_begin(plan, isa, what, 2 * PAIRS);
        for (unsigned i = 0; i < PAIRS; i++) {
            core_put(&unit, *form, there);
            core_put(&unit, *form, back);
        }
        core_end(&unit);
    }
    for (const char *const *form = idioms_of(isa); *form; form++) {
        struct core_registers one = pair_of(isa);
        one.from = one.to;
        name_of(what, sizeof what, "idiom", *form);
        struct core_unit unit = core_begin(plan, isa, what, 2 * PAIRS);
        for (unsigned i = 0; i < 2 * PAIRS; i++)
            core_put(&unit, *form, one);
        core_end(&unit);
        /* Two registers that wait for each other, and many that do not. */
        struct core_registers there = pair_of(isa), back = {.to = there.from, .from = there.to};
        there.second = back.second = other_source(isa, *form);
        there.has_second = back.has_second = true;
        name_of(what, sizeof what, "chain", *form);
        unit = core_begin(plan, isa, what, 2 * PAIRS);
        for (unsigned i = 0; i < PAIRS; i++) {
            core_put(&unit, *form, there);
            core_put(&unit, *form, back);
        }
        core_end(&unit);
        name_of(what, sizeof what, "free", *form);
        unit = core_begin(plan, isa, what, 2 * PAIRS);
        for (unsigned i = 0; i < 2 * PAIRS; i++)
            core_put_free(&unit, *form);
        core_end(&unit);
    }
}

static double cycles_of(struct core_evidence *evidence, double *spread, const char *start, const char *form)
{
    char what[BENCH_NAME / 2];
    name_of(what, sizeof what, start, form);
    return core_cycles(evidence->results, spread, what, 2 * PAIRS) / (2 * PAIRS);
}

void core_add_word(struct core_evidence *evidence, const char *form, const char *word, const char *value,
                   double spread)
{
    struct bench_form_word *added = array_push(evidence->words);
    *added = (struct bench_form_word){.spread = spread};
    snprintf(added->form, sizeof added->form, "%s", form);
    snprintf(added->word, sizeof added->word, "%s", word);
    snprintf(added->value, sizeof added->value, "%s", value);
}

static void find_moves(struct core_evidence *evidence)
{
    double best[2] = {INFINITY, INFINITY}, spreads[2] = {0, 0};
    const char *which[2] = {NULL, NULL};
    for (const char *const *form = moves_of(evidence->isa); *form; form++) {
        double spread = 0, cycles = cycles_of(evidence, &spread, "move", *form);
        if (!isfinite(cycles))
            continue;
        if (cycles < 0.7)
            core_add_word(evidence, *form, "eliminated", "", spread);
        struct bench_instruction sample;
        if (!bench_sample(&sample, evidence->isa, *form))
            continue;
        bool is_vector = sample.slots[0].domain == domain_VECTOR;
        if (cycles < best[is_vector]) {
            best[is_vector] = cycles;
            spreads[is_vector] = spread;
            which[is_vector] = *form;
        }
    }
    for (unsigned i = 0; i < 2; i++) {
        char how[128];
        if (!(best[i] < 0.7))
            continue;
        snprintf(how, sizeof how, "a chain of `%s` takes %.2f cycles each", which[i], best[i]);
        bench_finding_add(evidence->findings, "eliminates", spreads[i], how, "%s any",
                          i ? "vector" : "general");
    }
}

static void find_idioms(struct core_evidence *evidence)
{
    double issue = core_issue_width(evidence->results, evidence->isa, NULL);
    for (const char *const *form = idioms_of(evidence->isa); *form; form++) {
        double spread = 0, same = cycles_of(evidence, &spread, "idiom", *form);
        double chain = cycles_of(evidence, &spread, "chain", *form),
               free = cycles_of(evidence, &spread, "free", *form);
        if (!(same < 0.7 * chain))
            continue;
        core_add_word(evidence, *form, "breaks", "", spread);
        /* As fast as renaming, where the form itself is not. */
        if (same < 1.15 / issue && same < 0.9 * free)
            core_add_word(evidence, *form, "same-ports", "none", spread);
    }
}

void core_find_renaming(struct core_evidence *evidence)
{
    find_moves(evidence);
    find_idioms(evidence);
}
