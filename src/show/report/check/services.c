/* What services that host code read: annotations of GitHub, JUnit XML. */
#include "show/report/check/check.h"

#include "show/report/common/services.h"

#include <stdlib.h>

void report_check_annotations(const struct check_view *view, FILE *out)
{
    for (size_t i = 0; i < view->check->verdicts.count; i++) {
        const struct check_verdict *verdict = check_verdict_at(view->check, i);
        if (!check_is_bad(verdict))
            continue;
        struct service_place place = check_place(view, verdict);
        autofree char *title = check_title(view, verdict), *sentence = check_sentence(view, verdict);
        service_annotate(out, "error", &place, title, sentence);
        free(place.path);
    }
}

static size_t count(const struct check *check, bool (*is_it)(const struct check_verdict *verdict))
{
    size_t found = 0;
    for (size_t i = 0; i < check->verdicts.count; i++)
        found += is_it(check_verdict_at(check, i));
    return found;
}

/* JUnit tells assertions that do not hold from tests that could not be made. */
static bool is_error(const struct check_verdict *verdict)
{
    return verdict->outcome == check_UNKNOWN || verdict->outcome == check_NO_MACHINE;
}

static bool is_failure(const struct check_verdict *verdict)
{
    return check_is_bad(verdict) && !is_error(verdict);
}

static bool is_skipped(const struct check_verdict *verdict)
{
    return verdict->outcome == check_SKIPPED;
}

static void put_case(const struct check_view *view, const struct check_verdict *verdict, FILE *out)
{
    struct service_place place = check_place(view, verdict);
    bool is_bad = verdict->outcome != check_HOLDS && !is_skipped(verdict);
    autofree char *title = check_title(view, verdict), *sentence = check_sentence(view, verdict),
                  *loop = check_loop(view, verdict);
    autofree char *name = memory_format("%s%s%s%s%s%s", title, loop ? " (" : "", loop ? loop : "",
                                        loop && verdict->machine ? ", on " : "",
                                        loop && verdict->machine ? verdict->machine : "", loop ? ")" : "");
    autofree char *text = is_bad ? memory_format("%s: %s", title, sentence) : NULL;
    junit_case(out, &(struct junit_case){.name = name,
                                         .class = place.path ? place.path : view->program,
                                         .place = place,
                                         .element = verdict->outcome == check_HOLDS ? NULL
                                                    : is_error(verdict)             ? "error"
                                                    : is_failure(verdict)           ? "failure"
                                                                                    : "skipped",
                                         .type = is_bad ? check_rule(view->check, verdict) : NULL,
                                         .message = sentence,
                                         .text = text});
    free(place.path);
}

void report_check_junit(const struct check_view *view, FILE *out)
{
    const struct check *check = view->check;
    junit_begin(out, "assay check", view->program,
                &(struct junit_counts){check->verdicts.count, count(check, is_failure),
                                       count(check, is_error), count(check, is_skipped)});
    for (size_t i = 0; i < check->verdicts.count; i++)
        put_case(view, check_verdict_at(check, i), out);
    junit_end(out);
}
