/* The ways to the first cache: from a store to a load of it, accesses across borders, stores in turns to two
   lines.

   A chain: a value is stored, loaded and added to, once or several times, because a load that comes too soon
   after its store takes longer on some cores.  What the additions take is taken off.  Where the load is
   wider than the store, the core may have to wait until the store is done; where it has two stores, one for
   each half, some cores put it together. x86-64: the chain with an index in the load's address goes through
   memory; without one, some cores rename memory, and it takes no time.

   A load across a border of B bytes takes two turns if lines, or halves of them, are read one at a time: the
   smallest border that slows loads down counts.  Two stores a cycle may have to be in one line: stores to two
   places in turns (a b a b) are compared with pairs of them (a a b b), at growing distances. */
#include "run/bench/core/experiments.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ACCESSES = 12 };
/* PAGE stands for the start of a page, whatever its size is: that of the buffer's middle. */
enum { PAGE = 4096, HALF_ACCESS = 4 };
static const unsigned borders[] = {16, 32, 64}, lines[] = {16, 32, 64, 128};
enum { BORDER_COUNT = sizeof borders / sizeof *borders, LINE_COUNT = sizeof lines / sizeof *lines };
static const unsigned additions[] = {1, 2, 4, 8};
enum { ADDITION_COUNT = sizeof additions / sizeof *additions };
static const double SLOWER = 1.5;

/* What the chains are made of. */
struct forms {
    const char *store, *load, *store_half, *add;
    const char *store_vector, *load_vector, *add_vector;
    const char *to_vector, *to_general, *load_indexed, *load_low;
};
static const struct forms aarch64 = {"str x,[x]", "ldr x,[x]",   "str w,[x]",    "add x,x,x",
                                     "str q,[x]", "ldr q,[x]",   "add 4s,4s,4s", "fmov d,x",
                                     "fmov x,d",  "ldr x,[x,x]", "ldr d,[x]"};
static const struct forms x86 = {
    "mov m64,r64",   "mov r64,m64",  "mov m32,r32",  "add r64,r64", "movups m128,xmm", "movups xmm,m128",
    "paddd xmm,xmm", "movq xmm,r64", "movq r64,xmm", NULL,          "movq xmm,m64"};

static const struct forms *forms_of(enum isa isa)
{
    return isa == isa_AARCH64 ? &aarch64 : &x86;
}

/* The registers of the chain: the value, general and vector, as number 2 or 6. */
static uint8_t value_of(enum isa isa)
{
    return isa == isa_AARCH64 ? 6 : 2;
}

static void put_store(struct core_unit *unit, const char *form, enum core_role base)
{
    core_put(unit, form,
             (struct core_registers){.from = value_of(unit->isa), .base = core_general(unit->isa, base)});
}

static void put_load(struct core_unit *unit, const char *form)
{
    core_put(unit, form,
             (struct core_registers){.to = value_of(unit->isa),
                                     .base = core_general(unit->isa, core_BASE),
                                     .index = core_general(unit->isa, core_INDEX)});
}

/* A general load whose address has an index. */
static void put_indexed(struct core_unit *unit)
{
    static const uint8_t mov[] = {0x4a, 0x8b, 0x14, 0x0b}; /* mov rdx, [rbx + r9] */
    if (unit->isa == isa_AARCH64)
        put_load(unit, forms_of(unit->isa)->load_indexed);
    else
        core_put_bytes(unit, mov, sizeof mov);
}

/* x86-64 adds have two operands: the value is the result, the other a constant. */
/* A general store whose address has an index. */
static void put_indexed_store(struct core_unit *unit, const char *form, bool is_half)
{
    static const uint8_t mov[] = {0x4a, 0x89, 0x14, 0x0b}, half[] = {0x42, 0x89, 0x14, 0x0b};
    if (unit->isa == isa_AARCH64)
        put_store(unit, form, core_BASE);
    else
        core_put_bytes(unit, is_half ? half : mov, sizeof mov);
}

static void put_add(struct core_unit *unit, bool is_vector)
{
    uint8_t value = value_of(unit->isa),
            constant = is_vector ? core_VECTOR : core_general(unit->isa, core_INDEX);
    const struct forms *forms = forms_of(unit->isa);
    core_put(unit, is_vector ? forms->add_vector : forms->add,
             (struct core_registers){.to = value,
                                     .from = unit->isa == isa_AARCH64 ? value : constant,
                                     .second = constant,
                                     .has_second = true});
}

