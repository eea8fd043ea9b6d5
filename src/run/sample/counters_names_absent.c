/* In the place of counters_names.c where there is no libpfm4: events of the kernel and raw numbers remain. */
#include "base/built.h"
#include "run/sample/counters.h"

bool counters_encode(const char *event, struct sample_wish *wish, const char **why)
{
    static struct error missing;
    (void)event;
    (void)wish;
    feature_missing(feature_COUNTERS, &missing);
    *why = missing.text;
    return false;
}

bool counters_have_unit(const char *unit, const char **words)
{
    (void)unit;
    (void)words;
    return false;
}
