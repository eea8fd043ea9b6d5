/* assay check: assertions in comments and files of rules, against the loops of a program.

   Rules are read first, because queries need all tables of a database.  Then the program, the comments in its
   sources, and the loops that these are about; these loops are analysed on the usual machine and on each
   machine that is named. */
#include "base/output.h"
#include "base/progress.h"
#include "code/check/check.h"
#include "cli/check_baseline.h"
#include "base/clock.h"
#include "cli/commands.h"
#include "cli/foreign.h"
#include "cli/innermost.h"
#include "cli/machines.h"
#include "cli/repository.h"
#include "cli/say.h"
#include "code/quality/quality.h"
#include "show/report/check/check.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct work {
    struct session session;
    struct innermost innermost;
    struct check check;
    struct check_view view;
    char *root;
    double allowed; /* of --allow */
    struct check_baseline baseline;
};

/* Tables of a database that analyses in C need. */
static const char *const tables[] = {
    "programs",  "units",     "files",         "sections",     "functions",     "blocks",      "loops",
    "calls",     "registers", "edges",         "loop_blocks",  "paths",         "path_blocks", "code",
    "encodings", "operands",  "register_uses", "source_lines", "inlined_calls", "bundles",     NULL};

static bool take_options(struct work *work, const struct invocation *invocation, struct error *error)
{
    const char *text = options_value(invocation, OPTION_ALLOW);
    char *end = NULL;
    double percent = text ? strtod(text, &end) : 5;
    if (text && (end == text || (*end && !(end[0] == '%' && !end[1])) || !(percent >= 0) || percent > 1000))
        return error_set(error, NULL, "--allow takes a percentage such as 3, not '%s'", text);
    if (text && !options_has(invocation, OPTION_BASELINE))
        return error_set(error, NULL, "--allow needs --baseline: the build to compare with");
    if (options_has(invocation, OPTION_ANNOTATIONS) && work->session.style.format != report_TABLE)
        return error_set(error, NULL, "choose one of --annotations, --json and --csv");
    work->allowed = percent / 100;
    work->root = repository_root(invocation, error);
    return work->root;
}

/* All tables, for queries on a database; the array is to be freed. */
static const char **all_tables(void)
{
    const char **names = memory_get((table_count + 1) * sizeof *names);
    for (unsigned i = 0; i < table_count; i++)
        names[i] = table_descriptions[i].name;
    return names;
}

static bool read_program(struct work *work, const struct invocation *invocation, struct error *error)
{
    const char *path = options_operand(invocation, 0);
    const char **all = check_has_queries(&work->check) ? all_tables() : NULL;
    bool done = session_read(&work->session, &path, 1, all ? all : tables, error);
    free(all);
    if (!done)
        return false;
    struct model *model = work->session.model;
    for (uint32_t id = 1; id < model->programs.count && store_is_database(path); id++)
        model_program(model, id)->has_flow = 0;
    check_read_sources(&work->check, model, work->session.trust, path, work->root);
    return true;
}

static bool read_rules(struct work *work, const struct invocation *invocation, struct error *error)
{
    for (unsigned i = 1; options_operand(invocation, i); i++)
        if (!check_read_rules(&work->check, options_operand(invocation, i), error))
            return false;
    return true;
}

/* Whether all of it could be read, and there is something to check. */
static bool is_readable(struct work *work, const struct invocation *invocation, struct error *error)
{
    const struct check *check = &work->check;
    const char *path = options_operand(invocation, 0);
    for (size_t i = 0; i < check->problems.count; i++)
        say("%s", *ARRAY_AT(char *, &check->problems, i));
    if (check->problems.count)
        return error_set(error, NULL, "%zu assertion%s cannot be read: nothing was checked",
                         check->problems.count, check->problems.count > 1 ? "s" : "");
    if (check->demands.count || options_has(invocation, OPTION_BASELINE))
        return true;
    if (!check->sources.count && !check->missing.count)
        return error_set(error, path,
                         "has no line table to find comments by: compile with -g, or give a file of rules");
    return error_set(error, path,
                     "nothing to check: no comment `assay: …` in the %u source%s that could be read%s",
                     check->read_count, check->read_count == 1 ? "" : "s",
                     check->missing.count ? "; others could not (--root, --trust)" : "");
}

static void analyse(struct work *work, const struct machine *const *machines, const char *name,
                    const struct array *loops)
{
    struct quality_options options = {.threads = session_threads(work->session.invocation)};
    for (unsigned isa = 0; isa < isa_COUNT; isa++)
        options.machines.of[isa] = machines[isa];
    quality_build(work->session.model, &options, loops);
    progress_clear();
    check_judge(&work->check, machines, name);
}