static void plan_chains(struct array *plan, enum isa isa)
{
    const struct forms *forms = forms_of(isa);
    struct core_unit unit;
    for (unsigned i = 0; i < ADDITION_COUNT; i++)
        for (unsigned is_vector = 0; is_vector < 2; is_vector++) {
            unit = core_begin(plan, isa, is_vector ? "forward vector" : "forward general", additions[i]);
            if (is_vector) {
                put_store(&unit, forms->store_vector, core_BASE);
                put_load(&unit, forms->load_vector);
            } else {
                put_indexed_store(&unit, forms->store, false);
                put_indexed(&unit);
            }
            for (unsigned a = 0; a < additions[i]; a++)
                put_add(&unit, is_vector);
            core_end(&unit);
        }
    unit = core_begin(plan, isa, "forward renamed", 1);
    put_store(&unit, forms->store, core_BASE);
    put_load(&unit, forms->load);
    put_add(&unit, false);
    core_end(&unit);
    unit = core_begin(plan, isa, "forward failed", 1);
    put_indexed_store(&unit, forms->store_half, true);
    put_indexed(&unit);
    put_add(&unit, false);
    core_end(&unit);
    for (unsigned is_vector = 0; is_vector < 2; is_vector++) {
        unit = core_begin(plan, isa, is_vector ? "add vector" : "add general", 1);
        put_add(&unit, is_vector);
        core_end(&unit);
    }
    /* Vector loads of one general store, and of two. */
    for (unsigned stores = 1; stores <= 2; stores++) {
        unit = core_begin(plan, isa, "forward pieces", stores);
        core_set(&unit, core_general(isa, core_BASE_TOO), true, 8);
        uint8_t value = value_of(isa);
        core_put(&unit, forms->to_general, (struct core_registers){.to = value, .from = value});
        put_store(&unit, forms->store, core_BASE);
        if (stores == 2)
            put_store(&unit, forms->store, core_BASE_TOO);
        put_load(&unit, stores == 2 ? forms->load_vector : forms->load_low);
        core_end(&unit);
    }
}

/* Accesses of eight bytes, the middle of which is the border; 0: within a line. */
static void plan_crossing(struct array *plan, enum isa isa, const char *what, unsigned border)
{
    const struct forms *forms = forms_of(isa);
    struct core_unit unit = core_begin(plan, isa, what, border);
    uint64_t start = border == PAGE ? (uint64_t)-HALF_ACCESS : border ? border - HALF_ACCESS : 0;
    core_set(&unit, core_general(isa, core_BASE), true, start);
    for (unsigned i = 0; i < ACCESSES; i++)
        if (!strcmp(what, "store across"))
            put_store(&unit, forms->store, core_BASE);
        else
            core_put_free(&unit, forms->load);
    core_end(&unit);
}

static void plan_places(struct array *plan, enum isa isa)
{
    const struct forms *forms = forms_of(isa);
    for (unsigned b = 0; b < BORDER_COUNT; b++)
        plan_crossing(plan, isa, "load across", borders[b]);
    static const char *const crossings[] = {"load across", "store across"};
    for (unsigned i = 0; i < 2; i++) {
        plan_crossing(plan, isa, crossings[i], 0);
        plan_crossing(plan, isa, crossings[i], PAGE);
    }
    for (unsigned l = 0; l < LINE_COUNT; l++)
        for (unsigned in_pairs = 0; in_pairs < 2; in_pairs++) {
            struct core_unit unit =
                core_begin(plan, isa, in_pairs ? "stores in pairs" : "stores in turns", lines[l]);
            core_set(&unit, core_general(isa, core_BASE_TOO), true, lines[l]);
            for (unsigned i = 0; i < ACCESSES; i++)
                put_store(&unit, forms->store, (in_pairs ? i / 2 : i) % 2 ? core_BASE_TOO : core_BASE);
            core_end(&unit);
        }
}

void core_plan_accesses(struct array *plan, enum isa isa)
{
    plan_chains(plan, isa);
    plan_places(plan, isa);
    if (isa != isa_AARCH64)
        return; /* x86-64: integer divisions wait for each other */
    static const char *const divisions[] = {"sdiv x,x,x", "fdiv d,d,d"};
    for (unsigned which = 1; which <= 3; which++) {
        struct core_unit unit = core_begin(plan, isa, "divisions", which);
        for (unsigned i = 0; i < ACCESSES; i++)
            for (unsigned d = 0; d < 2; d++)
                if (which >> d & 1)
                    core_put_free(&unit, divisions[d]);
        core_end(&unit);
    }
}

/* Cycles from a store to a load, with several distances between: the best.  NaN: not measured. */
static double forward_of(struct bench_results *results, const char *what, double add, double *spread,
                         unsigned *distance)
{
    double best = NAN;
    for (unsigned i = 0; i < ADDITION_COUNT; i++) {
        double own = 0, cycles = core_cycles(results, &own, what, additions[i]) - additions[i] * add;
        if (!isfinite(cycles) || !(isnan(best) || cycles < best))
            continue;
        best = cycles;
        *spread = own;
        *distance = additions[i];
    }
    return best;
}

