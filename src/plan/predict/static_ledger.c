/* See static_ledger.h. */
#include "plan/predict/static_ledger.h"

#include "base/clock.h"
#include "base/digest.h"
#include "base/path.h"
#include "plan/predict/parts.h"
#include "plan/predict/queries.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* What stands where a description's digest would: all such predictors are of one kind. */
static const char KIND[] = "assay run";

static bool find_program(struct ledger *ledger, const struct static_program *program, int64_t *id,
                         struct error *error)
{
    struct ledger_rows rows;
    if (!ledger_do(ledger, error, query_named(predict_queries, "add_predictor"), "ttttr",
                   path_name(program->path), program->path, KIND, program->build, clock_calendar_seconds()) ||
        !ledger_ask(ledger, &rows, error, query_named(predict_queries, "predictor_id"), "tt", KIND,
                    program->build))
        return false;
    while (ledger_next(&rows))
        *id = ledger_integer(&rows, 0);
    return ledger_end(&rows, error);
}

/* The size stands for the inputs. */
static void name_inputs(double size, char label[48], char inputs[DIGEST_TEXT])
{
    struct digest digest;
    if (isnan(size))
        snprintf(label, 48, "size not told");
    else
        snprintf(label, 48, "size=%.15g", size);
    digest_begin(&digest);
    digest_add_text(&digest, label);
    digest_end(&digest, inputs);
}

static bool note_run(struct ledger *ledger, int64_t program, const struct static_run *run, const char *here,
                     struct error *error)
{
    char label[48], inputs[DIGEST_TEXT];
    name_inputs(run->size, label, inputs);
    return ledger_do(ledger, error, query_named(predict_queries, "add_run_once"), "itttrr", program, inputs,
                     label, here, run->seconds, run->made);
}

/* Each run beside the last answer that was given before it was recorded. */
static bool ask_errors(struct ledger *ledger, int64_t program, const char *there, double *squares,
                       struct static_answer *answer, struct error *error)
{
    struct ledger_rows rows;
    double sum = 0;
    if (!ledger_ask(ledger, &rows, error, query_named(predict_queries, "ask_errors"), "it", program, there))
        return false;
    while (ledger_next(&rows)) {
        double told = ledger_real(&rows, 0), took = ledger_real(&rows, 1), off = log(told / took);
        *squares += off * off;
        sum += fabs(told / took - 1);
        answer->earlier++;
    }
    answer->earlier_error = answer->earlier ? sum / answer->earlier : NAN;
    return ledger_end(&rows, error);
}

bool static_learn(struct ledger *ledger, const struct static_program *program, const struct static_run *runs,
                  size_t count, const char *here, const char *there, struct static_answer *answer,
                  struct error *error)
{
    int64_t id = 0;
    double squares = 0;
    if (!find_program(ledger, program, &id, error))
        return false;
    for (size_t i = 0; i < count; i++)
        if (!note_run(ledger, id, &runs[i], here, error))
            return false;
    if (!ask_errors(ledger, id, there, &squares, answer, error))
        return false;
    if (answer->earlier) {
        double reach = exp(1.645 * sqrt(squares / answer->earlier));
        answer->lower = fmin(answer->lower, answer->there / reach);
        answer->upper = fmax(answer->upper, answer->there * reach);
    }
    return true;
}

bool static_note(struct ledger *ledger, const struct static_program *program, double size, const char *there,
                 const struct static_answer *answer, struct error *error)
{
    int64_t id = 0;
    char label[48], inputs[DIGEST_TEXT];
    double now = clock_calendar_seconds();
    name_inputs(size, label, inputs);
    return find_program(ledger, program, &id, error) &&
           ledger_do(ledger, error, query_named(predict_queries, "add_static_model"), "itir", id, there,
                     (int64_t)answer->runs, now) &&
           ledger_do(ledger, error, query_named(predict_queries, "add_static_prediction"), "itttirrrr", id,
                     inputs, label, there, ledger_last_id(ledger), answer->there, answer->lower,
                     answer->upper, now);
}
