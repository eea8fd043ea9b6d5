/* assay predict --history: predicted against measured, from the ledger. */
#include "base/output.h"
#include "cli/predict.h"
#include "cli/session.h"
#include "report/predict/predict_view.h"

static bool draw(struct ledger *ledger, const char *name, const char *path, struct error *error)
{
    struct output *output = path ? output_open(path, error) : NULL;
    if (!output)
        return !path;
    if (report_predict_plot(ledger, name, output_stream(output), error))
        return output_finish(output, error);
    output_abandon(output);
    return false;
}

static int show(struct session *session, struct ledger *ledger, struct error *error)
{
    const char *name = options_operand(session->invocation, 0);
    size_t count = 0;
    if (!report_predict_history(ledger, name, &session->style, session->out, &count, error) ||
        !draw(ledger, name, options_value(session->invocation, OPTION_PLOT), error))
        return 2;
    return count ? 0 : 1;
}

int predict_history(const struct invocation *invocation, struct error *error)
{
    struct session session;
    if (invocation->operands.count > 1) {
        error_set(error, NULL, "predict --history takes one name at most");
        return 2;
    }
    if (!session_begin(&session, invocation, error))
        return session_end(&session, 2, error);
    struct ledger *ledger = ledger_open(options_value(invocation, OPTION_LEDGER), false, error);
    int code = 2;
    if (ledger) {
        output_spare(ledger_path(ledger));
        code = show(&session, ledger, error);
    }
    ledger_close(ledger);
    return session_end(&session, code, error);
}
