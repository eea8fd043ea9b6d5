/* A finding of many copies of a loop (inlined, unrolled, versions) at one place of the source is one problem to
   whoever reads it there: the one that gains most is shown.

   The fingerprint of a finding is its rule, its function and its file, and which of several such findings in that
   function it is, in the order of the code. It has neither lines nor figures: it stays the same when lines above
   are added, the machine is another one, or the order of loops changes. */
#include "show/report/quality/services.h"

#include "base/strings.h"
#include "show/report/common/loop_place.h"
#include "show/report/common/services.h"
#include "show/report/quality/remarks.h"
#include "show/report/quality/sentences.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct reported {
    uint32_t loop;
    struct quality_finding finding;
    struct service_place place;
    char *function;
    unsigned ordinal; /* among those of this rule in this function, in the order of the code */
    bool is_first;    /* of its loop */
};

static const char *const severities[] = {"warning", "note", "note", "note"};

static struct service_place place_of(const struct quality_services *services, uint32_t loop)
{
    const struct model *model = services->view->model;
    struct loop_place place = loop_place_find(model, loop);
    const char *path = place.file ? model_text(model, model_file(model, place.file)->path) : NULL;
    return (struct service_place){.path = path ? service_path(services->root, path) : NULL,
                                  .line = place.first_line,
                                  .last_line = place.last_line};
}

static int compare_keys(const struct reported *a, const struct reported *b)
{
    int order = a->finding.rule < b->finding.rule ? -1 : a->finding.rule > b->finding.rule;
    if (!order)
        order = strcmp(a->function, b->function);
    return order ? order : strcmp(a->place.path ? a->place.path : "", b->place.path ? b->place.path : "");
}

/* By rule, function and file, then in the order of the source; copies in the order of the report, which has
   the most to save first. */
static int compare_problems(const void *left, const void *right)
{
    const struct reported *a = *(struct reported *const *)left, *b = *(struct reported *const *)right;
    int order = compare_keys(a, b);
    if (!order)
        order = a->place.line < b->place.line ? -1 : a->place.line > b->place.line;
    if (!order && !a->place.line)
        order = a->loop < b->loop ? -1 : a->loop > b->loop;
    return order ? order : a < b ? -1 : a > b;
}

/* Numbers the problems of a rule in a function, and marks copies at one place but the first. */
static void settle(struct array *problems, bool *is_copy)
{
    struct reported *all = problems->data;
    autofree struct reported **sorted = memory_get((problems->count + 1) * sizeof *sorted);
    unsigned ordinal = 0;
    for (size_t i = 0; i < problems->count; i++)
        sorted[i] = &all[i];
    if (problems->count)
        qsort(sorted, problems->count, sizeof *sorted, compare_problems);
    for (size_t i = 0; i < problems->count; i++) {
        bool is_next = i && !compare_keys(sorted[i - 1], sorted[i]);
        bool is_same = is_next && sorted[i]->place.line && sorted[i - 1]->place.line == sorted[i]->place.line;
        ordinal = is_same ? ordinal : is_next ? ordinal + 1 : 1;
        sorted[i]->ordinal = ordinal;
        is_copy[sorted[i] - all] = is_same;
    }
}

static struct array find_problems(const struct quality_services *services)
{
    const struct quality_view *view = services->view;
    struct array problems = ARRAY_OF(struct reported);
    for (size_t i = 0; i < view->loop_count; i++) {
        struct quality_rows rows;
        quality_rows_find(&rows, view->model, view->loops[i]);
        struct array findings = quality_findings(&rows, view->level);
        for (size_t k = 0; k < findings.count; k++)
            *(struct reported *)array_push(&problems) =
                (struct reported){.loop = view->loops[i],
                                  .finding = *ARRAY_AT(struct quality_finding, &findings, k),
                                  .place = place_of(services, view->loops[i]),
                                  .function = quality_function(view->model, view->loops[i], view->demangle),
                                  .is_first = !k};
        array_free(&findings);
    }
    return problems;
}

static void free_problem(struct reported *problem)
{
    free(problem->place.path);
    free(problem->function);
}

/* What is shown: without copies. */
static struct array problems_of(const struct quality_services *services)
{
    struct array problems = find_problems(services);
    autofree bool *is_copy = memory_get(problems.count + 1);
    size_t kept = 0;
    settle(&problems, is_copy);
    for (size_t i = 0; i < problems.count; i++) {
        struct reported *problem = ARRAY_AT(struct reported, &problems, i);
        if (is_copy[i])
            free_problem(problem);
        else
            *ARRAY_AT(struct reported, &problems, kept++) = *problem;
    }
    problems.count = kept;
    return problems;
}

static void free_problems(struct array *problems)
{
    for (size_t i = 0; i < problems->count; i++)
        free_problem(ARRAY_AT(struct reported, problems, i));
    array_free(problems);
}

