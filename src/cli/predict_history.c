/* assay predict --history: what was predicted, and what it took then. */
#include "base/output.h"
#include "cli/predict.h"

#include <string.h>
#include <unistd.h>

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

/* The operand is the name of a description, or its file where no description has that name. */
static bool find_name(struct predict_work *work, const char **name, struct error *error)
{
    struct ledger_rows rows;
    *name = options_operand(work->session.invocation, 0);
    if (!*name || access(*name, F_OK))
        return true;
    if (!ledger_ask(work->ledger, &rows, error, "select 1 from predictors where name = ?", "t", *name))
        return false;
    bool is_known = ledger_next(&rows);
    if (!ledger_end(&rows, error))
        return false;
    if (is_known)
        return true;
    work->description = predict_describe(*name, error);
    *name = work->description ? predict_name(work->description) : NULL;
    return work->description;
}

int predict_history(struct predict_work *work, struct error *error)
{
    const struct invocation *invocation = work->session.invocation;
    const char *name, *plot = options_value(invocation, OPTION_PLOT);
    work->ledger = ledger_open(options_value(invocation, OPTION_LEDGER), false, error);
    size_t count = 0;
    if (invocation->operands.count > 1) {
        error_set(error, NULL, "predict --history takes one name at most");
        return 2;
    }
    if (work->ledger)
        output_spare(ledger_path(work->ledger));
    if (!work->ledger || !find_name(work, &name, error) ||
        !report_predict_history(work->ledger, name, &work->session.style, work->session.out, &count, error))
        return 2;
    if (plot && !write_plot(work, name, plot, error))
        return 2;
    return count ? 0 : 1;
}
