/* Width: how many instructions a cycle takes, of any kind and of some.

   A mix is a few instructions that do not wait for each other, repeated.  What stops a mix is a port of one
   of its kinds, or the width that all share: the best of several mixes comes nearest to the width.  No mix
   runs faster than the core can, so the best one of a kind is a lower bound that good mixes reach.  No-ops do
   not count on AArch64: a Neoverse V1 takes twelve a cycle, and eight of anything else.

   Another program on the core (on its other thread, too) takes its share of the width for seconds: mixes are
   measured in three rounds, between other experiments, and the best counts.

   Wider accesses than a way of the cache holds take two turns, or go with fewer others: rates by width show
   it. */
#include "run/bench/core/experiments.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_MIX = 8, UNIT = 24, PLACES_APART = 128 };

/* Forms by instruction set; a mix that one set does not have is left out there. */
struct mix {
    const char *what;
    unsigned loads; /* how many of its instructions load; 0: does not matter */
    const char *aarch64[MOST_MIX], *x86[MOST_MIX];
};

static const struct mix mixes[] = {
    {"width constant", 0, {"mov x,i"}, {"mov r32,i32"}},
    {"width add", 0, {"add x,x,x"}, {"add r32,r32"}},
    {"width move", 0, {"mov x,x"}, {"mov r64,r64"}},
    {"width add nop", 0, {NULL}, {"add r32,r32", "nop"}},
    {"width add vector", 0, {"add x,x,x", "add 4s,4s,4s"}, {"add r32,r32", "paddd xmm,xmm"}},
    {"width add vector load",
     0,
     {"add x,x,x", "add 4s,4s,4s", "ldr x,[x]", "add x,x,x", "add 4s,4s,4s", "ldr x,[x]", "add x,x,x",
      "add 4s,4s,4s"},
     {"add r32,r32", "paddd xmm,xmm", "mov r64,m64", "add r32,r32", "paddd xmm,xmm", "mov r64,m64"}},
    {"loads general", 1, {"ldr x,[x]"}, {"mov r64,m64"}},
    {"loads vector", 1, {"ldr q,[x]"}, {"movups xmm,m128"}},
    {"loads both", 2, {"ldr x,[x]", "ldr q,[x]"}, {"mov r64,m64", "movups xmm,m128"}},
    {"stores general", 0, {"str x,[x]"}, {"mov m64,r64"}},
    {"stores vector", 0, {"str q,[x]"}, {"movups m128,xmm"}},
    {"memory 1 1", 1, {"ldr x,[x]", "str x,[x]"}, {"mov r64,m64", "mov m64,r64"}},
    {"memory 2 1", 2, {"ldr x,[x]", "str x,[x]", "ldr x,[x]"}, {"mov r64,m64", "mov m64,r64", "mov r64,m64"}},
    {"memory 3 2",
     3,
     {"ldr x,[x]", "str x,[x]", "ldr x,[x]", "str x,[x]", "ldr x,[x]"},
     {"mov r64,m64", "mov m64,r64", "mov r64,m64", "mov m64,r64", "mov r64,m64"}},
    {"branches not taken", 0, {core_BRANCH}, {core_BRANCH}},
    {"floating add", 0, {"fadd d,d,d"}, {"addsd xmm,xmm"}},
    {"floating multiply", 0, {"fmul d,d,d"}, {"mulsd xmm,xmm"}},
    {"floating fma", 0, {"fmadd d,d,d,d"}, {"vfmadd231sd xmm,xmm,xmm"}},
    {"floating add multiply", 0, {"fadd d,d,d", "fmul d,d,d"}, {"addsd xmm,xmm", "mulsd xmm,xmm"}},
    {"floating 2 add multiply",
     0,
     {"fadd d,d,d", "fadd d,d,d", "fmul d,d,d"},
     {"addsd xmm,xmm", "addsd xmm,xmm", "mulsd xmm,xmm"}},
    {"load bytes 8",
     3,
     {"ldr x,[x]", "ldr x,[x]", "ldr x,[x]", "add x,x,x"},
     {"mov r64,m64", "mov r64,m64", "mov r64,m64", "add r32,r32"}},
    {"load bytes 16",
     3,
     {"ldr q,[x]", "ldr q,[x]", "ldr q,[x]", "add x,x,x"},
     {"movups xmm,m128", "movups xmm,m128", "movups xmm,m128", "add r32,r32"}},
    {"load bytes 32", 3, {NULL}, {"vmovups ymm,m256", "vmovups ymm,m256", "vmovups ymm,m256", "add r32,r32"}},
    {"load bytes 64", 3, {NULL}, {"vmovups zmm,m512", "vmovups zmm,m512", "vmovups zmm,m512", "add r32,r32"}},
    {"store bytes 8", 0, {"str x,[x]"}, {"mov m64,r64"}},
    {"store bytes 16", 0, {"str q,[x]"}, {"movups m128,xmm"}},
    {"store bytes 32", 0, {NULL}, {"vmovups m256,ymm"}},
    {"store bytes 64", 0, {NULL}, {"vmovups m512,zmm"}},
};
enum { MIX_COUNT = sizeof mixes / sizeof *mixes };

static const char *const *forms_of(const struct mix *mix, enum isa isa)
{
    return isa == isa_AARCH64 ? mix->aarch64 : mix->x86;
}

static unsigned count_forms(const char *const *forms)
{
    unsigned count = 0;
    while (count < MOST_MIX && forms[count])
        count++;
    return count;
}

/* How many instructions a unit has: about as many as registers for results. */
static unsigned unit_size(const char *const *forms)
{
    unsigned count = count_forms(forms);
    return count ? (UNIT + count - 1) / count * count : 0;
}

