/* The window, by independent misses with a filler between them (Henry Wong's way).

   Two pointers chase through a memory that is larger than the caches: each load waits for the one before of
   its own pointer only.

       p = *p; N instructions; q = *q; N instructions

   While both loads fit into the window together, their misses overlap, and a round takes as long as one. With
   one instruction more the second load enters when the first is done: a round takes as long as two.  What the
   filler is made of says which part of the window is full: registers, places for loads or stores, or, where
   the filler waits for the miss, the queues in front of the ports.  The reorder buffer holds instructions of
   every kind, so the mix that goes furthest comes nearest to it.  No-ops are not part of it: a Neoverse V1
   puts two and more into one place.

   What waits may stand in two places: in a scheduler, from where any instruction can start, or in a buffer in
   front of it, which they leave in order, while loads behind them go ahead by another way.  So the filler
   that waits counts both.  To tell, the other pointer passes: an instruction of the filler's kind that waits
   for nothing makes its address.

       p = *p; N instructions that wait for p; q = q + 0; q = *q; N instructions that wait for q

   It starts at once while it finds a place in the scheduler.  In the buffer it waits as long as those before
   it.  Fillers for some of the pipes show schedulers of their own. */
#include "run/bench/core/experiments.h"
#include "run/bench/core/steps.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    MOST_FILLER = 16,
    MOST_POINTS = 96,
    CHASE_BYTES = 32 << 20,
    FEW_TRIPS = 60,
    MANY_TRIPS = 180,
};

enum waits { waits_NOT, waits_GENERAL, waits_VECTOR, passed_GENERAL, passed_VECTOR };

struct filler {
    const char *what;
    enum waits waits; /* its sources are what the miss loads; passed: and the other pointer passes it */
    unsigned most;    /* of a growing filler */
    const char *aarch64[MOST_FILLER], *x86[MOST_FILLER];
};

/* A part may take a few instructions of each kind before one of the others is full: those that write general
   or vector registers, flags, or none. */
static const struct filler fillers[] = {
    {"window general", waits_NOT, 400, {"add x,x,x"}, {"lea r64,b+i"}},
    {"window vector", waits_NOT, 400, {"add 4s,4s,4s"}, {"paddd xmm,xmm"}},
    {"window both", waits_NOT, 640, {"add x,x,x", "add 4s,4s,4s"}, {"lea r64,b+i", "paddd xmm,xmm"}},
    {"window thirds",
     waits_NOT,
     800,
     {"add x,x,x", "add 4s,4s,4s", "nop"},
     {"lea r64,b+i", "paddd xmm,xmm", "nop"}},
    {"window mixed",
     waits_NOT,
     800,
     {"add x,x,x", "add 4s,4s,4s", "nop", core_BRANCH, "add x,x,x", "add 4s,4s,4s", "cmp x,x", "add x,x,x",
      "nop", core_BRANCH, "add 4s,4s,4s", "add x,x,x", "str x,[x]", "nop"},
     {"lea r64,b+i", "paddd xmm,xmm", "nop", core_BRANCH, "lea r64,b+i", "paddd xmm,xmm", "cmp r64,r64",
      "lea r64,b+i", "nop", core_BRANCH, "paddd xmm,xmm", "lea r64,b+i", "mov m64,r64", "nop"}},
    {"window flags", waits_NOT, 400, {"cmp x,x"}, {"cmp r64,r64"}},
    {"window loads", waits_NOT, 320, {"ldr x,[x]", "ldr d,[x]"}, {"mov r64,m64", "movsd xmm,m64"}},
    {"window stores", waits_NOT, 192, {"str x,[x]"}, {"mov m64,r64"}},
    {"waiting general", waits_GENERAL, 256, {"add x,x,x"}, {"lea r64,b+i"}},
    {"waiting vector", waits_VECTOR, 256, {"add 4s,4s,4s"}, {"paddd xmm,xmm"}},
    {"waiting both", waits_VECTOR, 256, {"add x,x,x", "add 4s,4s,4s"}, {"lea r64,b+i", "paddd xmm,xmm"}},
    {"waiting loads", waits_GENERAL, 256, {"ldr x,[x]"}, {"mov r64,m64"}},
    {"passed general", passed_GENERAL, 128, {"add x,x,x"}, {"lea r64,b+i"}},
    {"passed vector", passed_VECTOR, 128, {"add 4s,4s,4s"}, {"paddd xmm,xmm"}},
    {"passed product", passed_GENERAL, 96, {"mul x,x,x"}, {0}},
    {"passed vector product", passed_VECTOR, 64, {"mul 4s,4s,4s"}, {0}},
    {"passed vector shift", passed_VECTOR, 64, {"shl 4s,4s,i"}, {0}},
};
enum { FILLER_COUNT = sizeof fillers / sizeof *fillers };

