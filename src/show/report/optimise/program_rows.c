/* For programs: json and csv; and the build lines for --apply. */
#include "base/path.h"
#include "show/report/common/row_writer.h"
#include "show/report/common/rows.h"
#include "show/report/optimise/optimise.h"
#include "show/report/optimise/program.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct program_trial *trial_at(const struct program_answer *answer, size_t place)
{
    return ARRAY_AT(struct program_trial, &answer->trials, place);
}

static void write_trial(struct row_writer *writer, const struct program_trial *trial, bool is_best)
{
    row_text(writer, "change", trial ? trial->name : NULL);
    row_flag(writer, "is_best", is_best);
    row_number(writer, "ratio", trial ? trial->ratio : NAN);
    row_number(writer, "step", trial ? trial->step : NAN);
    row_number(writer, "step_error", trial ? trial->step_error : NAN);
    row_integer(writer, "rounds", trial ? (int64_t)trial->rounds : 0);
    row_text(writer, "results",
             !trial            ? NULL
             : trial->is_built ? optimise_verdict(trial->result.verdict)
                               : "not built");
    row_number(writer, "largest_error", trial && trial->is_built ? trial->result.largest_error : NAN);
    row_flag(writer, "is_same_code", trial && trial->is_same_code);
    row_flag(writer, "is_remembered", trial && trial->is_remembered);
    row_text(writer, "problem", !trial ? NULL : trial->problem ? trial->problem : trial->result.where);
}

static void write_json(const struct optimise_program_view *view, struct row_writer *writer)
{
    const struct program_answer *answer = view->answer;
    const struct program_trial *best = answer->best == SIZE_MAX ? NULL : trial_at(answer, answer->best);
    fputs("{", writer->out);
    writer->is_first = true;
    row_text(writer, "program", view->program);
    row_text(writer, "run", view->run);
    row_text(writer, "change", best ? best->name : NULL);
    row_number(writer, "saving", best ? 1 - answer->ratio : NAN);
    row_number(writer, "error", best ? answer->error : NAN);
    row_number(writer, "before", answer->before);
    row_number(writer, "after", best ? answer->after : NAN);
    row_integer(writer, "rounds", (int64_t)answer->rounds);
    row_text(writer, "build", answer->line);
    row_number(writer, "own_ratio", answer->own_ratio);
    row_flag(writer, "is_out_of_time", answer->is_out_of_time);
    row_flag(writer, "was_interrupted", answer->was_interrupted);
    row_number(writer, "seconds", answer->seconds);
    row_begin(writer, "trials");
    fputs("[", writer->out);
    for (size_t i = 0; i < answer->trials.count; i++) {
        fputs(i ? ",\n  {" : "\n  {", writer->out);
        writer->is_first = true;
        write_trial(writer, trial_at(answer, i), i == answer->best);
        fputs("}", writer->out);
    }
    fputs("]}\n", writer->out);
}

static void write_row(struct row_writer *writer, const struct program_trial *trial, bool is_best)
{
    writer->is_first = true;
    write_trial(writer, trial, is_best);
    fputs("\r\n", writer->out);
}

void report_program_rows(const struct optimise_program_view *view, const struct report_style *style,
                         FILE *out)
{
    struct row_writer writer = {.out = out, .is_json = style->format == report_JSON};
    if (writer.is_json) {
        write_json(view, &writer);
        return;
    }
    writer.is_head = true;
    write_row(&writer, NULL, false);
    writer.is_head = false;
    for (size_t i = 0; i < view->answer->trials.count; i++)
        write_row(&writer, trial_at(view->answer, i), i == view->answer->best);
}

/* --- build lines --- */
static void put_word(FILE *out, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-./_=,:@%";
    if (*word && !word[strspn(word, plain)]) {
        fputs(word, out);
        return;
    }
    fputc('\'', out);
    for (; *word; word++)
        if (*word == '\'')
            fputs("'\\''", out);
        else
            fputc(*word, out);
    fputc('\'', out);
}

static bool goes(const struct program_answer *answer, uint32_t set, const char *word)
{
    for (size_t i = 0; i < answer->changes.count; i++) {
        const struct program_option *change = ARRAY_AT(struct program_option, &answer->changes, i);
        if (set >> i & 1 && change->kind == program_LESS && !strcmp(change->words, word))
            return true;
    }
    return false;
}

static void put_compilation(const struct program_answer *answer, const struct program_unit *unit,
                            uint32_t set, FILE *out)
{
    struct array words = ARRAY_OF(const char *);
    compilation_words(&unit->compilation, &words);
    for (size_t i = 0; i < words.count; i++) {
        const char *word = *ARRAY_AT(const char *, &words, i);
        if (goes(answer, set, word))
            continue;
        put_word(out, word);
        fputc(' ', out);
    }
    for (size_t i = 0; i < answer->changes.count; i++) {
        const struct program_option *change = ARRAY_AT(struct program_option, &answer->changes, i);
        if (set >> i & 1 && change->kind != program_LESS)
            fprintf(out, "%s ", change->words);
    }
    array_free(&words);
}

void report_program_lines(const struct optimise_program_view *view, FILE *out)
{
    const struct program_answer *answer = view->answer;
    const struct program_trial *best = trial_at(answer, answer->best);
    fprintf(out, "# %s, built %s: saves %.1f %% of `%s`, as assay optimise --program measured.\n",
            view->program, best->name, 100 * (1 - answer->ratio), view->run);
    if (!view->units) {
        if (answer->line)
            fprintf(out, "%s\n", answer->line);
        else
            fprintf(out, "# $ASSAY_FLAGS: %s\n", best->name);
        return;
    }
    fputs(
        "# How its sources were compiled; the program is linked from these objects as before, with the same options "
        "where they are for all.\n",
        out);
    for (size_t i = 0; i < view->units->count; i++) {
        const struct program_unit *unit = ARRAY_AT(struct program_unit, view->units, i);
        put_compilation(answer, unit, best->sets[i], out);
        fputs("-c ", out);
        put_word(out, unit->compilation.source);
        fputc('\n', out);
    }
}