void core_plan_width(struct array *plan, enum isa isa, unsigned round)
{
    for (unsigned m = 0; m < MIX_COUNT; m++) {
        const char *const *forms = forms_of(&mixes[m], isa);
        unsigned size = unit_size(forms);
        if (!size)
            continue;
        struct core_unit unit = core_begin(plan, isa, mixes[m].what, round);
        /* Loads that find what was just stored may need no port: stores beside loads go elsewhere. */
        bool is_beside = !strncmp(mixes[m].what, "memory", 6);
        unsigned count = count_forms(forms);
        unit.is_side_by_side = true;
        core_set(&unit, core_general(isa, core_BASE_TOO), true, PLACES_APART);
        for (unsigned i = 0; i < size; i++) {
            unit.is_elsewhere = is_beside && i % count % 2;
            core_put_free(&unit, forms[i % count]);
        }
        core_end(&unit);
    }
}

/* Instructions a cycle, or its loads alone; 0: not measured. */
static double rate_of(struct bench_results *results, enum isa isa, const struct mix *mix, bool counts_loads,
                      double *spread)
{
    const char *const *forms = forms_of(mix, isa);
    unsigned size = unit_size(forms);
    double best = INFINITY;
    for (unsigned round = 0; round < core_ROUNDS; round++) {
        double own = 0, cycles = core_cycles(results, &own, mix->what, round);
        if (!(cycles < best))
            continue;
        best = cycles;
        *spread = own;
    }
    double rate = size / best;
    if (counts_loads)
        rate = rate * mix->loads / count_forms(forms);
    return rate > 0 ? rate : 0;
}

/* The best rate of the mixes whose names start so; 0 if none was measured. */
static double best_rate(struct bench_results *results, enum isa isa, const char *start, bool counts_loads,
                        double *spread, const char **which)
{
    double best = 0;
    for (unsigned m = 0; m < MIX_COUNT; m++) {
        double own = 0, rate = rate_of(results, isa, &mixes[m], counts_loads, &own);
        if (strncmp(mixes[m].what, start, strlen(start)) || rate <= best)
            continue;
        best = rate;
        *spread = own;
        *which = mixes[m].what;
    }
    return best;
}

/* Cores do whole numbers in a cycle; a mix may miss a few places. */
static unsigned whole(double rate)
{
    return (unsigned)floor(rate + 0.15);
}

double core_issue_width(struct bench_results *results, enum isa isa, double *spread)
{
    const char *which = NULL;
    double own = 0, rate = best_rate(results, isa, "width ", false, &own, &which);
    if (spread && own > *spread)
        *spread = own;
    return which ? rate : NAN;
}

static void add_rate(struct core_evidence *evidence, const char *word, double rate, double spread,
                     const char *which)
{
    char how[128];
    if (!which || whole(rate) < 1)
        return;
    snprintf(how, sizeof how, "best of several mixes: %s, %.2f a cycle", which, rate);
    bench_finding_add(evidence->findings, word, spread, how, "%u", whole(rate));
}

/* Ways to the cache: how wide an access of full rate is, and how many wider ones a cycle has. */
static void find_ways(struct core_evidence *evidence, const char *kind, const char *bytes_word,
                      const char *wide_word)
{
    static const unsigned widths[] = {8, 16, 32, 64};
    double full = 0;
    unsigned widest = 0;
    for (unsigned i = 0; i < sizeof widths / sizeof *widths; i++) {
        char what[32], how[128];
        double spread = 0;
        snprintf(what, sizeof what, "%s bytes %u", kind, widths[i]);
        const struct mix *mix = mixes;
        while (strcmp(mix->what, what))
            mix++;
        double rate = rate_of(evidence->results, evidence->isa, mix, mix->loads > 0, &spread);
        if (rate <= 0)
            continue;
        if (!widest || rate > 0.9 * full) {
            full = fmax(rate, full);
            widest = widths[i];
            continue;
        }
        snprintf(how, sizeof how, "%ss of %u bytes: %.2f a cycle, of %u: %.2f", kind, widths[i], rate, widest,
                 full);
        if (wide_word && rate > 0.55 * full && whole(rate) >= 1) {
            bench_finding_add(evidence->findings, wide_word, spread, how, "%u %u", widest, whole(rate));
            full = rate; /* wider ones are compared with these */
            widest = widths[i];
            continue;
        }
        bench_finding_add(evidence->findings, bytes_word, spread, how, "%u", widest);
        return;
    }
}

void core_find_width(struct core_evidence *evidence)
{
    /* Word, which mixes, and whether only their loads count. */
    static const struct {
        const char *word, *mixes[3];
        bool counts_loads;
    } figures[] = {{"width", {"width "}, false},       {"issue", {"width "}, false},
                   {"retire", {"width "}, false},      {"floating", {"floating "}, false},
                   {"branches", {"branches "}, false}, {"loads", {"loads ", "memory ", "load bytes "}, true},
                   {"stores", {"stores "}, false},     {"memory", {"memory ", "loads ", "stores "}, false}};
    for (unsigned i = 0; i < sizeof figures / sizeof *figures; i++) {
        const char *which = NULL;
        double most = 0, spread = 0;
        for (unsigned m = 0; m < 3 && figures[i].mixes[m]; m++) {
            const char *name = NULL;
            double own = 0, rate = best_rate(evidence->results, evidence->isa, figures[i].mixes[m],
                                             figures[i].counts_loads, &own, &name);
            if (rate <= most)
                continue;
            most = rate;
            spread = own;
            which = name;
        }
        add_rate(evidence, figures[i].word, most, spread, which);
    }
    find_ways(evidence, "load", "load-bytes", "wide-loads");
    find_ways(evidence, "store", "store-bytes", NULL);
}