/* The next size of a filler: steps of 4, of about 3 % where it is large; of 2 where schedulers are small. */
static unsigned next_size(const struct filler *filler, unsigned size)
{
    unsigned by = size / 30, least = filler->waits >= passed_GENERAL ? 2 : 4;
    return size + (by < least ? least : by);
}

static const char *const *forms_of(const struct filler *filler, enum isa isa)
{
    return isa == isa_AARCH64 ? filler->aarch64 : filler->x86;
}

/* From a general register to the first source of vectors, and back. */
static void put_to_vector(struct core_unit *unit, uint8_t pointer)
{
    core_put(unit, unit->isa == isa_AARCH64 ? "fmov d,x" : "movq xmm,r64",
             (struct core_registers){.to = core_VECTOR, .from = pointer});
}

static void put_from_vector(struct core_unit *unit, uint8_t pointer)
{
    core_put(unit, unit->isa == isa_AARCH64 ? "fmov x,d" : "movq r64,xmm",
             (struct core_registers){.to = pointer, .from = core_VECTOR});
}

/* The pointer as it is, made by an instruction of the filler's kind. */
static void put_passing(struct core_unit *unit, enum waits waits, uint8_t pointer)
{
    if (waits == passed_VECTOR) {
        put_to_vector(unit, pointer);
        put_from_vector(unit, pointer);
    } else if (unit->isa == isa_AARCH64) {
        core_put(unit, "add x,x,x",
                 (struct core_registers){.to = pointer,
                                         .from = pointer,
                                         .second = core_general(unit->isa, core_INDEX),
                                         .has_second = true});
    } else {
        core_put(unit, "lea r64,b+i",
                 (struct core_registers){
                     .to = pointer, .base = pointer, .index = core_general(unit->isa, core_INDEX)});
    }
}

/* The load of a pointer from where it points to, and the filler after it. */
static void put_half(struct core_unit *unit, const struct filler *filler, enum core_role role, unsigned size)
{
    bool is_aarch64 = unit->isa == isa_AARCH64;
    const char *const *forms = forms_of(filler, unit->isa);
    uint8_t pointer = core_general(unit->isa, role);
    unsigned count = 0;
    while (count < MOST_FILLER && forms[count])
        count++;
    if (filler->waits >= passed_GENERAL)
        put_passing(unit, filler->waits, pointer);
    core_put(unit, is_aarch64 ? "ldr x,[x]" : "mov r64,m64",
             (struct core_registers){.to = pointer, .base = pointer});
    if (filler->waits == waits_VECTOR || filler->waits == passed_VECTOR)
        put_to_vector(unit, pointer);
    for (unsigned i = 0; i < size; i++)
        if (filler->waits)
            core_put_waiting(unit, forms[i % count], pointer);
        else
            core_put_free(unit, forms[i % count]);
}

void core_plan_window(struct array *plan, enum isa isa)
{
    for (unsigned f = 0; f < FILLER_COUNT; f++)
        for (unsigned size = 4; forms_of(&fillers[f], isa)[0] && size <= fillers[f].most;
             size = next_size(&fillers[f], size)) {
            struct core_unit unit = core_begin(plan, isa, fillers[f].what, size);
            core_chase(&unit, core_general(isa, core_P), CHASE_BYTES);
            core_chase(&unit, core_general(isa, core_Q), CHASE_BYTES);
            core_sizes(&unit, 1, 1, FEW_TRIPS, MANY_TRIPS);
            put_half(&unit, &fillers[f], core_P, size);
            put_half(&unit, &fillers[f], core_Q, size);
            core_end(&unit);
        }
}

struct limit {
    bool is_found;
    double size, spread;
    struct core_step step;
};

/* Instructions of the filler that fit. */
static struct limit limit_of(struct core_evidence *evidence, const char *what)
{
    struct core_point points[MOST_POINTS];
    size_t count = 0;
    const struct filler *filler = fillers;
    while (strcmp(filler->what, what))
        filler++;
    for (unsigned size = 4; size <= filler->most && count < MOST_POINTS; size = next_size(filler, size)) {
        double cycles = core_median(evidence->results, what, size);
        if (isfinite(cycles))
            points[count++] = (struct core_point){size, cycles};
    }
    struct limit limit = {0};
    limit.is_found = core_find_step(points, count, &limit.step);
    limit.size = limit.step.at;
    limit.spread = (limit.step.to - limit.step.from) / limit.step.at;
    return limit;
}

static void add_limit(struct core_evidence *evidence, const char *word, const struct limit *limit,
                      const char *of)
{
    char how[128];
    snprintf(how, sizeof how, "two misses with %s between them: %.0f cycles up to %.0f, %.0f from %.0f on",
             of, limit->step.low, limit->step.from, limit->step.high, limit->step.to);
    bench_finding_add(evidence->findings, word, limit->spread, how, "%.0f", limit->size);
}

