/* The gaps in words, for this loop: what the numbers say, then what may be behind them.

   A compares the cycles of each kind of operation with what its units could do: where the two are close, that
   kind decides how fast the application can be.  C compares the code with the source, per iteration of the
   source where it is clear how many of them one iteration of the code does.  S names what the bound of the
   code leaves out.  P is what no model here knows. */
#include "report/bounds.h"

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
        say(words, "the source loop has no operations that count.");
        return;
    }
    qsort(kinds, count, sizeof kinds[0], by_distance);
    for (unsigned i = 0; i < count; i++) {
        if (!i && differs(kinds[0].here, kinds[0].best))
            say(words, "%s come first, %s each where the machine could do with %s", kinds[i].name,
                CYCLES(kinds[i].here), F(kinds[i].best));
        else if (!i)
            say(words, "%s decide, %s each, which is all the machine can do", kinds[i].name,
                CYCLES(kinds[i].here));
        else
            say(words, "; then %s, %s where it could do with %s", kinds[i].name, F(kinds[i].here),
                F(kinds[i].best));
    }
    say(words, ".");
}

/* How many iterations of the source one of the code does; 0 where that is not clear. */
static double copies_of(const struct macs *macs)
{
    double f = macs->copies_by_floating, m = macs->copies_by_memory;
    if (!isnan(f) && !isnan(m) && differs(f, m))
        return 0;
    return !isnan(f) ? f : !isnan(m) ? m : 0;
}

static void say_copies(const struct macs *macs, double copies, struct words *words)
{
    const struct operation_counts *counts = &macs->counts;
    const char *how = counts->vectors > 0 ? "SIMD or unrolled" : "unrolled";
    if (copies && differs(copies, 1))
        say(words, "one iteration of the code does %s of the source (%s).", F(copies),
            copies > 1 ? how : "computed in part elsewhere");
    else if (copies)
        say(words, "one iteration of the code does one of the source.");
    else if (!isnan(macs->copies_by_floating) && !isnan(macs->copies_by_memory))
        say(words,
            "by its arithmetic one iteration of the code does %s of the source, by its loads and stores %s: "
            "%s.",
            F(macs->copies_by_floating), F(macs->copies_by_memory),
            macs->copies_by_memory < macs->copies_by_floating
                ? "values stay in registers that the source reads from arrays, or the compiler computes more"
                : "it loads and stores more than the arrays that the source names, such as spills, pointers "
                  "and "
                  "structures, or computes less");
    else
        say(words, "how many iterations of the source one of the code does is not clear.");
}

static void say_cycles(double before, double after, double copies, struct words *words)
{
    double each = copies ? after / copies : after;
    if (copies && differs(copies, 1))
        say(words, " It takes %s, %s for an iteration of the source, where MA has %s.", CYCLES(after),
            F(each), F(before));
    else if (differs(before, after))
        say(words, " It takes %s where MA has %s.", CYCLES(after), F(before));
    else
        say(words, " Both take %s.", CYCLES(after));
}

static const char *direction(double before, double after)
{
    return after < before ? "falls" : "rises";
}

