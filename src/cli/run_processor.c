/* Which machine the cycles of a recording are predicted for.

   A recording from here is predicted for this computer, as always.  One from elsewhere says which processor it was made
   on, if whoever wrote it had this from the kernel: where a machine file has it, that machine is taken.  Else it is the
   usual one, and the answer says so. */
#include "cli/folders.h"
#include "cli/run.h"
#include "code/machine/host.h"
#include "code/machine/machine.h"
#include "model/isa.h"
#include "run/launch/processor.h"

#include <stdlib.h>

bool run_was_here(struct model *model)
{
    return model->runs.count > 1 && model_sampled_run(model, 1)->processor == launch_processor(model);
}

/* All programs run on such a processor. */
static bool runs_all(const struct model *model, enum isa isa)
{
    for (uint32_t id = 1; id < model->programs.count; id++)
        if (isa_facts((enum isa)model_program(model, id)->isa)->machine != isa)
            return false;
    return true;
}

char *run_foreign_machine(struct model *model, const struct sample_recording *recording)
{
    struct machine_identity identity;
    char *name = NULL;
    if (!recording->processor_id || !host_identity_of(recording->processor_id, &identity) ||
        !runs_all(model, identity.isa))
        return NULL;
    struct array folders = folders_find("ASSAY_MACHINES", "machines");
    const char *const *places = (const char *const *)folders.data;
    struct array names = machine_names_of(&identity, places, folders.count);
    if (names.count) {
        const char *first = *ARRAY_AT(char *, &names, 0);
        struct error ignored = {0};
        struct machine *machine = machine_load(first, places, folders.count, &ignored);
        name = machine ? memory_format("%s", first) : NULL;
        if (machine && machine->title && model->runs.count > 1)
            model_sampled_run(model, 1)->processor = model_string(model, machine->title);
        machine_free(machine);
    }
    machine_names_free(&names);
    folders_free(&folders);
    return name;
}
