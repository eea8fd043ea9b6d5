/* assay optimise --record FILE -- make: how a build compiles its sources, as compile_commands.json. */
#include "base/output.h"
#include "change/optimise/compile/record.h"
#include "cli/optimise.h"
#include "cli/say.h"
#include "show/report/common/rows.h"

#include <string.h>

static void write_text(FILE *out, const char *text)
{
    report_json_text(out, text, strlen(text));
}

static void write_entry(FILE *out, const struct record_entry *entry)
{
    fputs("  {\"directory\": ", out);
    write_text(out, entry->folder);
    fputs(", \"file\": ", out);
    write_text(out, entry->source);
    fputs(", \"arguments\": [", out);
    for (size_t i = 0; i < entry->words.count; i++) {
        fputs(i ? ", " : "", out);
        write_text(out, *ARRAY_AT(const char *, &entry->words, i));
    }
    fputs("]}", out);
}

static bool write_file(const char *path, const struct record *record, struct error *error)
{
    struct output *output = output_open(path, error);
    if (!output)
        return false;
    FILE *out = output_stream(output);
    fputs("[\n", out);
    for (size_t i = 0; i < record->entries.count; i++) {
        fputs(i ? ",\n" : "", out);
        write_entry(out, ARRAY_AT(struct record_entry, &record->entries, i));
    }
    fputs("\n]\n", out);
    return output_finish(output, error);
}

bool optimise_record(const struct invocation *invocation, struct error *error)
{
    const char *path = options_value(invocation, OPTION_RECORD);
    struct record record;
    struct array words = ARRAY_OF(const char *);
    for (size_t i = invocation->before; i < invocation->operands.count; i++)
        *(const char **)array_push(&words) = *ARRAY_AT(const char *, &invocation->operands, i);
    *(const char **)array_push(&words) = NULL;
    bool is_fine = words.count > 1 && !invocation->before;
    if (!is_fine)
        error_set(error, NULL, "--record takes a file and the build: --record compile_commands.json -- make");
    is_fine = is_fine && record_build(words.data, &record, error);
    if (is_fine) {
        is_fine = write_file(path, &record, error);
        if (is_fine)
            say("%zu compilations are in %s", record.entries.count, path);
        if (is_fine && record.exit_status)
            is_fine = error_set(error, words.data ? *ARRAY_AT(const char *, &words, 0) : NULL,
                                "the build failed; what it compiled before is in %s", path);
        record_free(&record);
    }
    array_free(&words);
    return is_fine;
}
