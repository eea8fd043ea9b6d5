/* assay predict --history: what was predicted, and what it took then. */
#include "base/output.h"
#include "cli/predict.h"

static bool write_plot(struct predict_work *work, const char *name, const char *path, struct error *error)
{
    struct output *output = output_open(path, error);
    if (!output)
        return false;
    if (report_predict_plot(work->ledger, name, output_stream(output), error))
        return output_finish(output, error);
    output_abandon(output);
    return false;
}

int predict_history(struct predict_work *work, struct error *error)
{
    const struct invocation *invocation = work->session.invocation;
    const char *name = options_operand(invocation, 0), *plot = options_value(invocation, OPTION_PLOT);
    work->ledger = ledger_open(options_value(invocation, OPTION_LEDGER), false, error);
    size_t count = 0;
    if (invocation->operands.count > 1) {
        error_set(error, NULL, "predict --history takes one name at most");
        return 2;
    }
    if (work->ledger)
        output_spare(ledger_path(work->ledger));
    if (!work->ledger ||
        !report_predict_history(work->ledger, name, &work->session.style, work->session.out, &count, error))
        return 2;
    if (plot && !write_plot(work, name, plot, error))
        return 2;
    return count ? 0 : 1;
}
