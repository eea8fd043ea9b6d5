/* assay model run and check. */
#include "base/interrupt.h"
#include "base/progress.h"
#include "cli/model.h"
#include "cli/model_open.h"
#include "plan/modelling/evaluate.h"
#include "show/report/modelling/model_view.h"

#include <string.h>

struct running {
    struct model_work *work;
    int32_t ranks;
};

static bool evaluate_and_print(void *context, struct error *error)
{
    const struct running *running = context;
    struct model_work *work = running->work;
    struct evaluation evaluation = {0};
    interrupt_catch();
    bool is_fine = model_evaluate(work, running->ranks, &evaluation, error);
    progress_clear();
    if (is_fine) {
        struct model_view view = {.model = work->model,
                                  .network = work->has_network ? &work->network : NULL,
                                  .machine = work->machine,
                                  .ranks = running->ranks,
                                  .evaluation = &evaluation};
        report_model_run(&view, &work->session.style, work->session.out);
        evaluation_free(&evaluation);
    }
    return is_fine;
}

int model_run(const struct invocation *invocation, struct error *error)
{
    struct model_work work;
    struct running running = {.work = &work};
    bool is_fine = model_open(&work, invocation, error) && language_ranks(work.model, &running.ranks, error);
    session_release_interrupts();
    interrupt_catch();
    is_fine = is_fine && model_apart(&work, evaluate_and_print, &running, NULL, NULL, 0, error);
    int code = is_fine ? 0 : interrupt_came() ? MODEL_STOPPED : 2;
    interrupt_release();
    return model_close(&work, code, error);
}

/* All mistakes of a model, each with its place; then what it has. */
int model_check(const struct invocation *invocation, struct error *error)
{
    struct session session;
    struct trust trust;
    const char *path = options_operand(invocation, 1);
    if (!session_begin(&session, invocation, error))
        return session_end(&session, 2, error);
    if (!path || invocation->operands.count > 2) {
        error_set(error, NULL, "assay model check takes one model file");
        return session_end(&session, 2, error);
    }
    trust_begin(&trust, options_has(invocation, OPTION_TRUST));
    trust_add_file(&trust, path);
    struct language_model *model = language_read(path, &trust, error);
    int code = 2;
    if (model) {
        struct error first = {0};
        for (size_t i = 0; i < invocation->given.count && !error->set; i++) {
            const struct given *given = ARRAY_AT(struct given, &invocation->given, i);
            if (given->id == OPTION_SET && !language_problems(model)->count)
                language_set(model, given->value, error);
        }
        code = error->set ? 2 : language_prepare(model, &first) ? 0 : 1;
        if (!error->set)
            report_model_check(model, path, &session.style, session.out);
    }
    language_free(model);
    trust_free(&trust);
    return session_end(&session, code, error);
}
