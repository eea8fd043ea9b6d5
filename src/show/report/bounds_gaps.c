/* The gaps in words, for this loop: what the numbers say, then the likely reasons.

   A compares the cycles of each kind of operation with what its units could do: where the two are close, that
   kind limits the application.  C compares the code with the source, per iteration of the source where their
   ratio is clear. S lists what the bound of the code leaves out. P is the time that no model here covers. */
#include "model/tables.h"
#include "show/report/bounds.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct words {
    char *text;
};

__attribute__((format(printf, 2, 3))) static void say(struct words *words, const char *format, ...)
{
    char piece[1000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(piece, sizeof piece, format, arguments);
    va_end(arguments);
    char *longer = memory_format("%s%s", words->text ? words->text : "", piece);
    free(words->text);
    words->text = longer;
}

/* A figure for a sentence. */
struct figure {
    char text[48];
};
static struct figure figure(double value)
{
    struct figure made;
    bounds_figure(value, made.text);
    return made;
}
#define F(value) figure(value).text

/* "1 cycle", "2.5 cycles". */
static struct figure cycles_of(double value)
{
    struct figure made;
    bounds_figure(value, made.text);
    strcat(made.text, strcmp(made.text, "1") ? " cycles" : " cycle");
    return made;
}
#define CYCLES(value) cycles_of(value).text

static bool differs(double a, double b)
{
    return fabs(a - b) > 0.005 * fmax(fabs(a), fabs(b)) + 1e-9;
}

struct kind {
    const char *name;
    double best, here; /* cycles each: of the machine, of the application */
};

static int by_distance(const void *left, const void *right)
{
    const struct kind *a = left, *b = right;
    double x = a->here / a->best, y = b->here / b->best;
    return x < y ? -1 : x > y;
}

static void say_application(const struct macs *macs, struct words *words)
{
    const struct macs_bound *machine = &macs->bounds[bound_level_M], *here = &macs->bounds[bound_level_MA];
    struct kind kinds[] = {{"floating-point operations", machine->cpf, here->cpf},
                           {"memory operations", machine->cpm, here->cpm},
                           {"branches", machine->cpb, here->cpb}};
    unsigned count = 0;
    for (unsigned i = 0; i < 3; i++)
        if (!isnan(kinds[i].here))
            kinds[count++] = kinds[i];
    if (!count) {
        say(words, "the source loop has no floating-point, memory or branch operations.");
        return;
    }
    qsort(kinds, count, sizeof kinds[0], by_distance);
    for (unsigned i = 0; i < count; i++) {
        if (!i && differs(kinds[0].here, kinds[0].best))
            say(words, "%s come closest, %s each; the machine could do %s", kinds[i].name,
                CYCLES(kinds[i].here), F(kinds[i].best));
        else if (!i)
            say(words, "%s are the limit, %s each, the peak of the machine", kinds[i].name,
                CYCLES(kinds[i].here));
        else
            say(words, "; then %s, %s (peak %s)", kinds[i].name, F(kinds[i].here), F(kinds[i].best));
    }
    say(words, ".");
}

static bool is_simd(const struct macs *macs)
{
    return macs->counts.vectors > 0 || macs->counts.packed > 0 || macs->counts.lane_operations > 0;
}

static bool is_whole(double number)
{
    return number > 0.5 && !differs(number, round(number));
}

/* Whether the code has the source's operations one to one, all scalar or all SIMD. */
static bool is_same_arithmetic(const struct macs *macs)
{
    const struct operation_counts *counts = &macs->counts;
    return counts->floating > 0 && (counts->vectors == 0 || counts->vectors == counts->floating) &&
           counts->floating + counts->fused == macs->bounds[bound_level_MA].floating;
}

/* Iterations of the source per iteration of the code; 0 where unknown. Known where arithmetic and accesses
 * agree on a whole number, where there is only one of the two, and where the arithmetic is the same. */
static double copies_of(const struct macs *macs)
{
    double f = macs->copies_by_floating, m = macs->copies_by_memory;
    const struct macs_bound *source = &macs->bounds[bound_level_MA];
    if (!isnan(f) && is_whole(f) && ((!isnan(m) && !differs(f, m)) || is_same_arithmetic(macs)))
        return round(f);
    if (!isnan(m) && is_whole(m) && !source->floating && !macs->counts.floating)
        return round(m);
    if (!isnan(f) && is_whole(f) && !source->memory && !macs->counts.memory)
        return round(f);
    return 0;
}

/* "1 load", "2 loads". */
static struct figure count_of(double count, const char *one, const char *many)
{
    struct figure made;
    bounds_figure(count, made.text);
    size_t length = strlen(made.text);
    snprintf(made.text + length, sizeof made.text - length, " %s", count == 1 ? one : many);
    return made;
}

static const char registers[] = "the code keeps values in registers that the source reads from arrays";
static const char more_accesses[] = "the code also accesses spills, pointers, structures or sums in memory, "
                                    "which are not arrays in the source";

/* Loads and stores beyond, or fewer than, those of the source. */
static void say_accesses(const struct macs *macs, double copies, struct words *words)
{
    double m = macs->copies_by_memory, numbers = macs->counts.elements;
    if (isnan(m) || !differs(m, copies))
        return;
    say(words, " It loads and stores %s; the source has %s: %s.", count_of(numbers, "number", "numbers").text,
        count_of(copies * macs->bounds[bound_level_MA].memory, "access", "accesses").text,
        m < copies ? registers : more_accesses);
}

/* For an unknown number of source iterations per iteration of the code. */
static void say_numbers(const struct macs *macs, struct words *words)
{
    const struct operation_counts *counts = &macs->counts;
    const struct macs_bound *source = &macs->bounds[bound_level_MA];
    double f = macs->copies_by_floating, m = macs->copies_by_memory;
    bool has_floating = counts->flops > 0 || source->floating > 0, has_accesses = !isnan(counts->elements);
    if (!has_floating && !has_accesses) {
        say(words, "iterations of the source per iteration of the code: unknown, because SIMD loads and "
                   "stores do not show the size of their elements.");
        return;
    }
    say(words, "per iteration the code ");
    if (has_floating)
        say(words, "computes %s (source: %s)", count_of(counts->flops, "number", "numbers").text,
            count_of(source->floating, "operation", "operations").text);
    if (has_accesses)
        say(words, "%sloads and stores %s (source: %s)", has_floating ? " and " : "",
            count_of(counts->elements, "number", "numbers").text,
            count_of(source->memory, "access", "accesses").text);
    if (!isnan(f) && !isnan(m) && differs(f, m))
        say(words, ": %s, or it computes %s", m < f ? registers : more_accesses,
            m < f ? "more, such as complex numbers, both sides of an if or inlined functions" : "less");
    say(words, ".");
}

static void say_copies(const struct macs *macs, double copies, struct words *words)
{
    const struct operation_counts *counts = &macs->counts;
    const struct macs_bound *source = &macs->bounds[bound_level_MA];
    if (copies > 1)
        say(words, "one iteration of the code does %s iterations of the source (%s).", F(copies),
            is_simd(macs) ? "SIMD or unrolled" : "unrolled");
    else if (copies)
        say(words, "one iteration of the code does one iteration of the source.");
    else if (source->floating > 0 && !(counts->floating > 0))
        say(words,
            "the code has none of the %s of the source: they are computed elsewhere, or this is another "
            "instance of a template.",
            count_of(source->floating, "floating-point operation", "floating-point operations").text);
    else
        say_numbers(macs, words);
    if (copies)
        say_accesses(macs, copies, words);
    if (counts->scalable > 0)
        say(words, " Scalable vectors count as 128 bits, their minimum length.");
}

static void say_cycles(double before, double after, double copies, struct words *words)
{
    double each = copies ? after / copies : after;
    if (copies && differs(copies, 1))
        say(words, " It takes %s, %s per iteration of the source (MA: %s).", CYCLES(after), F(each),
            F(before));
    else if (differs(before, after))
        say(words, " It takes %s (MA: %s).", CYCLES(after), F(before));
    else
        say(words, " Both take %s.", CYCLES(after));
}

static const char *direction(double before, double after)
{
    return after < before ? "falls" : "rises";
}

/* Why CPF changes. */
static void say_floating(const struct macs *macs, double times, struct words *words)
{
    const struct macs_bound *source = &macs->bounds[bound_level_MA], *code = &macs->bounds[bound_level_MAC];
    const struct operation_counts *counts = &macs->counts;
    say(words, " CPF %s from %s to %s", direction(source->cpf, code->cpf), F(source->cpf), F(code->cpf));
    if (counts->flops > code->floating && (counts->fused > 0 || counts->vectors > 0))
        say(words, ": CPF counts instructions, and %s %s %s operations (%s%s%s).", F(code->floating),
            code->floating == 1 ? "does" : "do", F(counts->flops),
            counts->fused > 0 ? "two per fused multiply-add" : "",
            counts->fused > 0 && counts->vectors > 0 ? ", " : "",
            counts->vectors > 0 ? "several per SIMD instruction" : "");
    else if (code->floating == source->floating * times)
        say(words, ": the same operations in %s cycles.", code->cpf < source->cpf ? "fewer" : "more");
    else
        say(words, ": %s instead of %s.", count_of(code->floating, "operation", "operations").text,
            F(source->floating * times));
}

static void say_memory(const struct macs *macs, double times, struct words *words)
{
    const struct macs_bound *source = &macs->bounds[bound_level_MA], *code = &macs->bounds[bound_level_MAC];
    const struct operation_counts *counts = &macs->counts;
    double wide = counts->wide_loads + counts->wide_stores;
    say(words, " CPM %s from %s to %s", direction(source->cpm, code->cpm), F(source->cpm), F(code->cpm));
    if (wide > 0 && wide == code->memory)
        say(words, ": %s more than one number%s",
            code->memory == 1 ? "the only access moves" : "each access moves",
            isnan(counts->elements) ? "." : "");
    else if (wide > 0)
        say(words, ": %s of the %s accesses %s more than one number%s", F(wide), F(code->memory),
            wide == 1 ? "moves" : "move", isnan(counts->elements) ? "." : "");
    if (wide > 0 && !isnan(counts->elements))
        say(words, ", %s in all.", F(counts->elements));
    else if (!(wide > 0) && code->memory == source->memory * times)
        say(words, ": the same accesses in %s cycles.", code->cpm < source->cpm ? "fewer" : "more");
    else if (!(wide > 0))
        say(words, ": %s instead of %s.", count_of(code->memory, "access", "accesses").text,
            F(source->memory * times));
}

/* copies: iterations of the source per iteration of the code; 0: unknown. */
static void say_branches(const struct macs *macs, double copies, struct words *words)
{
    const struct macs_bound *source = &macs->bounds[bound_level_MA], *code = &macs->bounds[bound_level_MAC];
    double expected = source->branches * (copies ? copies : 1);
    say(words, " CPB %s from %s to %s", direction(source->cpb, code->cpb), F(source->cpb), F(code->cpb));
    if (code->branches == expected && code->branches == source->branches) {
        say(words, ": the same branches in %s cycles.", code->cpb < source->cpb ? "fewer" : "more");
        return;
    }
    say(words, ": %s instead of %s in the source", count_of(code->branches, "branch", "branches").text,
        F(expected));
    if (code->branches < expected)
        say(words, ", thanks to %s",
            !(copies > 1)          ? "conditional or predicated instructions"
            : source->branches > 1 ? "SIMD, unrolling and conditional or predicated instructions"
            : is_simd(macs)        ? "SIMD or unrolling"
                                   : "unrolling");
    say(words, ".");
}

static void say_code(const struct macs *macs, struct words *words)
{
    const struct macs_bound *source = &macs->bounds[bound_level_MA], *code = &macs->bounds[bound_level_MAC];
    double copies = copies_of(macs), times = copies ? copies : 1;
    say_copies(macs, copies, words);
    say_cycles(source->cycles, code->cycles, copies, words);
    if (!isnan(source->cpf) && !isnan(code->cpf) && differs(source->cpf, code->cpf))
        say_floating(macs, times, words);
    if (!isnan(source->cpm) && !isnan(code->cpm) && differs(source->cpm, code->cpm))
        say_memory(macs, times, words);
    if (!isnan(source->cpb) && !isnan(code->cpb) && differs(source->cpb, code->cpb))
        say_branches(macs, copies, words);
}

/* A list of counts: "5 integer operations, 3 prefetches and 3 no-ops". */
static bool say_counts(const struct operation_counts *counts, struct words *words)
{
    const struct {
        double count;
        const char *one, *many;
    } kinds[] = {
        {counts->integers, "integer operation (addresses, counters, tests)",
         "integer operations (addresses, counters, tests)"},
        {counts->moves, "move or shuffle", "moves and shuffles"},
        {counts->conversions, "conversion", "conversions"},
        {counts->prefetches, "prefetch", "prefetches"},
        {counts->noops, "no-op", "no-ops"},
        {counts->others, "other instruction", "other instructions"},
    };
    unsigned left = 0;
    bool is_first = true;
    for (unsigned i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        left += kinds[i].count > 0;
    if (!left)
        return false;
    for (unsigned i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (!(kinds[i].count > 0))
            continue;
        left--;
        say(words, "%s%s %s",
            is_first ? ""
            : left   ? ", "
                     : " and ",
            F(kinds[i].count), kinds[i].count == 1 ? kinds[i].one : kinds[i].many);
        is_first = false;
    }
    return true;
}

static void say_limits(const struct macs *macs, struct words *words)
{
    const struct schedule *schedule = &macs->schedule;
    double cycles = macs->bounds[bound_level_MACS].cycles;
    if (macs->cycles_from == macs_IN_ORDER && schedule->stalls > 0)
        say(words, " For %s of them the code stalls on a result.", F(schedule->stalls));
    if (macs->cycles_from == macs_OUT_OF_ORDER) {
        if (schedule->recurrence >= cycles && cycles > 0)
            say(words, " A loop-carried dependence chain takes %s.", CYCLES(schedule->recurrence));
        else if (schedule->divider >= cycles && cycles > 0)
            say(words, " Divisions and square roots occupy their unit for %s.", CYCLES(schedule->divider));
        else if (schedule->issue >= cycles && cycles > 0)
            say(words, " Issue, at %s instructions per cycle, takes %s.", F(macs->machine->width),
                CYCLES(schedule->issue));
    }
    if (macs->cycles_from == macs_CORE)
        say(words, " Limited by: %s (%s).", core_part_word(macs->limit), core_part_doc(macs->limit));
    if (macs->cycles_from == macs_COMPILER || macs->cycles_from == macs_INTERVAL) {
        double least = ceil(macs->counts.instructions / macs->machine->width - 1e-9);
        if (least > macs->bounds[bound_level_MAC].cycles)
            say(words, " All %s instructions need at least %s.", F(macs->counts.instructions), CYCLES(least));
    }
}

static void say_schedule(const struct macs *macs, struct words *words)
{
    double code = macs->bounds[bound_level_MAC].cycles, here = macs->bounds[bound_level_MACS].cycles;
    static const char *const froms[] = {[macs_COMPILER] = "by the compiler's cycles",
                                        [macs_INTERVAL] = "by the compiler's initiation interval",
                                        [macs_IN_ORDER] = "by stops, bundles and latencies",
                                        [macs_OUT_OF_ORDER] = "by width, units and latencies",
                                        [macs_CORE] = "by the parts of the core"};
    if (differs(code, here))
        say(words, "%s, an iteration takes %s; its operations would fit into %s.", froms[macs->cycles_from],
            CYCLES(here), F(code));
    else
        say(words, "%s, an iteration takes %s, the same as its operations: no gap.", froms[macs->cycles_from],
            CYCLES(here));
    if (differs(code, here))
        say_limits(macs, words);
    struct words list = {0};
    double counted = macs->counts.floating + macs->counts.memory + macs->counts.branches;
    if (say_counts(&macs->counts, &list))
        say(words, " Not among the %s counted: %s.", count_of(counted, "operation", "operations").text,
            list.text);
    free(list.text);
}

static void say_measured(const struct bounds_view *view, struct words *words)
{
    const struct macs *macs = view->macs;
    if (!macs->is_known[bound_level_MEASURED]) {
        say(words,
            "not measured (the database of a run has it: assay run --measure --output run.db; or give the "
            "cycles of an iteration with --measured).");
        return;
    }
    double here = macs->bounds[bound_level_MEASURED].cycles, before = macs->bounds[bound_level_MACS].cycles;
    const char *where = macs->bounds[bound_level_MEASURED].origin == bound_origin_RUN ? " in the run" : "";
    if (isnan(before)) {
        say(words, "%s cycles were measured%s.", F(here), where);
    } else if (here < before && differs(here, before)) {
        say(words,
            "%s cycles were measured%s, fewer than the %s of the schedule: the measurement is of another "
            "loop or another machine, or its clock does not count core cycles.",
            F(here), where, F(before));
    } else if (!differs(here, before)) {
        say(words, "%s cycles were measured%s, the same as the schedule: no gap.", F(here), where);
    } else {
        say(words,
            "%s cycles were measured%s, %s more than the schedule (%s %%): time that the bounds leave out, "
            "such as cache and TLB misses, bank conflicts and mispredicted branches.",
            F(here), where, F(here - before), F(100 * (here - before) / before));
        if (macs->counts.memory > 0)
            say(words, " The loop has %s loads and stores and %s.", F(macs->counts.memory),
                macs->counts.prefetches > 0 ? "prefetches" : "no prefetch");
    }
}

char *bounds_gap(const struct bounds_view *view, enum bound_level level)
{
    const struct macs *macs = view->macs;
    struct words words = {0};
    switch (level) {
    case bound_level_MA:
        if (macs->is_known[bound_level_MA])
            say_application(macs, &words);
        break;
    case bound_level_MAC:
        if (macs->is_known[bound_level_MA])
            say_code(macs, &words);
        break;
    case bound_level_MACS:
        if (macs->is_known[bound_level_MACS])
            say_schedule(macs, &words);
        break;
    case bound_level_MEASURED:
        say_measured(view, &words);
        break;
    default:
        break;
    }
    return words.text;
}
