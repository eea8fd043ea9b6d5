/* Width: how many instructions a cycle takes, of any kind and of some.

   A mix is a few instructions that do not wait for each other, repeated.  What stops a mix is a port of one
   of its kinds, or the width that all share: the best of several mixes comes nearest to the width.  No mix
   runs faster than the core can, so the best one of a kind is a lower bound that good mixes reach.  No-ops do
   not count: a Neoverse V1 takes twelve a cycle, and eight of anything else.

   Wider accesses than a way of the cache holds take two turns, or go with fewer others: rates by width show
   it. */
#include "gauge/core/experiments.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_MIX = 8, UNIT = 24 };

/* Forms by instruction set; a mix that one set does not have is left out there. */
struct mix {
    const char *what;
    const char *aarch64[MOST_MIX], *x86[MOST_MIX];
};

static const struct mix mixes[] = {
    {"width constant", {"mov x,i"}, {"mov r32,i32"}},
    {"width add", {"add x,x,x"}, {"add r32,r32"}},
    {"width add vector", {"add x,x,x", "add 4s,4s,4s"}, {"add r32,r32", "paddd xmm,xmm"}},
    {"width add vector load",
     {"add x,x,x", "add 4s,4s,4s", "ldr x,[x]", "add x,x,x", "add 4s,4s,4s", "ldr x,[x]", "add x,x,x",
      "add 4s,4s,4s"},
     {"add r32,r32", "paddd xmm,xmm", "mov r64,m64", "add r32,r32", "paddd xmm,xmm", "mov r64,m64"}},
    {"loads general", {"ldr x,[x]"}, {"mov r64,m64"}},
    {"loads vector", {"ldr q,[x]"}, {"movups xmm,m128"}},
    {"stores general", {"str x,[x]"}, {"mov m64,r64"}},
    {"stores vector", {"str q,[x]"}, {"movups m128,xmm"}},
    {"memory 1 1", {"ldr x,[x]", "str x,[x]"}, {"mov r64,m64", "mov m64,r64"}},
    {"memory 2 1", {"ldr x,[x]", "str x,[x]", "ldr x,[x]"}, {"mov r64,m64", "mov m64,r64", "mov r64,m64"}},
    {"memory 3 2",
     {"ldr x,[x]", "str x,[x]", "ldr x,[x]", "str x,[x]", "ldr x,[x]"},
     {"mov r64,m64", "mov m64,r64", "mov r64,m64", "mov m64,r64", "mov r64,m64"}},
    {"floating add", {"fadd d,d,d"}, {"addsd xmm,xmm"}},
    {"floating multiply", {"fmul d,d,d"}, {"mulsd xmm,xmm"}},
    {"floating fma", {"fmadd d,d,d,d"}, {"vfmadd231sd xmm,xmm,xmm"}},
    {"floating add multiply", {"fadd d,d,d", "fmul d,d,d"}, {"addsd xmm,xmm", "mulsd xmm,xmm"}},
    {"floating 2 add multiply",
     {"fadd d,d,d", "fadd d,d,d", "fmul d,d,d"},
     {"addsd xmm,xmm", "addsd xmm,xmm", "mulsd xmm,xmm"}},
    {"load bytes 8", {"ldr x,[x]"}, {"mov r64,m64"}},
    {"load bytes 16", {"ldr q,[x]"}, {"movups xmm,m128"}},
    {"load bytes 32", {NULL}, {"vmovups ymm,m256"}},
    {"load bytes 64", {NULL}, {"vmovups zmm,m512"}},
    {"store bytes 8", {"str x,[x]"}, {"mov m64,r64"}},
    {"store bytes 16", {"str q,[x]"}, {"movups m128,xmm"}},
    {"store bytes 32", {NULL}, {"vmovups m256,ymm"}},
    {"store bytes 64", {NULL}, {"vmovups m512,zmm"}},
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

void core_plan_width(struct array *plan, enum isa isa)
{
    for (unsigned m = 0; m < MIX_COUNT; m++) {
        const char *const *forms = forms_of(&mixes[m], isa);
        unsigned size = unit_size(forms);
        if (!size)
            continue;
        struct core_unit unit = core_begin(plan, isa, mixes[m].what, size);
        for (unsigned i = 0; i < size; i++)
            core_put_free(&unit, forms[i % count_forms(forms)]);
        core_end(&unit);
    }
}

/* The best rate of the mixes whose names start so, instructions a cycle; 0 if none was measured. */
static double best_rate(struct gauge_results *results, enum isa isa, const char *start, double *spread,
                        const char **which)
{
    double best = 0;
    for (unsigned m = 0; m < MIX_COUNT; m++) {
        unsigned size = unit_size(forms_of(&mixes[m], isa));
        double own = 0, cycles = core_cycles(results, &own, mixes[m].what, size);
        if (strncmp(mixes[m].what, start, strlen(start)) || !(size / cycles > best))
            continue;
        best = size / cycles;
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

double core_issue_width(struct gauge_results *results, enum isa isa, double *spread)
{
    const char *which = NULL;
    double own = 0, rate = best_rate(results, isa, "width ", &own, &which);
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
    gauge_finding_add(evidence->findings, word, spread, how, "%u", whole(rate));
}

void core_find_width(struct core_evidence *evidence)
{
    static const char *const figures[][2] = {{"width", "width "},  {"issue", "width "},
                                             {"retire", "width "}, {"floating", "floating "},
                                             {"loads", "loads "},  {"stores", "stores "}};
    for (unsigned i = 0; i < sizeof figures / sizeof *figures; i++) {
        const char *which = NULL;
        double spread = 0, rate = best_rate(evidence->results, evidence->isa, figures[i][1], &spread, &which);
        add_rate(evidence, figures[i][0], rate, spread, which);
    }
    /* Loads alone may be as many as loads and stores together. */
    static const char *const together[] = {"memory ", "loads ", "stores "};
    double most = 0, spread = 0;
    const char *which = NULL;
    for (unsigned i = 0; i < 3; i++) {
        const char *name = NULL;
        double own = 0, rate = best_rate(evidence->results, evidence->isa, together[i], &own, &name);
        if (!name || rate <= most)
            continue;
        most = rate;
        spread = own;
        which = name;
    }
    add_rate(evidence, "memory", most, spread, which);
}