static void find_forwarding(struct core_evidence *evidence)
{
    struct bench_results *results = evidence->results;
    char how[128];
    double add = core_cycles(results, NULL, "add general", 1),
           add_vector = core_cycles(results, NULL, "add vector", 1);
    double spread = 0, spread_vector = 0;
    unsigned distance = 0, distance_vector = 0;
    double general = forward_of(results, "forward general", add, &spread, &distance);
    double vector = forward_of(results, "forward vector", add_vector, &spread_vector, &distance_vector);
    if (general > 0 && vector > 0) {
        snprintf(how, sizeof how, "store, load, additions: %.2f cycles with %u of them, vectors %.2f with %u",
                 general + distance * add, distance, vector + distance_vector * add_vector, distance_vector);
        bench_finding_add(evidence->findings, "forward", fmax(spread, spread_vector), how, "%.3g %.3g",
                          round(2 * general) / 2, round(2 * vector) / 2);
    }
    double own = 0, renamed = core_cycles(results, &own, "forward renamed", 1) - add;
    if (renamed < 2 && general > 3) {
        snprintf(how, sizeof how, "store, load, add without an index: %.2f cycles, with one %.2f",
                 renamed + add, general + add);
        bench_finding_add(evidence->findings, "renames-memory", own, how, "%s", "");
    }
    own = 0;
    double failed = core_cycles(results, &own, "forward failed", 1) - add;
    if (failed > 1.3 * general) {
        snprintf(how, sizeof how, "a load of 8 bytes from a store of 4, and an addition: %.1f cycles",
                 failed + add);
        bench_finding_add(evidence->findings, "forward-failed", own, how, "%.0f", failed);
    }
    own = 0;
    double one = core_cycles(results, &own, "forward pieces", 1),
           two = core_cycles(results, &own, "forward pieces", 2);
    if (two < one + 3) {
        snprintf(how, sizeof how, "16 bytes of two stores of 8: %.1f cycles, 8 bytes of one %.1f", two, one);
        bench_finding_add(evidence->findings, "forward-pieces", own, how, "8");
    }
}

/* What an access across pages takes more than one within a line. */
static void find_pages(struct core_evidence *evidence, const char *what, const char *word)
{
    char how[128];
    double spread = 0, within = core_cycles(evidence->results, &spread, what, 0) / ACCESSES,
           across = core_cycles(evidence->results, &spread, what, PAGE) / ACCESSES;
    if (!(across > within))
        return;
    snprintf(how, sizeof how, "%ss of 8 bytes across two pages: %.2f cycles, within a line %.2f",
             *what == 'l' ? "load" : "store", across, within);
    bench_finding_add(evidence->findings, word, spread, how, "%.3g", across - within);
}

static void find_places(struct core_evidence *evidence)
{
    char how[128];
    double spread = 0, within = core_cycles(evidence->results, &spread, "load across", 0) / ACCESSES;
    for (unsigned b = 0; b < BORDER_COUNT; b++) {
        double across = core_cycles(evidence->results, &spread, "load across", borders[b]) / ACCESSES;
        if (!(across > SLOWER * within))
            continue;
        snprintf(how, sizeof how, "loads of 8 bytes across a border of %u: %.2f cycles, within %.2f",
                 borders[b], across, within);
        bench_finding_add(evidence->findings, "load-line", spread, how, "%u", borders[b]);
        break;
    }
    spread = 0;
    for (unsigned l = 0; l < LINE_COUNT; l++) {
        double turns = core_cycles(evidence->results, &spread, "stores in turns", lines[l]) / ACCESSES;
        double pairs = core_cycles(evidence->results, &spread, "stores in pairs", lines[l]) / ACCESSES;
        if (!(turns > SLOWER * pairs))
            continue;
        snprintf(how, sizeof how, "stores %u bytes apart: %.2f cycles in turns, %.2f in pairs", lines[l],
                 turns, pairs);
        bench_finding_add(evidence->findings, "store-line", spread, how, "%u", lines[l]);
        break;
    }
}

void core_find_accesses(struct core_evidence *evidence)
{
    find_forwarding(evidence);
    find_places(evidence);
    find_pages(evidence, "load across", "load-page-crossing");
    find_pages(evidence, "store across", "store-page-crossing");
    double spread = 0, integers = core_cycles(evidence->results, &spread, "divisions", 1);
    double floats = core_cycles(evidence->results, &spread, "divisions", 2);
    double both = core_cycles(evidence->results, &spread, "divisions", 3);
    if (both < 0.8 * (integers + floats)) {
        char how[128];
        snprintf(how, sizeof how, "%d divisions of integers %.0f cycles, of floats %.0f, all of them %.0f",
                 ACCESSES, integers, floats, both);
        bench_finding_add(evidence->findings, "dividers-apart", spread, how, "%s", "");
    }
}
