/* assay lua: a script over the tables of a program. */
#include "base/built.h"
#include "cli/choose.h"
#include "cli/commands.h"
#include "cli/foreign.h"
#include "cli/scripts.h"

#include <stdlib.h>
#include <string.h>

struct limits {
    int64_t steps, memory;
};

static bool take_limits(const struct invocation *invocation, struct limits *limits, struct error *error)
{
    if (!options_number(invocation, OPTION_STEPS, 0, &limits->steps, error) ||
        !options_number(invocation, OPTION_MEMORY_LIMIT, 0, &limits->memory, error))
        return false;
    if (limits->memory > 1 << 20)
        return error_set(error, NULL, "--memory-limit takes megabytes, at most %d", 1 << 20);
    if (limits->steps > INT64_MAX / 1000000)
        return error_set(error, NULL, "--steps takes millions of steps, at most %lld",
                         (long long)(INT64_MAX / 1000000));
    return true;
}

/* The program to look at; none: an empty model, for scripts about machines. */
static bool open_program(struct session *session, const struct invocation *invocation, const char *path,
                         struct error *error)
{
    if (path)
        return session_open(session, invocation, path, error);
    if (!session_begin(session, invocation, error))
        return false;
    session->model = memory_get(sizeof *session->model);
    model_init(session->model);
    return session_answer(session, error);
}

static bool set_parameters(struct script *script, const struct invocation *invocation, struct error *error)
{
    for (size_t i = 0; i < invocation->given.count; i++) {
        const struct given *given = ARRAY_AT(struct given, &invocation->given, i);
        const char *equals = given->id == OPTION_SET ? strchr(given->value, '=') : NULL;
        if (given->id != OPTION_SET)
            continue;
        if (!equals || equals == given->value)
            return error_set(error, NULL, "--set needs NAME=VALUE, not '%s'", given->value);
        autofree char *name = memory_copy_text(given->value, (size_t)(equals - given->value));
        script_set(script, name, equals + 1);
    }
    return true;
}

struct running {
    struct session *session;
    struct script_host *host;
    struct printing *printing;
    const char *name, *text; /* of the script */
};

static bool run_script(void *context, struct error *error)
{
    const struct running *running = context;
    running->host->output = running->session->out;
    struct script *script = script_open(running->host, error);
    bool done = script && set_parameters(script, running->session->invocation, error) &&
                script_run_text(script, running->name, running->text, strlen(running->text), error);
    sqlite3_stmt *rows = done ? script_rows(script, error) : NULL;
    done = done && !error->set && (!rows || printing_rows(running->printing, rows, error));
    fflush(running->session->out);
    script_close(script);
    return done;
}

/* A script that the user trusts may do what other programs do, which a process apart cannot. */
static bool run_where_it_may(struct running *running, struct error *error)
{
    if (running->host->is_trusted)
        return run_script(running, error);
    return foreign_run(
        &(struct foreign){
            .session = running->session, .work = run_script, .context = running, .what = "the script"},
        error);
}

int command_lua(const struct invocation *invocation, struct error *error)
{
    const char *code = options_value(invocation, OPTION_EXECUTE);
    size_t first = code ? 0 : 1, given = invocation->before;
    if (given < first || given > first + 1) {
        error_set(error, NULL,
                  given < first ? "which script? assay lua SCRIPT [FILE], or --execute CODE"
                                : "one FILE at most; words for the script stand after --");
        return 2;
    }
    const char *path = given > first ? options_operand(invocation, first) : NULL;
    struct array words = ARRAY_OF(const char *);
    for (size_t i = given; options_operand(invocation, i); i++)
        *(const char **)array_push(&words) = options_operand(invocation, i);
    *(const char **)array_push(&words) = NULL;
    struct session session = {0};
    struct printing printing = {.session = &session};
    struct store_choice choice = {0};
    struct limits limits;
    int code_of_exit = 2;
    char *text = NULL;
    if (feature_needed(feature_LUA, error) &&
        (code || (text = script_read(options_operand(invocation, 0), error))) &&
        open_program(&session, invocation, path, error) && take_limits(invocation, &limits, error)) {
        enum choice found = choose_macros(session.connection, invocation, &choice, error);
        struct scripts scripts;
        struct script_host host;
        scripts_begin(&scripts, &session, &printing, &choice, &host);
        host.arguments = words.data;
        host.steps = (uint64_t)limits.steps * 1000000;
        host.memory = (size_t)limits.memory << 20;
        if (found > choice_FOUND)
            code_of_exit = choice_exit(found);
        else if (run_where_it_may(
                     &(struct running){.session = &session,
                                       .host = &host,
                                       .printing = &printing,
                                       .name = code ? "--execute" : options_operand(invocation, 0),
                                       .text = code ? code : text},
                     error))
            code_of_exit = 0;
        scripts_end(&scripts);
    }
    array_free(&words);
    free(text);
    return session_end(&session, code_of_exit, error);
}
