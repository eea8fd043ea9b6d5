/* What the ledger knows about a program becomes plain numbers for the models (model.h), and what they answer
   becomes rows.

   Cases are gathered by the contents of the inputs: each whole run is one, and so is each set of inputs that
   has probes only. All times are brought to the number of processors that probes run with. */
#include "base/strings.h"
#include "base/clock.h"
#include "plan/predict/model.h"
#include "plan/predict/parts.h"
#include "plan/predict/queries.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct known_set { /* of inputs */
    string_id inputs, identity;
    struct array probes; /* of model_probe */
    double *features;
    bool has_run;
};

struct known_probe {
    string_id inputs;
    struct model_probe probe;
};

struct known_run {
    string_id inputs;
    double seconds;
};

struct knowledge {
    const struct predict_query *query;
    struct strings texts;
    struct array sets, probes, runs;
    uint32_t *set_of;  /* by string_id of the inputs: number + 1 */
    double directions; /* that shrinking makes smaller, by the bytes of shrunk inputs; NaN: not known */
};

/* --- scaling --- */

/* Times of the same work with several numbers of processors, each as a share of the time with the least. */
static bool ask_points(const struct predict_query *query, const char *sql, struct array *points,
                       struct error *error)
{
    struct ledger_rows rows;
    if (!ledger_ask(query->ledger, &rows, error, sql, "iti", query->predictor, query->host,
                    (int64_t)query->description->least))
        return false;
    while (ledger_next(&rows))
        *(struct scaling_point *)array_push(points) =
            (struct scaling_point){(unsigned)ledger_integer(&rows, 0), ledger_real(&rows, 1)};
    return ledger_end(&rows, error);
}

/* Fills the scaling from the description, or from what the ledger knows; *is_known false: neither. */
static bool predict_scaling_of(const struct predict_query *query, struct scaling *scaling, bool *is_known,
                               struct error *error)
{
    *scaling = (struct scaling){.parallel = 1, .error = NAN, .worst = NAN};
    *is_known = false;
    struct array points = ARRAY_OF(struct scaling_point);
    bool is_fine = ask_points(query, query_named(predict_queries, "scaling_by_probes"), &points, error) &&
                   ask_points(query, query_named(predict_queries, "scaling_by_runs"), &points, error);
    if (is_fine && points.count) {
        *(struct scaling_point *)array_push(&points) = (struct scaling_point){query->description->least, 1};
        scaling_fit(points.data, points.count, scaling);
        *is_known = true;
    } else if (is_fine && query->description->has_scaling) {
        const struct scaling *declared = &query->description->scaling;
        *scaling = *declared;
        scaling->curve = NULL;
        if (declared->curve) {
            scaling->curve = memory_get(declared->count * sizeof *scaling->curve);
            memcpy(scaling->curve, declared->curve, declared->count * sizeof *scaling->curve);
        }
        *is_known = true;
    }
    array_free(&points);
    return is_fine;
}

/* --- gathering --- */

static bool ask_sets(struct knowledge *known, struct error *error)
{
    struct ledger_rows rows;
    if (!ledger_ask(known->query->ledger, &rows, error, query_named(predict_queries, "input_sets_of"), "i",
                    known->query->predictor))
        return false;
    while (ledger_next(&rows)) {
        struct known_set *set = array_add(&known->sets);
        set->inputs = strings_add(&known->texts, ledger_text(&rows, 0));
        set->identity = strings_add(&known->texts, ledger_text(&rows, 1));
        set->probes = ARRAY_OF(struct model_probe);
    }
    return ledger_end(&rows, error);
}

/* Of several runs of one probe the quickest counts: it was disturbed the least. */
static bool ask_probes(struct knowledge *known, struct error *error)
{
    struct ledger_rows rows;
    if (!ledger_ask(known->query->ledger, &rows, error, query_named(predict_queries, "ask_probes"), "iti",
                    known->query->predictor, known->query->host, (int64_t)known->query->description->least))
        return false;
    while (ledger_next(&rows))
        *(struct known_probe *)array_push(&known->probes) = (struct known_probe){
            strings_add(&known->texts, ledger_text(&rows, 0)),
            {ledger_real(&rows, 1), ledger_integer(&rows, 2) != 0, ledger_real(&rows, 3)}};
    return ledger_end(&rows, error);
}

