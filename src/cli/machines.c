#include "cli/machines.h"

#include "cli/folders.h"
#include "code/cost/macs/macs.h"
#include "code/machine/host.h"
#include "model/isa.h"
#include "model/tables.h"
#include "show/report/machine.h"

#include <math.h>
#include <stdlib.h>

struct machine *machines_take(const char *name, enum isa isa, bool *is_host, struct error *error)
{
    struct array directories = folders_find("ASSAY_MACHINES", "machines");
    const char *const *folders = (const char *const *)directories.data;
    struct machine_identity host = machine_host();
    *is_host = false;
    if (!isa && !name)
        isa = host.isa ? host.isa : isa_X86_64;
    struct machine *machine =
        name ? machine_load(name, folders, directories.count, error)
             : machine_load_usual(isa, &host, folders, directories.count, is_host, error);
    folders_free(&directories);
    if (!machine || !isa || machine_runs(machine, isa))
        return machine;
    error_set(error, NULL, "%s does not run %s code; choose another machine", machine->name, isa_word(isa));
    machine_free(machine);
    return NULL;
}

struct machine *machines_host(const struct array *directories)
{
    struct machine_identity host = machine_host();
    struct error ignored = {0};
    bool is_host = false;
    struct machine *machine = machine_load_usual(host.isa, &host, (const char *const *)directories->data,
                                                 directories->count, &is_host, &ignored);
    if (is_host && machine->host.fit != host_fit_NEAREST) /* a relative's name is not its own */
        return machine;
    machine_free(machine);
    return NULL;
}

bool machines_know_name(const struct invocation *invocation, struct error *error)
{
    const char *name = options_value(invocation, OPTION_MACHINE);
    bool is_host;
    struct machine *machine = name ? machines_take(name, isa_NONE, &is_host, error) : NULL;
    machine_free(machine);
    return !name || machine;
}

void machines_name_processors(struct model *model)
{
    struct array directories = folders_find("ASSAY_MACHINES", "machines");
    bool is_foreign = false; /* no Assay runs there: the recording came from elsewhere */
    for (uint32_t id = 1; id < model->programs.count; id++)
        is_foreign |= model_program(model, id)->isa == isa_IA64;
    struct machine *host = is_foreign ? NULL : machines_host(&directories);
    for (uint32_t id = 1; host && host->title && id < model->probe_runs.count; id++)
        model_probe_run(model, id)->processor = model_string(model, host->title);
    for (uint32_t id = 1; host && host->title && id < model->runs.count; id++)
        model_sampled_run(model, id)->processor = model_string(model, host->title);
    for (uint32_t id = 1; host && host->title && id < model->denormal_runs.count; id++)
        model_denormal_run(model, id)->processor = model_string(model, host->title);
    machine_free(host);
    folders_free(&directories);
}

static char *words_of(const struct session *session, const struct machine *machine, bool is_host)
{
    return report_machine_words(machine, options_has(session->invocation, OPTION_MACHINE), is_host);
}

void machines_print(const struct session *session, const struct machine *machine, bool is_host)
{
    autofree char *words = words_of(session, machine, is_host);
    fprintf(session->out, "machine: %s\n", words);
}

void machines_say(const struct session *session, const struct machine *machine, bool is_host)
{
    if (options_has(session->invocation, OPTION_MACHINE))
        return;
    autofree char *words = words_of(session, machine, is_host);
    session_say(session, "machine: %s", words);
}

void machines_bound_listings(struct model *model, unsigned threads)
{
    static const enum isa isas[] = {isa_X86_64, isa_AARCH64, isa_IA64};
    for (unsigned i = 0; i < sizeof isas / sizeof isas[0]; i++) {
        uint32_t program = 0;
        for (uint32_t id = 1; id < model->programs.count && !program; id++) {
            const struct program *row = model_program(model, id);
            if (row->format == format_LISTING && isa_facts((enum isa)row->isa)->machine == isas[i])
                program = id;
        }
        if (!program)
            continue;
        struct error error = {0};
        bool is_host;
        struct macs_options options = {.only_listings = true, .threads = threads, .measured = NAN};
        struct machine *machine = machines_take(NULL, isas[i], &is_host, &error);
        if (!machine || !cost_macs(model, machine, &options, &error))
            model_note_problem(model, program, problem_kind_MACHINE, NO_ADDRESS, 1, error.text);
        machine_free(machine);
    }
}
