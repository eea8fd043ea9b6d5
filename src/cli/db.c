/* assay db: turns files into one database. */
#include "cli/commands.h"
#include "cli/cycles.h"
#include "cli/database_file.h"
#include "base/output.h"
#include "base/path.h"
#include "base/text.h"
#include "cli/report.h"
#include "model/tables.h"
#include "show/report/common/rows.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool refuse_databases(const struct invocation *invocation, struct error *error)
{
    for (size_t i = 0; i < invocation->operands.count; i++)
        if (store_is_database(options_operand(invocation, i)))
            return error_set(error, options_operand(invocation, i), "is already a database; give the binary");
    return true;
}

static const struct {
    const char *word;
    size_t table; /* offset in struct model */
} counted[] = {
    {"programs", offsetof(struct model, programs)}, {"functions", offsetof(struct model, functions)},
    {"blocks", offsetof(struct model, blocks)},     {"loops", offsetof(struct model, loops)},
    {"instructions", offsetof(struct model, code)},
};
enum { COUNTED = sizeof counted / sizeof counted[0] };

static size_t count_rows(const struct model *model, unsigned index)
{
    const struct array *rows = (const struct array *)((const char *)model + counted[index].table);
    return rows->count ? rows->count - 1 : 0;
}

static void count_problems(const struct model *model, uint64_t *counts)
{
    for (uint32_t id = 1; id < model->problems.count; id++) {
        const struct problem *problem = model_problem(model, id);
        if (problem->kind < problem_kind_COUNT)
            counts[problem->kind] += problem->count;
    }
}

static void print_summary(const struct session *session, const struct model *model, const char *path)
{
    uint64_t problems[problem_kind_COUNT] = {0};
    struct stat facts = {0};
    count_problems(model, problems);
    stat(path, &facts);
    text_print_safe(path, strlen(path), session->out);
    putc(':', session->out);
    for (unsigned i = 0; i < COUNTED; i++) {
        size_t count = count_rows(model, i);
        fprintf(session->out, "%s %zu %.*s", i ? "," : "", count, (int)strlen(counted[i].word) - (count == 1),
                counted[i].word);
    }
    fprintf(session->out, ", %.1f MB", (double)facts.st_size / 1e6);
    for (uint32_t id = 1; id < model->processors.count; id++)
        fprintf(session->out, "%s%s",
                id > 1                     ? ", "
                : model->loop_cycles.count ? "; cycles for "
                                           : "; bounds for ",
                model_text(model, model_processor(model, id)->name));
    const char *joint = "; gaps: ";
    for (unsigned kind = 0; kind < problem_kind_COUNT; kind++) {
        if (!problems[kind])
            continue;
        fprintf(session->out, "%s%s %llu", joint, problem_kind_word(kind),
                (unsigned long long)problems[kind]);
        joint = ", ";
    }
    putc('\n', session->out);
}

static void print_json_summary(const struct session *session, const struct model *model, const char *path)
{
    uint64_t problems[problem_kind_COUNT] = {0};
    struct stat facts = {0};
    count_problems(model, problems);
    stat(path, &facts);
    fputs("{\"database\":", session->out);
    report_json_text(session->out, path, strlen(path));
    fprintf(session->out, ",\"bytes\":%lld", (long long)facts.st_size);
    for (unsigned i = 0; i < COUNTED; i++)
        fprintf(session->out, ",\"%s\":%zu", counted[i].word, count_rows(model, i));
    fputs(",\"problems\":{", session->out);
    bool is_first = true;
    for (unsigned kind = 0; kind < problem_kind_COUNT; kind++) {
        if (!problems[kind])
            continue;
        fprintf(session->out, "%s\"%s\":%llu", is_first ? "" : ",", problem_kind_word(kind),
                (unsigned long long)problems[kind]);
        is_first = false;
    }
    fputs("}}\n", session->out);
}

static void print_csv_summary(const struct session *session, const struct model *model, const char *path)
{
    struct stat facts = {0};
    uint64_t problems[problem_kind_COUNT] = {0};
    count_problems(model, problems);
    stat(path, &facts);
    fputs("count,what\r\n", session->out);
    fprintf(session->out, "%lld,bytes\r\n", (long long)facts.st_size);
    for (unsigned i = 0; i < COUNTED; i++)
        fprintf(session->out, "%zu,%s\r\n", count_rows(model, i), counted[i].word);
    for (unsigned kind = 0; kind < problem_kind_COUNT; kind++)
        if (problems[kind])
            fprintf(session->out, "%llu,problem: %s\r\n", (unsigned long long)problems[kind],
                    problem_kind_word(kind));
}

static bool are_all_listings(const struct model *model)
{
    for (uint32_t id = 1; id < model->programs.count; id++)
        if (model_program(model, id)->format != format_LISTING)
            return false;
    return true;
}

static int build_and_write(struct session *session, const struct invocation *invocation, const char *path,
                           struct error *error)
{
    if (!session_read(session, invocation->operands.data, invocation->operands.count, NULL, error))
        return 2;
    struct model *model = session->model;
    if (options_has(invocation, OPTION_FLOW) || are_all_listings(model))
        session_follow(session, error);
    bool is_done = options_has(invocation, OPTION_REPORT)
                       ? report_store(session, error)
                       : !options_has(invocation, OPTION_CYCLES) || cycles_store(session, error);
    if (!is_done || !store_write(model, path, session_threads(invocation), error))
        return 2;
    if (session->style.format == report_JSON)
        print_json_summary(session, model, path);
    else if (session->style.format == report_CSV)
        print_csv_summary(session, model, path);
    else if (!session->is_quiet)
        print_summary(session, model, path);
    return 0;
}

/* --output names the database, so the session must not open it as a text file. */
int command_db(const struct invocation *invocation, struct error *error)
{
    const char *wanted = options_value(invocation, OPTION_OUTPUT);
    autofree char *path = wanted ? memory_format("%s", wanted)
                                 : memory_format("%s.db", path_name(options_operand(invocation, 0)));
    struct invocation rest = database_without_output(invocation);
    struct session session = {0};
    int code = 2;
    for (size_t i = 0; i < invocation->operands.count; i++)
        output_spare(options_operand(invocation, i));
    if (options_has(invocation, OPTION_MACHINE) && !options_has(invocation, OPTION_CYCLES) &&
        !options_has(invocation, OPTION_REPORT))
        error_set(error, NULL, "--machine needs --cycles or --report");
    else if (session_begin(&session, &rest, error) &&
             database_may_write(path, options_has(invocation, OPTION_FORCE), error) &&
             refuse_databases(invocation, error))
        code = build_and_write(&session, invocation, path, error);
    code = session_end(&session, code, error);
    array_free(&rest.given);
    return code;
}
