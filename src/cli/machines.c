/* Machine files are looked for in this order: the directories of ASSAY_MACHINES, the user's own
   (~/.config/assay/machines), the installed ones, which are found from where the program lies:
   ../share/assay/machines beside bin, or ../machines beside a build directory. */
#include "cli/machines.h"

#include "cost/macs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void add_directory(struct array *directories, char *path)
{
    *(char **)array_add(directories) = path;
}

static void add_installed(struct array *directories)
{
    char place[4096];
    ssize_t length = readlink("/proc/self/exe", place, sizeof place - 1);
    if (length <= 0)
        return;
    place[length] = 0;
    char *slash = strrchr(place, '/');
    if (!slash)
        return;
    *slash = 0;
    add_directory(directories, memory_format("%s/../share/assay/machines", place));
    add_directory(directories, memory_format("%s/../machines", place));
}

static struct array find_directories(void)
{
    struct array directories = ARRAY_OF(char *);
    const char *list = getenv("ASSAY_MACHINES"), *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    while (list && *list) {
        size_t length = strcspn(list, ":");
        if (length)
            add_directory(&directories, memory_copy_text(list, length));
        list += length + (list[length] == ':');
    }
    if (config && config[0])
        add_directory(&directories, memory_format("%s/assay/machines", config));
    else if (home && home[0])
        add_directory(&directories, memory_format("%s/.config/assay/machines", home));
    add_installed(&directories);
    return directories;
}

static void forget_directories(struct array *directories)
{
    for (size_t i = 0; i < directories->count; i++)
        free(*ARRAY_AT(char *, directories, i));
    array_free(directories);
}

struct machine *machines_take(const char *name, enum isa isa, bool *is_host, struct error *error)
{
    struct array directories = find_directories();
    struct machine *machine = NULL;
    char *usual = NULL;
    *is_host = false;
    if (!name)
        name = usual =
            machine_default(isa, (const char *const *)directories.data, directories.count, is_host);
    if (name)
        machine = machine_load(name, (const char *const *)directories.data, directories.count, error);
    else
        error_set(error, NULL, "no machine is known for this instruction set; name one with --machine");
    free(usual);
    forget_directories(&directories);
    return machine;
}

void machines_bound_listings(struct model *model, unsigned threads)
{
    static const enum isa isas[] = {isa_X86_64, isa_AARCH64, isa_IA64};
    for (unsigned i = 0; i < sizeof isas / sizeof isas[0]; i++) {
        uint32_t program = 0;
        for (uint32_t id = 1; id < model->programs.count && !program; id++) {
            const struct program *row = model_program(model, id);
            if (row->format == format_LISTING &&
                (row->isa == isas[i] || (isas[i] == isa_X86_64 && row->isa == isa_I386)))
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