/* Demands without `on`. */
static bool judge_usual(struct work *work, struct error *error)
{
    struct array loops = check_loops(&work->check, NULL, NULL);
    for (size_t i = 0; i < loops.count; i++)
        *(int64_t *)array_push(&work->innermost.loops) = *ARRAY_AT(uint32_t, &loops, i);
    bool done = innermost_take_machines(&work->innermost, error);
    if (done && loops.count)
        analyse(work, (const struct machine *const *)work->innermost.machines, NULL, &loops);
    array_free(&loops);
    return done;
}

static bool judge_named(struct work *work, const char *name, struct error *error)
{
    bool is_host;
    struct machine *machine = machines_take(name, isa_NONE, &is_host, error);
    if (!machine)
        return false;
    const struct machine *machines[isa_COUNT] = {NULL};
    machines[machine->isa] = machine;
    struct array loops = check_loops(&work->check, machines, name);
    analyse(work, machines, name, &loops);
    array_free(&loops);
    machine_free(machine);
    return true;
}

/* Tables that queries read are computed now; what finding these out takes is taken from their time. */
static bool supply_queries(struct work *work, unsigned *seconds, struct error *error)
{
    double begun = clock_monotonic_seconds();
    for (size_t i = 0; i < work->check.demands.count; i++) {
        const struct check_demand *rule = check_demand_at(&work->check, i);
        struct store_choice none = {0};
        struct error inner = {0};
        double left = *seconds - (clock_monotonic_seconds() - begun);
        if (rule->origin != check_QUERY)
            continue;
        if (foreign_supply(&work->session, rule->sql, &none, left > 1 ? (unsigned)left : 1, &inner))
            continue;
        autofree char *where = memory_format("%s:%u: rule '%s'", rule->file, rule->line, rule->subject);
        error_set(error, where, "%s", inner.text);
        return false;
    }
    return true;
}

static bool judge(struct work *work, struct error *error)
{
    check_match(&work->check);
    if (!judge_usual(work, error))
        return false;
    struct array names = check_machine_names(&work->check);
    bool done = true;
    for (size_t i = 0; i < names.count && done; i++)
        done = judge_named(work, *ARRAY_AT(const char *, &names, i), error);
    array_free(&names);
    const char *baseline = options_value(work->session.invocation, OPTION_BASELINE);
    if (done && baseline)
        done = check_baseline_compare(&work->baseline, &work->check, &work->session, baseline, work->allowed,
                                      error);
    if (done && check_has_queries(&work->check)) {
        done = session_answer(&work->session, error);
        session_release_interrupts(); /* Ctrl-C ends this process, and with it the one that asks */
        unsigned seconds;
        done = done && session_sql_seconds(&seconds, error) && supply_queries(work, &seconds, error) &&
               check_ask(&work->check, work->session.store, seconds, error);
    }
    check_conclude(&work->check);
    return done;
}

static bool write_file(const struct work *work, const char *path,
                       void (*report)(const struct check_view *view, FILE *out), struct error *error)
{
    if (!path)
        return true;
    struct output *output = output_open(path, error);
    if (!output)
        return false;
    report(&work->view, output_stream(output));
    return output_finish(output, error);
}

static bool print(struct work *work, const struct invocation *invocation, struct error *error)
{
    struct session *session = &work->session;
    work->view = (struct check_view){.check = &work->check,
                                     .program = options_operand(invocation, 0),
                                     .root = work->root,
                                     .version = ASSAY_VERSION,
                                     .demangle = session->style.demangle,
                                     .has_passed = options_has(invocation, OPTION_PASSED)};
    if (options_has(invocation, OPTION_ANNOTATIONS)) {
        report_check_annotations(&work->view, session->out);
    } else if (session->style.format != report_TABLE) {
        report_check_rows(&work->view, &session->style, session->out);
    } else {
        innermost_print_machines(&work->innermost);
        report_check_text(&work->view, &session->style, session->out);
    }
    return write_file(work, options_value(invocation, OPTION_JUNIT), report_check_junit, error) &&
           write_file(work, options_value(invocation, OPTION_SARIF), report_check_sarif, error);
}

static int check(struct work *work, const struct invocation *invocation, struct error *error)
{
    if (!take_options(work, invocation, error) || !read_rules(work, invocation, error) ||
        !read_program(work, invocation, error) || !is_readable(work, invocation, error) ||
        !judge(work, error) || !print(work, invocation, error))
        return 2;
    return check_failures(&work->check) ? 1 : 0;
}

int command_check(const struct invocation *invocation, struct error *error)
{
    struct work work = {.root = NULL};
    work.innermost = (struct innermost){.session = &work.session, .loops = ARRAY_OF(int64_t)};
    check_begin(&work.check);
    for (size_t i = 0; options_operand(invocation, i); i++)
        output_spare(options_operand(invocation, i));
    if (options_has(invocation, OPTION_BASELINE))
        output_spare(options_value(invocation, OPTION_BASELINE));
    int code = session_begin(&work.session, invocation, error) ? check(&work, invocation, error) : 2;
    check_end(&work.check);
    check_baseline_free(&work.baseline);
    innermost_free(&work.innermost);
    free(work.root);
    return session_end(&work.session, code, error);
}
