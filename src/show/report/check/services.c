/* What services that host code read: annotations of GitHub, JUnit XML, SARIF 2.1.0. */
#include "show/report/check/check.h"

#include "base/text.h"
#include "show/report/common/html.h"
#include "show/report/common/rows.h"

#include <stdlib.h>
#include <string.h>

/* A property or a message of a workflow command: percent signs and ends of lines are escaped, in properties
   also what separates them. */
static void put_command_text(const char *text, bool is_property, FILE *out)
{
    autofree char *safe = text_safe(text, strlen(text));
    for (const char *at = safe; *at; at++) {
        if (*at == '%' || (is_property && (*at == ':' || *at == ',')))
            fprintf(out, "%%%02X", (unsigned char)*at);
        else
            fputc(*at, out);
    }
}

void report_check_annotations(const struct check_view *view, FILE *out)
{
    for (size_t i = 0; i < view->check->verdicts.count; i++) {
        const struct check_verdict *verdict = check_verdict_at(view->check, i);
        if (!check_is_bad(verdict))
            continue;
        struct check_place place = check_place(view, verdict);
        autofree char *title = check_title(view, verdict), *sentence = check_sentence(view, verdict);
        fputs("::error ", out);
        if (place.path) {
            fputs("file=", out);
            put_command_text(place.path, true, out);
            fputs(",", out);
        }
        if (place.path && place.line)
            fprintf(out, "line=%u,", place.line);
        if (place.path && place.line && place.column)
            fprintf(out, "col=%u,", place.column);
        fputs("title=", out);
        put_command_text(title, true, out);
        fputs("::", out);
        put_command_text(sentence, false, out);
        fputs("\n", out);
        free(place.path);
    }
}

static void put_attribute(const char *name, const char *text, FILE *out)
{
    html_format(out, " %s=\"%s\"", name, text);
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
    struct check_place place = check_place(view, verdict);
    autofree char *title = check_title(view, verdict), *sentence = check_sentence(view, verdict),
                  *loop = check_loop(view, verdict);
    autofree char *name = memory_format("%s%s%s%s%s%s", title, loop ? " (" : "", loop ? loop : "",
                                        loop && verdict->machine ? ", on " : "",
                                        loop && verdict->machine ? verdict->machine : "", loop ? ")" : "");
    const char *element = is_error(verdict) ? "error" : is_failure(verdict) ? "failure" : "skipped";
    fputs("    <testcase", out);
    put_attribute("name", name, out);
    put_attribute("classname", place.path ? place.path : view->program, out);
    if (place.path)
        put_attribute("file", place.path, out);
    if (place.path && place.line)
        fprintf(out, " line=\"%u\"", place.line);
    fputs(" time=\"0\"", out);
    if (verdict->outcome == check_HOLDS) {
        fputs("/>\n", out);
    } else {
        fprintf(out, ">\n      <%s", element);
        put_attribute("message", sentence, out);
        if (!is_skipped(verdict))
            put_attribute("type", check_rule(view->check, verdict), out);
        if (is_skipped(verdict)) {
            fputs("/>", out);
        } else {
            fputs(">", out);
            if (place.path)
                html_format(out, "%s:%u: ", place.path, place.line);
            html_format(out, "%s: %s", title, sentence);
            fprintf(out, "</%s>", element);
        }
        fputs("\n    </testcase>\n", out);
    }
    free(place.path);
}

void report_check_junit(const struct check_view *view, FILE *out)
{
    const struct check *check = view->check;
    autofree char *counts = memory_format(
        " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\" time=\"0\"", check->verdicts.count,
        count(check, is_failure), count(check, is_error), count(check, is_skipped));
    fprintf(out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"assay check\"%s>\n  <testsuite",
            counts);
    put_attribute("name", view->program, out);
    fprintf(out, "%s>\n", counts);
    for (size_t i = 0; i < check->verdicts.count; i++)
        put_case(view, check_verdict_at(check, i), out);
    fputs("  </testsuite>\n</testsuites>\n", out);
}
