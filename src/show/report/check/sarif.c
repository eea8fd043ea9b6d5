/* SARIF 2.1.0: failures alone, because services show every result as a problem.  Each kind of assertion is a
   rule of the tool. */
#include "show/report/check/check.h"

#include "show/report/common/services.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a rule is about. */
static const char *description(const char *rule)
{
    static const struct {
        const char *rule, *says;
    } own[] = {{"loop-gone", "The loop that an assertion is about is not in the program"},
               {"machine", "No machine that an assertion names runs the program"},
               {"query", "A query that must not return a row returns one"},
               {"baseline", "A loop is slower than in the baseline by more than allowed"},
               {"limit", "What limits the speed of a loop"},
               {"advice", "Advice of assay report on a loop"}};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (!strcmp(own[i].rule, rule))
            return own[i].says;
    for (unsigned i = 0; i < assertion_word_count; i++)
        if (!strcmp(assertion_words[i].word, rule))
            return assertion_words[i].says;
    return rule;
}

static size_t index_of(const struct array *rules, const char *rule)
{
    size_t i = 0;
    while (i < rules->count && strcmp(ARRAY_AT(struct sarif_rule, rules, i)->id, rule) != 0)
        i++;
    return i;
}

/* The rules of all failures, each once. */
static struct array rules_of(const struct check *check)
{
    struct array rules = ARRAY_OF(struct sarif_rule);
    for (size_t i = 0; i < check->verdicts.count; i++) {
        const struct check_verdict *verdict = check_verdict_at(check, i);
        const char *rule = check_rule(check, verdict);
        if (check_is_bad(verdict) && index_of(&rules, rule) == rules.count)
            *(struct sarif_rule *)array_push(&rules) =
                (struct sarif_rule){.id = rule, .says = description(rule), .level = "error"};
    }
    return rules;
}

static void put_verdict(const struct check_view *view, const struct check_verdict *verdict,
                        const struct array *rules, struct sarif *sarif)
{
    const char *rule = check_rule(view->check, verdict);
    const struct model *model = view->check->model;
    struct service_place place = check_place(view, verdict);
    autofree char *title = check_title(view, verdict), *sentence = check_sentence(view, verdict);
    autofree char *message = memory_format("%s: %s", title, sentence);
    const char *function =
        verdict->loop
            ? model_text(model, model_function(model, model_loop(model, verdict->loop)->function)->name)
            : NULL;
    autofree char *same = memory_format("%s|%s|%s|%s|%s", rule, place.path ? place.path : "", title,
                                        function ? function : "", verdict->machine ? verdict->machine : "");
    sarif_put(sarif, &(struct sarif_result){.rule = index_of(rules, rule),
                                            .level = "error",
                                            .message = message,
                                            .place = place,
                                            .function = place.path ? function : NULL,
                                            .same = same,
                                            .gain = NAN});
    free(place.path);
}

void report_check_sarif(const struct check_view *view, FILE *out)
{
    const struct check *check = view->check;
    struct array rules = rules_of(check);
    struct sarif sarif = {
        .out = out, .rules = rules.data, .rule_count = rules.count, .fingerprint = "assayAssertion/v1"};
    sarif_begin(&sarif, "assay check", view->version, view->root, check_failures(check) > 0);
    for (size_t i = 0; i < check->verdicts.count; i++)
        if (check_is_bad(check_verdict_at(check, i)))
            put_verdict(view, check_verdict_at(check, i), &rules, &sarif);
    sarif_end(&sarif);
    array_free(&rules);
}
