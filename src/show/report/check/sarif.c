/* SARIF 2.1.0: failures alone, because services show every result as a problem.  Each kind of assertion is a
   rule of the tool; a fingerprint without line numbers lets a service know a failure again when lines have
   moved. */
#include "show/report/check/check.h"

#include "base/strings.h"
#include "base/text.h"
#include "show/report/common/rows.h"

#include <stdlib.h>
#include <string.h>

static void put(const char *text, FILE *out)
{
    report_json_text(out, text, strlen(text));
}

/* A path as a relative reference, or as a file: URI if it is absolute. */
static void put_uri(const char *path, FILE *out)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
    fputs(*path == '/' ? "\"file://" : "\"", out);
    for (const char *at = path; *at; at++) {
        if (strchr(plain, *at))
            fputc(*at, out);
        else
            fprintf(out, "%%%02X", (unsigned char)*at);
    }
    fputs("\"", out);
}

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

/* The rules of all failures, each once; returns how many. */
static struct array rules_of(const struct check *check)
{
    struct array rules = ARRAY_OF(const char *);
    for (size_t i = 0; i < check->verdicts.count; i++) {
        const struct check_verdict *verdict = check_verdict_at(check, i);
        const char *rule = check_rule(check, verdict);
        bool is_known = !check_is_bad(verdict);
        for (size_t k = 0; k < rules.count && !is_known; k++)
            is_known = !strcmp(*ARRAY_AT(const char *, &rules, k), rule);
        if (!is_known)
            *(const char **)array_push(&rules) = rule;
    }
    return rules;
}

static size_t index_of(const struct array *rules, const char *rule)
{
    size_t i = 0;
    while (i < rules->count && strcmp(*ARRAY_AT(const char *, rules, i), rule) != 0)
        i++;
    return i;
}

static void put_result(const struct check_view *view, const struct check_verdict *verdict,
                       const struct array *rules, FILE *out)
{
    const char *rule = check_rule(view->check, verdict);
    struct check_place place = check_place(view, verdict);
    autofree char *title = check_title(view, verdict), *sentence = check_sentence(view, verdict);
    autofree char *message = memory_format("%s: %s", title, sentence);
    const struct model *model = view->check->model;
    const char *function =
        verdict->loop
            ? model_text(model, model_function(model, model_loop(model, verdict->loop)->function)->name)
            : NULL;
    autofree char *same = memory_format("%s|%s|%s|%s|%s", rule, place.path ? place.path : "", title,
                                        function ? function : "", verdict->machine ? verdict->machine : "");
    fputs("    {\"ruleId\": ", out);
    put(rule, out);
    fprintf(out, ", \"ruleIndex\": %zu, \"level\": \"error\",\n     \"message\": {\"text\": ",
            index_of(rules, rule));
    put(message, out);
    fputs("},\n", out);
    if (place.path) {
        fputs("     \"locations\": [{\"physicalLocation\": {\"artifactLocation\": {\"uri\": ", out);
        put_uri(place.path, out);
        fputs(*place.path == '/' ? "}" : ", \"uriBaseId\": \"%SRCROOT%\"}", out);
        if (place.line)
            fprintf(out, ", \"region\": {\"startLine\": %u", place.line);
        if (place.line && place.column)
            fprintf(out, ", \"startColumn\": %u", place.column);
        fputs(place.line ? "}}" : "}", out);
        if (function) {
            fputs(", \"logicalLocations\": [{\"name\": ", out);
            put(function, out);
            fputs(", \"kind\": \"function\"}]", out);
        }
        fputs("}],\n", out);
    }
    fprintf(out, "     \"partialFingerprints\": {\"assayAssertion/v1\": \"%016llx\"}}",
            (unsigned long long)strings_hash(same, strlen(same)));
    free(place.path);
}

void report_check_sarif(const struct check_view *view, FILE *out)
{
    const struct check *check = view->check;
    struct array rules = rules_of(check);
    fprintf(
        out,
        "{\"$schema\": \"https://json.schemastore.org/sarif-2.1.0.json\",\n \"version\": \"2.1.0\",\n "
        "\"runs\": [{\n"
        "  \"tool\": {\"driver\": {\"name\": \"assay check\", \"semanticVersion\": \"%s\",\n   \"rules\": [",
        view->version);
    for (size_t i = 0; i < rules.count; i++) {
        const char *rule = *ARRAY_AT(const char *, &rules, i);
        fputs(i ? ",\n    {\"id\": " : "\n    {\"id\": ", out);
        put(rule, out);
        fputs(", \"shortDescription\": {\"text\": ", out);
        put(description(rule), out);
        fputs("}, \"defaultConfiguration\": {\"level\": \"error\"}}", out);
    }
    fputs("]}},\n  \"originalUriBaseIds\": {\"%SRCROOT%\": {\"uri\": ", out);
    autofree char *root = memory_format("%s%s", view->root, strcmp(view->root, "/") ? "/" : "");
    put_uri(root, out);
    fprintf(out,
            "}},\n  \"columnKind\": \"utf16CodeUnits\",\n"
            "  \"invocations\": [{\"executionSuccessful\": true, \"exitCode\": %d}],\n  \"results\": [",
            check_failures(check) > 0);
    bool is_first = true;
    for (size_t i = 0; i < check->verdicts.count; i++) {
        if (!check_is_bad(check_verdict_at(check, i)))
            continue;
        fputs(is_first ? "\n" : ",\n", out);
        put_result(view, check_verdict_at(check, i), &rules, out);
        is_first = false;
    }
    fputs("]\n }]}\n", out);
    array_free(&rules);
}
