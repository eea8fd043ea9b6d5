/* assay model fit FILE.model MEASURED.csv: free parameters of a model from measured times. */
#include "base/interrupt.h"
#include "base/output.h"
#include "base/progress.h"
#include "base/regular_file.h"
#include "cli/model.h"
#include "cli/model_open.h"
#include "show/report/modelling/fit.h"

#include <stdlib.h>

enum { LARGEST_TABLE = 16 << 20 };

int model_fit_command(const struct invocation *invocation, struct error *error)
{
    struct model_work work = {0};
    struct model_fit fit = {0};
    const char *path = options_operand(invocation, 2);
    int code = 2;
    if (!path || invocation->operands.count > 3) {
        error_set(error, NULL,
                  "assay model fit takes a model and a table of measured runs: assay model fit FILE.model "
                  "MEASURED.csv");
        return 2;
    }
    struct invocation first = *invocation; /* the model is the second word, as for the others */
    first.operands.count = 2;
    output_spare(path);
    if (model_open(&work, &first, error)) {
        autofree char *text = regular_file_text(path, LARGEST_TABLE, "a table of runs", error);
        interrupt_catch();
        if (text &&
            model_fit_run(work.model, work.has_network ? &work.network : NULL, path, text, &fit, error)) {
            progress_clear();
            report_model_fit(&fit, &work.session.style, work.session.out);
            code = interrupt_came() ? MODEL_STOPPED : 0;
            if (code)
                session_say(&work.session, "stopped by Ctrl-C: what is known without a row is partial");
        } else if (interrupt_came()) {
            code = MODEL_STOPPED;
        }
        interrupt_release();
    }
    model_fit_free(&fit);
    return model_close(&work, code, error);
}
