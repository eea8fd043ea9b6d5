/* Why a loop took longer, or less long, than predicted: what the rules of run/measure found, in words.
   enums.def says what value and reference of each rule are. */
#include "show/report/run/parts.h"

#include "model/tables.h"
#include "show/report/quality/words.h"

#include <math.h>
#include <stdlib.h>

/* The level of a cache of this size; 0: the machine file has none. */
static unsigned cache_level(const struct run_report *report, uint32_t loop, double bytes)
{
    const struct machine *machine = quality_machine(&report->view->quality, loop);
    for (unsigned i = 0; machine && i < machine->cache_count; i++)
        if ((double)machine->caches[i].bytes == bytes)
            return machine->caches[i].level;
    return 0;
}

/* Where addresses or branches were not measured, the code alone makes them possible. */
static char *unmeasured_words(const struct run_report *report, const struct run_gap *gap)
{
    if (gap->rule == gap_rule_BRANCHES)
        return memory_format("its branches cannot be predicted (--explain would count the misses)");
    unsigned level = cache_level(report, gap->loop, gap->reference);
    return level ? memory_format("the data does not fit the L%u cache (--explain would show it)", level)
                 : memory_format("the data does not fit a cache (--explain would show it)");
}

static char *cache_words(const struct run_report *report, const struct run_gap *gap)
{
    autofree char *touched = run_bytes(gap->value), *size = run_bytes(gap->reference);
    unsigned level = cache_level(report, gap->loop, gap->reference);
    return level ? memory_format("the data does not fit the L%u cache (%s touched, %s there)", level, touched,
                                 size)
                 : memory_format("the data does not fit a cache (%s touched, %s there)", touched, size);
}

static char *short_trips(const char *value, const char *reference)
{
    return memory_format("only %s iterations an entry (getting in and out takes %s cycles each time)", value,
                         reference);
}

static char *words_of(const struct run_report *report, const struct run_gap *gap, const char *value,
                      const char *reference, const char *share)
{
    if (isnan(gap->value) && (gap->rule == gap_rule_CACHE || gap->rule == gap_rule_BRANCHES))
        return unmeasured_words(report, gap);
    switch ((enum gap_rule)gap->rule) {
    case gap_rule_CACHE:
        return cache_words(report, gap);
    case gap_rule_SETS:
        return memory_format("its data falls into %.0f of %.0f sets of the L1 cache", gap->value,
                             gap->reference);
    case gap_rule_ALIASING:
        return memory_format("%s of its loads wait for a store to another address with the same low 12 bits "
                             "(4K aliasing)",
                             share);
    case gap_rule_DENORMALS:
        return memory_format("it computes with denormal numbers, %s times an iteration", value);
    case gap_rule_BRANCHES:
        return memory_format("its branches cannot be predicted (%s misses an iteration, %s cycles each)",
                             value, reference);
    case gap_rule_PAGE_FAULTS:
        return memory_format("the kernel brings in pages while it runs (%s of its time, %.0f page faults)",
                             share, gap->reference);
    case gap_rule_DIVISION:
        return memory_format("its operands make divisions slow (%s an iteration, up to %s cycles each)",
                             value, reference);
    case gap_rule_WAITING:
        return memory_format("its %.0f threads wait %s of the time for each other or for a processor",
                             gap->reference, share);
    case gap_rule_SHORT_TRIPS:
        return short_trips(value, reference);
    case gap_rule_CALLS: {
        autofree char *calls = phrase_share(gap->reference);
        return memory_format("the prediction leaves out what it calls (%s calls an iteration, %s of "
                             "the time in and below the loop)",
                             value, calls);
    }
    case gap_rule_FORWARDING:
        return isnan(gap->value) ? memory_format("its loads read what an iteration before has just stored")
                                 : memory_format("a load reads what was stored %.0f iteration%s before, %s "
                                                 "cycles through memory at least",
                                                 gap->value, gap->value == 1 ? "" : "s", reference);
    case gap_rule_INNER_EXITS:
        return memory_format(
            "the ends of the loops inside are guessed wrong (%s an iteration, %s cycles each)", value,
            reference);
    case gap_rule_OVERLAP:
        if (isnan(gap->value))
            return memory_format("the core probably works on its own code while it works on what is inside");
        return memory_format(
            "with %s iterations an entry, the core probably works on several entries at a time", value);
    case gap_rule_FASTER:
        return memory_format("it is faster than predicted, so the model is wrong here");
    default:
        return memory_format("nothing that was measured explains the difference");
    }
}

char *run_gap_words(const struct run_report *report, const struct run_gap *gap)
{
    static const char *const doubts[] = {[gap_certainty_SHOWN] = "",
                                         [gap_certainty_LIKELY] = "probably ",
                                         [gap_certainty_POSSIBLE] = "perhaps "};
    autofree char *value = run_figure(gap->value), *reference = run_figure(gap->reference);
    autofree char *share = phrase_share(gap->value);
    autofree char *words = words_of(report, gap, value, reference, share);
    bool is_cause =
        gap->rule != gap_rule_OVERLAP && gap->rule != gap_rule_FASTER && gap->rule != gap_rule_UNEXPLAINED;
    return memory_format(
        "%s%s", is_cause && gap->certainty < gap_certainty_COUNT ? doubts[gap->certainty] : "", words);
}
