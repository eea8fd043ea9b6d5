#include "cli/scripts.h"

#include "cli/machines.h"
#include "machine/machine.h"
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

static const struct machine *give_machine(void *context, const char *name, enum isa isa, struct error *error)
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
                                 .machine = give_machine,
                                 .context = scripts,
                                 .choice = choice,
                                 .is_trusted = options_has(session->invocation, OPTION_TRUST),
                                 .must_end = must_end};
}

void scripts_end(struct scripts *scripts)
{
    for (size_t i = 0; i < scripts->machines.count; i++)
        machine_free(*ARRAY_AT(struct machine *, &scripts->machines, i));
    array_free(&scripts->machines);
    if (scripts->loaded) {
        model_free(scripts->loaded);
        free(scripts->loaded);
    }
}
