/* The line of a result, as files of results have it. */
#include "runtime/gauge/gauge.h"

const char *const gauge_status_words[] = {"measured", "missing", "trapped", "slow", "failed"};

void gauge_print_result(FILE *out, const char *name, const struct gauge_result *result)
{
    fprintf(out, "%s\t%s", name, gauge_status_words[result->status]);
    if (result->status == gauge_MEASURED)
        fprintf(out, "\t%.4f\t%.4f\t%.4f\t%.4f", result->best, result->median, result->spread, result->ghz);
    for (unsigned i = 0; result->status == gauge_MEASURED && i < result->counted; i++)
        fprintf(out, "\t%s=%.4f~%.4f", result->counts[i].what, result->counts[i].count, result->counts[i].spread);
    if (result->status == gauge_TRAPPED)
        fprintf(out, "\t%d", result->signal);
}