static bool ask_runs(struct knowledge *known, const struct scaling *scaling, struct error *error)
{
    const struct predict_query *query = known->query;
    struct ledger_rows rows;
    double base = scaling_share(scaling, query->description->least);
    if (!ledger_ask(query->ledger, &rows, error, query_named(predict_queries, "runs_on"), "it",
                    query->predictor, query->host))
        return false;
    while (ledger_next(&rows)) {
        double share = scaling_share(scaling, (unsigned)ledger_integer(&rows, 1));
        *(struct known_run *)array_push(&known->runs) = (struct known_run){
            strings_add(&known->texts, ledger_text(&rows, 0)), ledger_real(&rows, 2) * base / share};
    }
    return ledger_end(&rows, error);
}

static struct known_set *set_of(const struct knowledge *known, const char *inputs)
{
    string_id id = strings_find(&known->texts, inputs);
    return id && known->set_of[id] ? ARRAY_AT(struct known_set, &known->sets, known->set_of[id] - 1) : NULL;
}

static bool ask_features(struct knowledge *known, struct error *error)
{
    const struct array *features = &known->query->description->features;
    struct ledger_rows rows;
    for (size_t i = 0; i < features->count; i++) {
        const struct predict_feature *feature = ARRAY_AT(struct predict_feature, features, i);
        if (!ledger_ask(known->query->ledger, &rows, error, query_named(predict_queries, "feature_values"),
                        "itt", known->query->predictor, feature->name, feature->definition))
            return false;
        while (ledger_next(&rows)) {
            struct known_set *set = set_of(known, ledger_text(&rows, 0));
            if (set)
                set->features[i] = ledger_real(&rows, 1);
        }
        if (!ledger_end(&rows, error))
            return false;
    }
    return true;
}

/* Every set gets its probes: those of its inputs, and the ones of least work that belong to it. */
static void share_probes(struct knowledge *known)
{
    size_t features = known->query->description->features.count;
    known->set_of = memory_get((known->texts.entries.count + 2) * sizeof *known->set_of);
    for (size_t i = 0; i < known->sets.count; i++) {
        struct known_set *set = ARRAY_AT(struct known_set, &known->sets, i);
        known->set_of[set->inputs] = (uint32_t)i + 1;
        set->features = memory_get((features + 1) * sizeof *set->features);
        for (size_t j = 0; j < features; j++)
            set->features[j] = NAN;
        for (size_t j = 0; j < known->probes.count; j++) {
            const struct known_probe *probe = ARRAY_AT(struct known_probe, &known->probes, j);
            if (probe->inputs == (probe->probe.is_identity ? set->identity : set->inputs))
                *(struct model_probe *)array_push(&set->probes) = probe->probe;
        }
    }
}

static bool gather(struct knowledge *known, const struct predict_query *query, const struct scaling *scaling,
                   struct error *error)
{
    *known = (struct knowledge){.query = query,
                                .sets = ARRAY_OF(struct known_set),
                                .probes = ARRAY_OF(struct known_probe),
                                .runs = ARRAY_OF(struct known_run)};
    if (!ask_sets(known, error) || !ask_probes(known, error) || !ask_runs(known, scaling, error))
        return false;
    share_probes(known);
    return ask_features(known, error) && predict_directions(query, &known->directions, error);
}

static void forget(struct knowledge *known)
{
    for (size_t i = 0; i < known->sets.count; i++) {
        array_free(&ARRAY_AT(struct known_set, &known->sets, i)->probes);
        free(ARRAY_AT(struct known_set, &known->sets, i)->features);
    }
    array_free(&known->sets);
    array_free(&known->probes);
    array_free(&known->runs);
    free(known->set_of);
    strings_free(&known->texts);
}

static struct model_case case_of(const struct knowledge *known, const struct known_set *set, double seconds)
{
    const char *inputs = strings_text(&known->texts, set->inputs);
    return (struct model_case){.inputs = strings_hash(inputs, strlen(inputs)) | 1,
                               .size = set->features[known->query->description->size],
                               .features = set->features,
                               .probes = set->probes.data,
                               .probe_count = set->probes.count,
                               .seconds = seconds};
}

/* --- rows --- */

static bool note_model(const struct predict_query *query, const struct model_answer *answer,
                       enum model_kind kind, double now, int64_t *id, struct error *error)
{
    const struct model_judged *judged = &answer->judged[kind];
    if (!ledger_do(query->ledger, error, query_named(predict_queries, "add_model"), "itttirrr",
                   query->predictor, model_kind_names[kind], query->host,
                   judged->parameters ? judged->parameters : "{}", (int64_t)judged->runs, judged->error,
                   judged->worst, now))
        return false;
    *id = ledger_last_id(query->ledger);
    return true;
}