static const struct rule_row *rule_of(const struct quality_services *services, const struct reported *problem)
{
    return model_rule_row(services->view->model, problem->finding.rule);
}

static const char *text_or(const struct model *model, string_id id, const char *other)
{
    const char *text = model_text(model, id);
    return text ? text : other;
}

/* "What to do: …", from all remedies of a finding. */
static void say_remedies(FILE *out, const struct model *model, uint32_t advice)
{
    size_t count;
    const struct remedy_row *rows = quality_remedies(model, advice, &count);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%s%s", i ? " " : " What to do: ", text_or(model, rows[i].text, ""));
}

/* What was found, its gain, and what the compiler says; with the remedies where a format has no place for
   them. To be freed. */
static char *message_of(const struct quality_services *services, const struct reported *problem,
                        bool has_remedies)
{
    const struct model *model = services->view->model;
    const struct advice *advice = model_advice(model, problem->finding.advice);
    struct quality_rows rows;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return memory_format("?");
    fputs(text_or(model, advice->text, text_or(model, rule_of(services, problem)->title, "?")), out);
    if (isfinite(advice->cycles) && isfinite(advice->gain))
        fprintf(out, " Gain: %.2f to %.2f cycles per iteration, %s%.1f times faster.",
                advice->cycles * advice->gain, advice->cycles, quality_up_to(advice->is_upper), advice->gain);
    fprintf(out, " (loop %u in %s)", problem->loop, problem->function);
    quality_rows_find(&rows, model, problem->loop);
    if (problem->is_first && rows.remark_count) {
        putc(' ', out);
        quality_say_remarks(out, &rows);
    }
    if (has_remedies)
        say_remedies(out, model, problem->finding.advice);
    fclose(out);
    return text;
}

/* ---- SARIF ---- */

/* All remedies that findings of a rule have, each once, a line each. */
static char *help_of(const struct model *model, const struct array *problems, uint32_t rule)
{
    char *text = NULL;
    size_t size = 0;
    struct strings said = {0};
    FILE *out = open_memstream(&text, &size);
    for (size_t i = 0; out && i < problems->count; i++) {
        const struct reported *problem = ARRAY_AT(struct reported, problems, i);
        size_t count = 0;
        const struct remedy_row *rows = quality_remedies(model, problem->finding.advice, &count);
        for (size_t k = 0; k < count && problem->finding.rule == rule; k++) {
            const char *remedy = text_or(model, rows[k].text, "");
            if (strings_find(&said, remedy))
                continue;
            fprintf(out, "%s- %s", said.entries.count ? "\n" : "What to do:\n", remedy);
            strings_add(&said, remedy);
        }
    }
    if (out)
        fclose(out);
    strings_free(&said);
    return text;
}

/* Rules of the problems, each once; by rule of the model, its place + 1. */
static struct array rules_of(const struct quality_services *services, const struct array *problems,
                             uint32_t *places)
{
    const struct model *model = services->view->model;
    struct array rules = ARRAY_OF(struct sarif_rule);
    for (size_t i = 0; i < problems->count; i++) {
        const struct reported *problem = ARRAY_AT(struct reported, problems, i);
        const struct rule_row *row = rule_of(services, problem);
        const char *title = text_or(model, row->title, text_or(model, row->name, "?"));
        if (places[problem->finding.rule])
            continue;
        char *help = help_of(model, problems, problem->finding.rule);
        bool has_help = help && *help;
        if (!has_help)
            free(help);
        *(struct sarif_rule *)array_push(&rules) =
            (struct sarif_rule){.id = text_or(model, row->name, "?"),
                                .title = title,
                                .says = text_or(model, row->meaning, title),
                                .help = has_help ? help : NULL,
                                .level = severities[problem->finding.level]};
        places[problem->finding.rule] = (uint32_t)rules.count;
    }
    return rules;
}

static void put_problem(const struct quality_services *services, const struct reported *problem, size_t rule,
                        struct sarif *sarif)
{
    const struct model *model = services->view->model;
    const struct rule_row *row = rule_of(services, problem);
    const struct advice *advice = model_advice(model, problem->finding.advice);
    autofree char *found = message_of(services, problem, false);
    autofree char *message = memory_format("%s: %s", text_or(model, row->title, "?"), found);
    const char *symbol =
        model_text(model, model_function(model, model_loop(model, problem->loop)->function)->name);
    autofree char *same =
        memory_format("%s|%s|%s|%u", text_or(model, row->name, "?"),
                      problem->place.path ? problem->place.path : "", symbol ? symbol : "", problem->ordinal);
    sarif_put(sarif, &(struct sarif_result){.rule = rule,
                                            .level = severities[problem->finding.level],
                                            .message = message,
                                            .place = problem->place,
                                            .function = problem->function,
                                            .same = same,
                                            .gain = advice->gain});
}