static void say_code(const struct macs *macs, struct words *words)
{
    const struct macs_bound *source = &macs->bounds[bound_level_MA], *code = &macs->bounds[bound_level_MAC];
    const struct operation_counts *counts = &macs->counts;
    double copies = copies_of(macs), times = copies ? copies : 1;
    say_copies(macs, copies, words);
    say_cycles(source->cycles, code->cycles, copies, words);
    if (!isnan(source->cpf) && !isnan(code->cpf) && differs(source->cpf, code->cpf)) {
        say(words, " CPF %s from %s to %s", direction(source->cpf, code->cpf), F(source->cpf), F(code->cpf));
        if (counts->flops > code->floating && (counts->fused > 0 || counts->vectors > 0))
            say(words, ": it counts instructions, and %s %s %s operations (%s%s%s).", F(code->floating),
                code->floating == 1 ? "does" : "do", F(counts->flops),
                counts->fused > 0 ? "fused multiply-adds two each" : "",
                counts->fused > 0 && counts->vectors > 0 ? ", " : "",
                counts->vectors > 0 ? "SIMD ones several" : "");
        else
            say(words, " with %s operations for %s.", F(code->floating), F(source->floating * times));
    }
    if (!isnan(source->cpm) && !isnan(code->cpm) && differs(source->cpm, code->cpm)) {
        double wide = counts->wide_loads + counts->wide_stores;
        say(words, " CPM %s from %s to %s", direction(source->cpm, code->cpm), F(source->cpm), F(code->cpm));
        if (wide > 0)
            say(words, ": %s of the %s loads and stores take more than one number each, %s numbers in all.",
                F(wide), F(code->memory), F(counts->elements));
        else
            say(words, " with %s loads and stores for %s.", F(code->memory), F(source->memory * times));
    }
    if (!isnan(source->cpb) && !isnan(code->cpb) && differs(source->cpb, code->cpb)) {
        double expected = source->branches * times;
        say(words, " CPB %s from %s to %s", direction(source->cpb, code->cpb), F(source->cpb), F(code->cpb));
        if (code->branches < expected)
            say(words, ": %s %s for %s of the source, %s.", F(code->branches),
                code->branches == 1 ? "branch" : "branches", F(expected),
                !(times > 1)           ? "by conditional or predicated instructions"
                : source->branches > 1 ? "by unrolling and conditional or predicated instructions"
                                       : "by unrolling");
        else
            say(words, " with %s %s for %s of the source.", F(code->branches),
                code->branches == 1 ? "branch" : "branches", F(expected));
    }
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
        say(words, " For %s of them the code waits for a result.", F(schedule->stalls));
    if (macs->cycles_from == macs_OUT_OF_ORDER) {
        if (schedule->recurrence >= cycles && cycles > 0)
            say(words, " A chain of dependences from an iteration to the next takes %s.",
                CYCLES(schedule->recurrence));
        else if (schedule->divider >= cycles && cycles > 0)
            say(words, " Divisions and square roots hold their unit for %s.", CYCLES(schedule->divider));
        else if (schedule->issue >= cycles && cycles > 0)
            say(words, " The machine issues %s instructions a cycle, and that takes %s.",
                F(macs->machine->width), CYCLES(schedule->issue));
    }
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
                                        [macs_OUT_OF_ORDER] = "by width, units and latencies"};
    if (differs(code, here))
        say(words, "%s, an iteration takes %s where its operations fit into %s.", froms[macs->cycles_from],
            CYCLES(here), F(code));
    else
        say(words, "%s, an iteration takes %s, as its operations do: there is no gap.",
            froms[macs->cycles_from], CYCLES(here));
    if (differs(code, here))
        say_limits(macs, words);
    struct words list = {0};
    if (say_counts(&macs->counts, &list))
        say(words, " Beside the %s operations that count there are %s.",
            F(macs->counts.floating + macs->counts.memory + macs->counts.branches), list.text);
    free(list.text);
}

static void say_measured(const struct bounds_view *view, struct words *words)
{
    const struct macs *macs = view->macs;
    if (!macs->is_known[bound_level_MEASURED]) {
        say(words, "not measured; --measured gives the cycles that an iteration took.");
        return;
    }
    double here = macs->bounds[bound_level_MEASURED].cycles, before = macs->bounds[bound_level_MACS].cycles;
    if (isnan(before)) {
        say(words, "%s cycles were measured.", F(here));
    } else if (here < before && differs(here, before)) {
        say(words,
            "%s cycles were measured, fewer than the %s of the schedule: it was another loop, another "
            "machine, "
            "or a clock that does not count the core's cycles.",
            F(here), F(before));
    } else if (!differs(here, before)) {
        say(words, "%s cycles were measured: nothing beyond the schedule costs time.", F(here));
    } else {
        say(words,
            "%s cycles were measured, %s more than the schedule (%s %%): what no bound knows, such as cache "
            "and "
            "TLB misses, bank conflicts and mispredicted branches.",
            F(here), F(here - before), F(100 * (here - before) / before));
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
