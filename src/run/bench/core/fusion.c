/* Which comparisons fuse with the branch after them.

   The same instructions in two orders: the branch right after the comparison, and with another instruction
   between. Only the first can fuse. Beside them are as many others as keep the core busy, so that one place
   less shows. Both branches of a condition and its opposite are measured, since one of them is taken, which
   takes longer: the quicker one counts for both.  The target of each is the next instruction.

   A selection may fuse, too: comparison and selection in a chain, each on what the other makes, take one
   cycle instead of two. */
#include "run/bench/core/experiments.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { REPEATS = 6, MOST_CONDITIONS = 16, APART = 99 };
static const double FUSED = 0.94, STEADY = 0.15;

static const char *const firsts_aarch64[] = {
    "cmp x,x",    "cmp x,i",    "cmp w,w",    "cmp w,i",    "cmn x,x",    "cmn x,i",
    "tst x,x",    "tst x,i",    "tst w,w",    "tst w,i",    "adds x,x,x", "subs x,x,x",
    "adds x,x,i", "subs x,x,i", "ands x,x,x", "bics x,x,x", NULL};
static const char *const firsts_x86[] = {
    "cmp r64,r64", "cmp r32,r32",  "cmp r64,i8",   "cmp r32,i8",   "cmp r64,m64",
    "cmp m64,r64", "test r64,r64", "test r32,r32", "test r32,i32", "and r64,r64",
    "and r32,r32", "and r32,i8",   "add r64,r64",  "add r32,r32",  "add r32,i8",
    "sub r64,r64", "sub r32,r32",  "sub r32,i8",   "inc r64",      "inc r32",
    "dec r64",     "dec r32",      "or r32,r32",   "xor r32,r32",  NULL};
/* By number: neighbours are opposites. */
static const char *const conditions_aarch64[MOST_CONDITIONS] = {"b.eq", "b.ne", "b.cs", "b.cc", "b.mi",
                                                                "b.pl", "b.vs", "b.vc", "b.hi", "b.ls",
                                                                "b.ge", "b.lt", "b.gt", "b.le"};
static const char *const conditions_x86[MOST_CONDITIONS] = {
    "jo", "jno", "jb", "jae", "je", "jne", "jbe", "ja", "js", "jns", "jp", "jnp", "jl", "jge", "jle", "jg"};

/* Of the widths of a comparison. */
static const struct {
    const char *name, *wide, *narrow;
} selections[] = {{"csel", "csel x,x,x", "csel w,w,w"}, {"cset", "cset x", "cset w"}};
enum { SELECTION_COUNT = sizeof selections / sizeof *selections };

static const char *const *firsts_of(enum isa isa)
{
    return isa == isa_AARCH64 ? firsts_aarch64 : firsts_x86;
}

static const char *const *conditions_of(enum isa isa)
{
    return isa == isa_AARCH64 ? conditions_aarch64 : conditions_x86;
}

static void put_branch(struct core_unit *unit, unsigned condition)
{
    if (unit->isa == isa_AARCH64) {
        uint32_t word = 0x54000020 | condition;
        core_put_bytes(unit, &word, sizeof word);
        return;
    }
    uint8_t bytes[] = {(uint8_t)(0x70 | condition), 0};
    core_put_bytes(unit, bytes, sizeof bytes);
}

/* Others that leave flags alone. AArch64: for the ports of comparisons; x86-64: for places of renaming. */
static const char *other_of(enum isa isa, unsigned number)
{
    if (isa == isa_AARCH64)
        return number < 3 ? "add x,x,x" : number < 6 ? "nop" : NULL;
    return number < 4 ? (number % 2 ? "paddd xmm,xmm" : "lea r64,b+i") : NULL;
}

static void plan_pair(struct array *plan, enum isa isa, const char *first, unsigned condition)
{
    char what[BENCH_NAME / 2];
    bool is_apart = condition == APART;
    /* Results of the first go to two registers that it alone writes. */
    struct core_registers registers = {.from = core_general(isa, core_SOURCE),
                                       .second = core_general(isa, core_INDEX),
                                       .has_second = true,
                                       .base = core_general(isa, core_BASE)};
    snprintf(what, sizeof what, "fusion %s", first);
    struct core_unit unit = core_begin(plan, isa, what, condition);
    unsigned never = isa == isa_AARCH64 ? 6 : 0; /* overflow */
    for (unsigned i = 0; i < REPEATS; i++) {
        registers.to = core_general(isa, i % 2 ? core_P : core_Q);
        core_put(&unit, first, registers);
        if (!is_apart)
            put_branch(&unit, condition);
        for (unsigned o = 0; other_of(isa, o); o++) {
            core_put_free(&unit, other_of(isa, o));
            if (is_apart && o == 0)
                put_branch(&unit, never);
        }
    }
    core_end(&unit);
}

static void plan_selections(struct array *plan, const char *first)
{
    char what[BENCH_NAME / 2];
    struct core_registers registers = {.to = core_general(isa_AARCH64, core_P),
                                       .from = core_general(isa_AARCH64, core_P),
                                       .second = core_general(isa_AARCH64, core_SOURCE),
                                       .has_second = true};
    snprintf(what, sizeof what, "selection %s", first);
    for (unsigned s = 0; s < SELECTION_COUNT; s++) {
        struct core_unit unit = core_begin(plan, isa_AARCH64, what, s);
        for (unsigned i = 0; i < REPEATS; i++) {
            core_put(&unit, first, registers);
            core_put(&unit, strchr(first, 'w') ? selections[s].narrow : selections[s].wide, registers);
        }
        core_end(&unit);
    }
}

void core_plan_fusion(struct array *plan, enum isa isa)
{
    for (const char *const *first = firsts_of(isa); *first; first++) {
        plan_pair(plan, isa, *first, APART);
        for (unsigned c = 0; c < MOST_CONDITIONS && conditions_of(isa)[c]; c++)
            plan_pair(plan, isa, *first, c);
        if (isa == isa_AARCH64 && !strncmp(*first, "cm", 2))
            plan_selections(plan, *first);
    }
}

void core_find_fusion(struct core_evidence *evidence)
{
    const char *const *conditions = conditions_of(evidence->isa);
    for (const char *const *first = firsts_of(evidence->isa); *first; first++) {
        char what[BENCH_NAME / 2], list[160] = "";
        double spread = 0;
        snprintf(what, sizeof what, "fusion %s", *first);
        double apart = core_cycles(evidence->results, &spread, what, APART);
        if (!(spread < STEADY))
            continue; /* what is too slow in one order looks as if the other fused */
        for (unsigned c = 0; c + 1 < MOST_CONDITIONS && conditions[c]; c += 2) {
            double cycles = fmin(core_cycles(evidence->results, NULL, what, c),
                                 core_cycles(evidence->results, NULL, what, c + 1));
            size_t length = strlen(list);
            if (cycles < FUSED * apart)
                snprintf(list + length, sizeof list - length, "%s%s,%s", length ? "," : "", conditions[c],
                         conditions[c + 1]);
        }
        if (!*list)
            continue; /* what does not fuse with branches, or did not show it, says nothing about others */
        snprintf(what, sizeof what, "selection %s", *first);
        for (unsigned s = 0; s < SELECTION_COUNT; s++) {
            size_t length = strlen(list);
            if (core_cycles(evidence->results, NULL, what, s) < 1.5 * REPEATS)
                snprintf(list + length, sizeof list - length, "%s%s", length ? "," : "", selections[s].name);
        }
        core_add_word(evidence, *first, "fuses", list, spread);
    }
}
