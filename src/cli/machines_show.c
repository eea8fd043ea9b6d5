/* assay machines lists the known processors; assay machines show NAME shows one in full. */
#include "cli/commands.h"
#include "cli/folders.h"
#include "cli/machines.h"
#include "cli/session.h"
#include "code/machine/write.h"
#include "show/report/machine.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

/* Returns the exit code: 1 if a file cannot be read. */
static int list_machines(const struct session *session)
{
    struct array directories = folders_find("ASSAY_MACHINES", "machines");
    const char *const *folders = (const char *const *)directories.data;
    struct array names = machine_names(folders, directories.count);
    autofree struct machine_line *lines = memory_get((names.count + 1) * sizeof *lines);
    autofree struct error *errors = memory_get((names.count + 1) * sizeof *errors);
    struct machine *host = machines_host(&directories);
    int code = 0;
    for (size_t i = 0; i < names.count; i++) {
        lines[i].name = *ARRAY_AT(char *, &names, i);
        lines[i].machine = machine_load(lines[i].name, folders, directories.count, &errors[i]);
        lines[i].problem = lines[i].machine ? NULL : errors[i].text;
        code = lines[i].machine ? code : 1;
        lines[i].host = lines[i].machine && host && !strcmp(host->base_name, lines[i].name) ? host : NULL;
    }
    report_machines(lines, names.count, &session->style, session->out);
    for (size_t i = 0; i < names.count; i++)
        machine_free((struct machine *)lines[i].machine);
    machine_free(host);
    machine_names_free(&names);
    folders_free(&directories);
    return code;
}

static bool matches(void *context, const char *form)
{
    return !regexec(context, form, 0, NULL, 0);
}

static int show_machine(const struct session *session, const struct invocation *invocation, const char *name,
                        struct error *error)
{
    const char *wanted = options_value(invocation, OPTION_FORM);
    struct array directories = folders_find("ASSAY_MACHINES", "machines");
    regex_t expression;
    bool ignored;
    int problem = wanted ? regcomp(&expression, wanted, REG_EXTENDED | REG_NOSUB) : 0;
    struct machine *machine = NULL;
    if (problem) {
        char why[100];
        regerror(problem, &expression, why, sizeof why);
        error_set(error, NULL, "--form '%s' is not a valid regular expression: %s", wanted, why);
    } else {
        machine = machines_take(name, isa_NONE, &ignored, error);
    }
    if (machine) {
        struct machine *host = machines_host(&directories);
        struct machine_view view = {.machine = machine,
                                    .host = host,
                                    .without_core = wanted,
                                    .filter = wanted ? matches : NULL,
                                    .context = &expression};
        if (options_has(invocation, OPTION_AS_FILE))
            machine_write(machine, session->out);
        else
            report_machine(&view, &session->style, session->out);
        machine_free(host);
    }
    if (wanted && !problem)
        regfree(&expression);
    folders_free(&directories);
    bool done = machine;
    machine_free(machine);
    return done ? 0 : 2;
}

static int run(const struct session *session, const struct invocation *invocation, struct error *error)
{
    const char *word = options_operand(invocation, 0), *name = options_operand(invocation, 1);
    if (word && strcmp(word, "show")) {
        error_set(error, NULL, "machines takes no operand or show NAME, not '%s'", word);
    } else if (word && !name) {
        error_set(error, NULL, "machines show needs the name of a machine (assay machines lists them)");
    } else if (!word && options_has(invocation, OPTION_FORM)) {
        error_set(error, NULL, "--form needs one machine: assay machines show NAME --form REGEX");
    } else if (!word && options_has(invocation, OPTION_AS_FILE)) {
        error_set(error, NULL, "--as-file needs one machine: assay machines show NAME --as-file");
    } else if (options_has(invocation, OPTION_AS_FILE) &&
               (options_has(invocation, OPTION_FORM) || session->style.format != report_TABLE)) {
        error_set(error, NULL,
                  "--as-file prints the whole machine as a machine file, so it cannot be combined with "
                  "--form, --json or --csv");
    } else if (word) {
        return show_machine(session, invocation, name, error);
    } else {
        return list_machines(session);
    }
    return 2;
}

int command_machines(const struct invocation *invocation, struct error *error)
{
    struct session session;
    int code = 2;
    if (session_begin(&session, invocation, error))
        code = run(&session, invocation, error);
    return session_end(&session, code, error);
}
