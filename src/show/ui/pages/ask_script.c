/* The text comes from the browser: it runs in the sandbox, with the memory of a page and until the question
   has to end. Its model, for cycles, is read when the script first asks for it, by queries that the same
   limits end. */
#include "show/ui/pages/ask_script.h"

#include "code/machine/host.h"
#include "code/machine/machine.h"
#include "script/script.h"
#include "store/load.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_MEMORY = 256 << 20, MOST_MACHINES = 64 };

struct asking_script {
    const struct ui_request *request;
    bool (*must_end)(void *context);
    void *context;
    struct model *model;   /* NULL: not read yet */
    struct array machines; /* of struct machine * */
};

static bool must_end(void *context)
{
    const struct asking_script *asked = context;
    return asked->must_end(asked->context);
}

static const struct model *give_model(void *context, struct error *error)
{
    static const char *const tables[] = {"programs",  "functions", "blocks",        "loops",   "registers",
                                         "edges",     "paths",     "loop_blocks",   "code",    "path_blocks",
                                         "encodings", "operands",  "register_uses", "bundles", NULL};
    struct asking_script *asked = context;
    if (asked->model)
        return asked->model;
    struct model *model = memory_get(sizeof *model);
    model_init(model);
    if (store_load(asked->request->store, model, tables, error))
        return asked->model = model;
    model_free(model);
    free(model);
    return NULL;
}

static const struct machine *give_machine(void *context, const char *name, enum isa isa, struct error *error)
{
    struct asking_script *asked = context;
    const struct array *folders = asked->request->options->machine_folders;
    const char *wanted = name ? name : asked->request->options->machine;
    for (size_t i = 0; i < asked->machines.count; i++) {
        const struct machine *machine = *ARRAY_AT(struct machine *, &asked->machines, i);
        if (wanted ? !strcmp(machine->name, wanted) || !strcmp(machine->base_name, wanted)
                   : !isa || machine_runs(machine, isa))
            return machine;
    }
    if (asked->machines.count == MOST_MACHINES) {
        error_set(error, NULL, "at most %d machines in one script", MOST_MACHINES);
        return NULL;
    }
    struct machine_identity host = machine_host();
    bool is_host;
    const char *const *places = folders->data;
    struct machine *machine =
        wanted ? machine_load(wanted, places, folders->count, error)
               : machine_load_usual(isa ? isa : host.isa, &host, places, folders->count, &is_host, error);
    if (machine)
        *(struct machine **)array_push(&asked->machines) = machine;
    return machine;
}

bool ask_script(const struct ui_request *request, const struct analysis *analysis,
                const struct store_choice *choice, const struct array *values, store_print *print,
                void *context, bool (*to_end)(void *context), struct error *error)
{
    struct asking_script asked = {
        .request = request, .must_end = to_end, .context = context, .machines = ARRAY_OF(struct machine *)};
    struct script_host host = {.store = request->store,
                               .model = give_model,
                               .machine = give_machine,
                               .context = &asked,
                               .choice = choice,
                               .memory = MOST_MEMORY,
                               .must_end = must_end};
    bool done = script_analysis(&host, analysis, values->data, values->count, print, context, error);
    for (size_t i = 0; i < asked.machines.count; i++)
        machine_free(*ARRAY_AT(struct machine *, &asked.machines, i));
    array_free(&asked.machines);
    if (asked.model)
        model_free(asked.model);
    free(asked.model);
    return done;
}