static void add_queue(struct core_evidence *evidence, const struct limit *limit, const char *form)
{
    struct bench_queue *queue = array_push(evidence->queues);
    *queue = (struct bench_queue){.size = (unsigned)limit->size, .spread = limit->spread};
    snprintf(queue->form, sizeof queue->form, "%s", form);
}

/* Instructions that wait, by what passed them where that is known. */
static struct limit waiting_limit(struct core_evidence *evidence, const char *waiting, const char *passed)
{
    struct limit all = limit_of(evidence, waiting), scheduler = limit_of(evidence, passed);
    scheduler.size += 1; /* what passes needs a place, too */
    return scheduler.is_found && (!all.is_found || scheduler.size < all.size) ? scheduler : all;
}

/* A scheduler for some of the pipes: clearly smaller than all of them. */
static void find_part(struct core_evidence *evidence, const char *passed, const char *form,
                      const struct limit *whole)
{
    static const double SMALLER = 0.8;
    struct limit part = limit_of(evidence, passed);
    part.size += 1;
    if (part.is_found && whole->is_found && part.size < SMALLER * whole->size)
        add_queue(evidence, &part, form);
}

/* Queues in front of the ports.  Where general and vector instructions together are not more than each of
   them alone, they wait in one place. */
static void find_queues(struct core_evidence *evidence)
{
    bool is_aarch64 = evidence->isa == isa_AARCH64;
    struct limit general = waiting_limit(evidence, "waiting general", "passed general"),
                 vector = waiting_limit(evidence, "waiting vector", "passed vector");
    struct limit both = limit_of(evidence, "waiting both"), loads = limit_of(evidence, "waiting loads");
    bool are_one = general.is_found && vector.is_found && both.is_found &&
                   both.size < 1.2 * fmax(general.size, vector.size);
    if (general.is_found)
        add_queue(evidence, &general, is_aarch64 ? "add x,x,x" : "lea r64,b+i");
    if (vector.is_found && !are_one)
        add_queue(evidence, &vector, is_aarch64 ? "add 4s,4s,4s" : "paddd xmm,xmm");
    if (loads.is_found)
        add_queue(evidence, &loads, is_aarch64 ? "ldr x,[x]" : "mov r64,m64");
    if (is_aarch64) {
        find_part(evidence, "passed product", "mul x,x,x", &general);
        find_part(evidence, "passed vector product", "mul 4s,4s,4s", &vector);
        find_part(evidence, "passed vector shift", "shl 4s,4s,i", &vector);
    }
    if (are_one && loads.is_found) {
        struct limit sum = both;
        sum.size += loads.size;
        sum.spread = fmax(both.spread, loads.spread);
        add_limit(evidence, "scheduler", &sum, "instructions that wait for the first, and loads that do,");
    }
}

/* Both misses are in the window, too. */
enum { MISSES = 2 };

/* A file of registers is full before the window is, or nothing is known about it.  Where flags stop with
   general registers, they are part of these. */
static void find_files(struct core_evidence *evidence, const struct limit *window)
{
    struct limit general = limit_of(evidence, "window general"), vector = limit_of(evidence, "window vector"),
                 flags = limit_of(evidence, "window flags");
    general.size += MISSES; /* which have a general register each */
    double most = window->is_found ? 0.9 * window->size : 0;
    if (general.is_found && general.size < most)
        add_limit(evidence, "general-results", &general, "results in general registers");
    if (vector.is_found && vector.size < most)
        add_limit(evidence, "vector-results", &vector, "results in vector registers");
    if (flags.is_found && flags.size < most &&
        !(general.is_found && flags.size > 0.9 * general.size && flags.size < 1.1 * general.size))
        add_limit(evidence, "flag-results", &flags, "comparisons");
}

void core_find_window(struct core_evidence *evidence)
{
    static const char *const mixes[] = {"window general", "window vector", "window both", "window thirds",
                                        "window mixed"};
    struct limit furthest = {0};
    for (unsigned i = 0; i < sizeof mixes / sizeof *mixes; i++) {
        struct limit limit = limit_of(evidence, mixes[i]);
        limit.size += MISSES;
        if (limit.is_found && limit.size > furthest.size)
            furthest = limit;
    }
    if (furthest.is_found)
        add_limit(evidence, "reorder-buffer", &furthest, "instructions of several kinds");
    struct limit loads = limit_of(evidence, "window loads"), stores = limit_of(evidence, "window stores");
    loads.size += MISSES;
    /* Loads write registers, too: as many of both kinds as other instructions say nothing about loads. */
    struct limit both = limit_of(evidence, "window both");
    if (loads.is_found && (!both.is_found || loads.size < 0.9 * both.size))
        add_limit(evidence, "load-queue", &loads, "loads that hit");
    if (stores.is_found && furthest.is_found && stores.size < 0.9 * furthest.size)
        add_limit(evidence, "store-queue", &stores, "stores");
    find_files(evidence, &furthest);
    find_queues(evidence);
}