bool report_quality_sarif(const struct quality_services *services, FILE *out, struct error *error)
{
    const struct model *model = services->view->model;
    struct array problems = problems_of(services);
    autofree uint32_t *places = memory_get((model->rules.count + 1) * sizeof *places);
    struct array rules = rules_of(services, &problems, places);
    struct sarif sarif = {
        .out = out, .rules = rules.data, .rule_count = rules.count, .fingerprint = "assayFinding/v1"};
    sarif_begin(&sarif, "assay report", services->version, services->root, false);
    for (size_t i = 0; i < problems.count; i++) {
        const struct reported *problem = ARRAY_AT(struct reported, &problems, i);
        put_problem(services, problem, places[problem->finding.rule] - 1, &sarif);
    }
    sarif_end(&sarif);
    for (size_t i = 0; i < rules.count; i++)
        free((char *)(uintptr_t)ARRAY_AT(struct sarif_rule, &rules, i)->help);
    array_free(&rules);
    free_problems(&problems);
    return !ferror(out) || error_set_errno(error, NULL, "cannot write the report");
}

/* ---- annotations and JUnit XML ---- */

bool report_quality_annotations(const struct quality_services *services, FILE *out, struct error *error)
{
    struct array problems = problems_of(services);
    for (size_t i = 0; i < problems.count; i++) {
        const struct reported *problem = ARRAY_AT(struct reported, &problems, i);
        const char *title = model_text(services->view->model, rule_of(services, problem)->title);
        autofree char *message = message_of(services, problem, true);
        service_annotate(out, problem->finding.level == advice_level_GAIN ? "warning" : "notice",
                         &problem->place, title ? title : "?", message);
    }
    free_problems(&problems);
    return !ferror(out) || error_set_errno(error, NULL, "cannot write the report");
}

/* A loop, and where its findings begin. */
struct tested {
    uint32_t loop;
    const struct reported *first; /* NULL: none */
};

static char *text_of(const struct quality_services *services, const struct tested *tested,
                     const struct reported *end)
{
    const struct model *model = services->view->model;
    char *text = NULL;
    size_t size = 0;
    FILE *memory = tested->first ? open_memstream(&text, &size) : NULL;
    for (const struct reported *it = tested->first; memory && it < end && it->loop == tested->loop; it++) {
        autofree char *message = message_of(services, it, true);
        fprintf(memory, "%s%s: %s", it == tested->first ? "" : "\n",
                text_or(model, rule_of(services, it)->title, "?"), message);
    }
    if (memory)
        fclose(memory);
    return text;
}

/* Loops are cases; the findings of one are the text of its failure. Its name has no line: the number-th loop
   of its function. */
static void put_case(const struct quality_services *services, const struct tested *tested,
                     const struct reported *end, unsigned number, FILE *out)
{
    const struct model *model = services->view->model;
    struct service_place place = place_of(services, tested->loop);
    const struct rule_row *rule = tested->first ? rule_of(services, tested->first) : NULL;
    autofree char *function = quality_function(model, tested->loop, services->view->demangle);
    autofree char *name = memory_format("%s: loop %u", function, number);
    autofree char *text = text_of(services, tested, end);
    junit_case(out, &(struct junit_case){.name = name,
                                         .class = place.path ? place.path : services->view->path,
                                         .place = place,
                                         .element = rule ? "failure" : NULL,
                                         .type = rule ? text_or(model, rule->name, "?") : NULL,
                                         .message = rule ? text_or(model, rule->title, "?") : NULL,
                                         .text = text});
    free(place.path);
}

static int compare_tested(const void *left, const void *right)
{
    const struct tested *a = left, *b = right;
    return a->loop < b->loop ? -1 : a->loop > b->loop;
}

bool report_quality_junit(const struct quality_services *services, FILE *out, struct error *error)
{
    const struct quality_view *view = services->view;
    struct array problems = find_problems(services); /* a loop fails by its own findings, copies or not */
    const struct reported *next = problems.data, *end = next + problems.count;
    struct junit_counts counts = {.tests = view->loop_count};
    autofree struct tested *loops = memory_get((view->loop_count + 1) * sizeof *loops);
    unsigned number = 0;
    for (size_t i = 0; i < view->loop_count; i++) {
        bool has_some = next < end && next->loop == view->loops[i];
        loops[i] = (struct tested){view->loops[i], has_some ? next : NULL};
        counts.failures += has_some;
        while (next < end && next->loop == view->loops[i])
            next++;
    }
    qsort(loops, view->loop_count, sizeof *loops, compare_tested);
    junit_begin(out, "assay report", view->path, &counts);
    for (size_t i = 0; i < view->loop_count; i++) {
        bool is_same = i && model_loop(view->model, loops[i].loop)->function ==
                                model_loop(view->model, loops[i - 1].loop)->function;
        number = is_same ? number + 1 : 1;
        put_case(services, &loops[i], end, number, out);
    }
    junit_end(out);
    free_problems(&problems);
    return !ferror(out) || error_set_errno(error, NULL, "cannot write the report");
}
