#include "cli/scripts.h"

#include "base/progress.h"
#include "cli/folders.h"
#include "cli/machines.h"
#include "code/machine/machine.h"
#include "store/load.h"

#include <stdlib.h>
#include <string.h>

static bool must_end(void *context)
{
    (void)context;
    return session_was_interrupted();
}

static const struct model *give_model(void *context, struct error *error)
{
    static const char *const tables[] = {"programs",      "functions", "blocks",      "loops",
                                         "registers",     "edges",     "loop_blocks", "paths",
                                         "path_blocks",   "code",      "encodings",   "operands",
                                         "register_uses", "bundles",   NULL};
    struct scripts *scripts = context;
    if (scripts->session->model)
        return scripts->session->model;
    if (scripts->loaded)
        return scripts->loaded;
    struct model *model = memory_get(sizeof *model);
    model_init(model);
    if (store_load(scripts->session->store, model, tables, error))
        return scripts->loaded = model;
    model_free(model);
    free(model);
    return NULL;
}

const struct machine *scripts_machine(void *context, const char *name, enum isa isa, struct error *error)
{
    struct scripts *scripts = context;
    const char *wanted = name ? name : scripts->usual;
    for (size_t i = 0; i < scripts->machines.count; i++) {
        const struct machine *machine = *ARRAY_AT(struct machine *, &scripts->machines, i);
        bool is_named = wanted && (!strcmp(machine->name, wanted) || !strcmp(machine->base_name, wanted));
        if (wanted ? is_named && (!isa || machine_runs(machine, isa)) : isa && machine->isa == isa)
            return machine;
    }
    bool is_host;
    struct machine *machine = machines_take(wanted, isa, &is_host, error);
    if (machine)
        *(struct machine **)array_add(&scripts->machines) = machine;
    return machine;
}

void scripts_begin(struct scripts *scripts, struct session *session, struct printing *printing,
                   const struct store_choice *choice, struct script_host *host)
{
    *scripts = (struct scripts){.session = session,
                                .machines = ARRAY_OF(struct machine *),
                                .usual = options_value(session->invocation, OPTION_MACHINE)};
    *host = (struct script_host){.store = session->store,
                                 .output = session->out,
                                 .show = printing_rows,
                                 .show_context = printing,
                                 .model = give_model,
                                 .machine = scripts_machine,
                                 .report = scripts_report,
                                 .context = scripts,
                                 .choice = choice,
                                 .is_trusted = options_has(session->invocation, OPTION_TRUST),
                                 .must_end = must_end};
}

static void free_model(struct model *model)
{
    if (model)
        model_free(model);
    free(model);
}

void scripts_end(struct scripts *scripts)
{
    for (size_t i = 0; i < scripts->machines.count; i++)
        machine_free(*ARRAY_AT(struct machine *, &scripts->machines, i));
    array_free(&scripts->machines);
    free_model(scripts->loaded);
    free_model(scripts->reported);
}

struct array scripts_find(void)
{
    struct array folders = folders_find("ASSAY_ANALYSES", "analyses"), list = ARRAY_OF(struct analysis);
    analyses_find(&list, folders.data, folders.count);
    folders_free(&folders);
    return list;
}

void scripts_judge(const struct session *session, const struct loop_machines *machines)
{
    struct array list = scripts_find(), failures = ARRAY_OF(char *);
    script_judge(&(struct script_judging){.model = session->model, .machines = machines, .analyses = &list},
                 &failures);
    progress_clear();
    for (size_t i = 0; i < failures.count; i++) {
        autofree char *text = *ARRAY_AT(char *, &failures, i);
        session_say(session, "%s", text);
    }
    array_free(&failures);
    analyses_free(&list);
}
