/* The line of a result, as files of results have it. */
#include "runtime/bench/bench.h"

#include <math.h>

const char *const bench_status_words[] = {"measured", "missing", "trapped", "slow", "failed"};

void bench_print_result(FILE *out, const char *name, const struct bench_result *result)
{
    /* Emulators under load have samples that took no ticks: nothing was measured then. */
    int is_measured = result->status == bench_MEASURED && isfinite(result->best) &&
                      isfinite(result->median) && isfinite(result->spread) && isfinite(result->ghz);
    int is_wrong = result->status == bench_MEASURED && !is_measured;
    fprintf(out, "%s\t%s", name, bench_status_words[is_wrong ? bench_FAILED : result->status]);
    if (is_measured)
        fprintf(out, "\t%.4f\t%.4f\t%.4f\t%.4f", result->best, result->median, result->spread, result->ghz);
    for (unsigned i = 0; is_measured && i < result->counted; i++)
        fprintf(out, "\t%s=%.4f~%.4f", result->counts[i].what, result->counts[i].count,
                result->counts[i].spread);
    if (result->status == bench_TRAPPED)
        fprintf(out, "\t%d", result->signal);
}
