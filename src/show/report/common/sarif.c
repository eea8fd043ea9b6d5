/* SARIF 2.1.0. Texts of rules and findings are plain text; a place is a line, since findings are about loops. */
#include "show/report/common/services.h"

#include "base/path.h"
#include "base/strings.h"
#include "show/report/common/row_writer.h"
#include "show/report/common/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void put(const char *text, FILE *out)
{
    report_json_text(out, text, strlen(text));
}

static void put_uri(const char *path, FILE *out)
{
    autofree char *uri = path_uri(path);
    put(uri, out);
}

static void put_rule(const struct sarif_rule *rule, FILE *out)
{
    fputs("\n    {\"id\": ", out);
    put(rule->id, out);
    fputs(", \"shortDescription\": {\"text\": ", out);
    put(rule->title ? rule->title : rule->says, out);
    if (rule->title) {
        fputs("}, \"fullDescription\": {\"text\": ", out);
        put(rule->says, out);
    }
    if (rule->help) {
        fputs("},\n     \"help\": {\"text\": ", out);
        put(rule->help, out);
    }
    fprintf(out, "}, \"defaultConfiguration\": {\"level\": \"%s\"}}", rule->level);
}

void sarif_begin(struct sarif *sarif, const char *tool, const char *version, const char *root,
                 bool has_failed)
{
    FILE *out = sarif->out;
    sarif->has_results = false;
    fprintf(out,
            "{\"$schema\": \"https://json.schemastore.org/sarif-2.1.0.json\",\n \"version\": \"2.1.0\",\n "
            "\"runs\": [{\n"
            "  \"tool\": {\"driver\": {\"name\": \"%s\", \"semanticVersion\": \"%s\",\n   \"rules\": [",
            tool, version);
    for (size_t i = 0; i < sarif->rule_count; i++) {
        fputs(i ? "," : "", out);
        put_rule(&sarif->rules[i], out);
    }
    fputs("]}},\n  \"originalUriBaseIds\": {\"%SRCROOT%\": {\"uri\": ", out);
    autofree char *folder = memory_format("%s%s", root, strcmp(root, "/") ? "/" : "");
    put_uri(folder, out);
    fprintf(out,
            "}},\n  \"columnKind\": \"utf16CodeUnits\",\n"
            "  \"invocations\": [{\"executionSuccessful\": true, \"exitCode\": %d}],\n  \"results\": [",
            has_failed);
}

static void put_place(const struct sarif_result *result, FILE *out)
{
    const struct service_place *place = &result->place;
    fputs("     \"locations\": [{", out);
    if (place->path) {
        fputs("\"physicalLocation\": {\"artifactLocation\": {\"uri\": ", out);
        put_uri(place->path, out);
        fputs(*place->path == '/' ? "}" : ", \"uriBaseId\": \"%SRCROOT%\"}", out);
        if (place->line)
            fprintf(out, ", \"region\": {\"startLine\": %u", place->line);
        if (place->line && place->column)
            fprintf(out, ", \"startColumn\": %u", place->column);
        if (place->line && place->last_line > place->line)
            fprintf(out, ", \"endLine\": %u", place->last_line);
        fputs(place->line ? "}}" : "}", out);
    }
    if (result->function) {
        fputs(place->path ? ", \"logicalLocations\": [{\"name\": " : "\"logicalLocations\": [{\"name\": ",
              out);
        put(result->function, out);
        fputs(", \"kind\": \"function\"}]", out);
    }
    fputs("}],\n", out);
}

void sarif_put(struct sarif *sarif, const struct sarif_result *result)
{
    FILE *out = sarif->out;
    fputs(sarif->has_results ? ",\n" : "\n", out);
    sarif->has_results = true;
    fputs("    {\"ruleId\": ", out);
    put(sarif->rules[result->rule].id, out);
    fprintf(out, ", \"ruleIndex\": %zu, \"level\": \"%s\",\n     \"message\": {\"text\": ", result->rule,
            result->level);
    put(result->message, out);
    fputs("},\n", out);
    if (result->place.path || result->function)
        put_place(result, out);
    if (isfinite(result->gain)) {
        fputs("     \"properties\": {\"gain\": ", out);
        row_print_number(result->gain, out);
        fputs("},\n", out);
    }
    fprintf(out, "     \"partialFingerprints\": {\"%s\": \"%016llx\"}}", sarif->fingerprint,
            (unsigned long long)strings_hash(result->same, strlen(result->same)));
}

void sarif_end(struct sarif *sarif)
{
    fputs("]\n }]}\n", sarif->out);
}