/* The model that was used; with the final answer all that were tried, before it. */
static bool note(struct predict_query *query, const struct model_answer *answer, unsigned processors,
                 bool is_final, struct predict_estimate *estimate, struct error *error)
{
    double now = clock_calendar_seconds();
    int64_t model = 0;
    for (int kind = 0; is_final && kind < model_NONE; kind++)
        if (answer->judged[kind].is_fitted && kind != (int)answer->kind &&
            !note_model(query, answer, kind, now, &model, error))
            return false;
    bool has_model = answer->kind != model_NONE;
    if (has_model && !note_model(query, answer, answer->kind, now, &model, error))
        return false;
    double upper = isfinite(estimate->upper) ? estimate->upper : NAN;
    char types[] = "ittti?irrrrir";
    const char *sql = query_named(predict_queries, "add_prediction");
    types[5] = 'i';
    bool is_fine;
    if (has_model) {
        is_fine = ledger_do(query->ledger, error, sql, types, query->predictor, query->inputs, query->label,
                            query->host, (int64_t)processors, model, (int64_t)answer->probes, query->spent,
                            estimate->seconds, estimate->lower, upper, (int64_t)is_final, now);
    } else {
        types[5] = 'n';
        is_fine = ledger_do(query->ledger, error, sql, types, query->predictor, query->inputs, query->label,
                            query->host, (int64_t)processors, (int64_t)answer->probes, query->spent,
                            estimate->seconds, estimate->lower, upper, (int64_t)is_final, now);
    }
    estimate->id = ledger_last_id(query->ledger);
    return is_fine;
}

static void fill(const struct predict_query *query, const struct model_answer *answer,
                 const struct scaling *scaling, bool is_scaling_known, unsigned processors,
                 struct predict_estimate *estimate)
{
    double share = scaling_share(scaling, processors) / scaling_share(scaling, query->description->least);
    *estimate = (struct predict_estimate){
        .seconds = answer->seconds * share,
        .lower = answer->lower * share,
        .upper = answer->upper * (is_scaling_known || share > 1 ? share : 1),
        .model = model_kind_names[answer->kind],
        .error = answer->error,
        .worst = answer->worst,
        .runs = answer->runs,
        .probes = answer->probes,
        .is_scaled = processors != query->description->least,
        .is_scaling_known = is_scaling_known,
    };
}

static bool answer_with(struct predict_query *query, const struct knowledge *known,
                        struct model_answer *answer)
{
    struct array cases = ARRAY_OF(struct model_case);
    struct known_set *own = set_of(known, query->inputs);
    if (!own)
        return false;
    for (size_t i = 0; i < known->runs.count; i++) {
        const struct known_run *run = ARRAY_AT(struct known_run, &known->runs, i);
        uint32_t number = known->set_of[run->inputs];
        if (!number)
            continue;
        struct known_set *set = ARRAY_AT(struct known_set, &known->sets, number - 1);
        set->has_run = true;
        *(struct model_case *)array_push(&cases) = case_of(known, set, run->seconds);
    }
    for (size_t i = 0; i < known->sets.count; i++) {
        struct known_set *set = ARRAY_AT(struct known_set, &known->sets, i);
        if (!set->has_run && set != own && set->probes.count)
            *(struct model_case *)array_push(&cases) = case_of(known, set, NAN);
    }
    struct model_case question = case_of(known, own, NAN);
    question.only = query->description->model;
    question.directions = known->directions;
    model_predict(cases.data, cases.count, (unsigned)query->description->features.count, &question, answer);
    array_free(&cases);
    return true;
}

bool predict_estimate(struct predict_query *query, unsigned processors, bool is_final,
                      struct predict_estimate *estimate, struct error *error)
{
    struct scaling scaling;
    struct knowledge known;
    bool is_scaling_known;
    *estimate =
        (struct predict_estimate){.seconds = NAN, .lower = NAN, .upper = NAN, .error = NAN, .worst = NAN};
    if (!predict_scaling_of(query, &scaling, &is_scaling_known, error))
        return false;
    bool is_fine = gather(&known, query, &scaling, error);
    struct model_answer answer = {0};
    if (is_fine && !answer_with(query, &known, &answer))
        is_fine = error_set(error, ledger_path(query->ledger),
                            "these inputs were removed from the ledger meanwhile");
    forget(&known);
    if (is_fine) {
        fill(query, &answer, &scaling, is_scaling_known, processors, estimate);
        is_fine = ledger_begin(query->ledger, error);
        if (is_fine && !note(query, &answer, processors, is_final, estimate, error)) {
            ledger_undo(query->ledger);
            is_fine = false;
        } else if (is_fine) {
            is_fine = ledger_commit(query->ledger, error);
        }
        model_answer_free(&answer);
    }
    scaling_free(&scaling);
    return is_fine;
}
