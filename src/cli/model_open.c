#include "cli/model_open.h"

#include "cli/folders.h"
#include "cli/foreign.h"
#include "cli/machines.h"
#include "run/launch/launch.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int by_name(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

/* The networks of some folders, in a row; to be freed. */
static char *names_in(const struct array *folders)
{
    struct array names = ARRAY_OF(char *);
    char *row = memory_format("%s", "");
    for (size_t i = 0; i < folders->count; i++) {
        DIR *folder = opendir(*ARRAY_AT(char *, folders, i));
        for (struct dirent *entry; folder && (entry = readdir(folder));)
            if (*entry->d_name != '.' && names.count < 50)
                *(char **)array_add(&names) = memory_copy_text(entry->d_name, strlen(entry->d_name));
        if (folder)
            closedir(folder);
    }
    if (names.count)
        qsort(names.data, names.count, sizeof(char *), by_name);
    for (size_t i = 0; i < names.count; i++) {
        char *name = *ARRAY_AT(char *, &names, i),
             *longer = memory_format("%s%s%s", row, i ? ", " : "", name);
        free(row);
        free(name);
        row = longer;
    }
    array_free(&names);
    return row;
}

/* A network by its path, or by its name in the folders of networks. */
static bool open_network(struct model_work *work, const char *name, struct error *error)
{
    char *path = NULL;
    struct array folders = folders_find("ASSAY_NETWORKS", "networks");
    for (size_t i = 0; !strchr(name, '/') && i < folders.count && !path; i++) {
        path = memory_format("%s/%s", *ARRAY_AT(char *, &folders, i), name);
        if (access(path, R_OK)) {
            free(path);
            path = NULL;
        }
    }
    char *known = !path && access(name, R_OK) ? names_in(&folders) : NULL;
    folders_free(&folders);
    if (known) {
        error_set(
            error, NULL,
            "there is no network %s: give the path of a file, or one of %s (assay model measure-network "
            "makes one)",
            name, known);
        free(known);
        return false;
    }
    trust_add_file(&work->trust, path ? path : name);
    work->has_network = network_read(path ? path : name, &work->network, error);
    free(path);
    return work->has_network;
}

static bool find_simulator(struct model_work *work, struct error *error)
{
    struct network *network = &work->network;
    if (!work->has_network || !network->platform)
        return true;
    if (!trust_allows(&work->trust, network->platform))
        return error_set(error, network->platform,
                         "is not read: it is not near the network file that names it (--trust reads it all "
                         "the same)");
    autofree char *runtime = folders_runtime(error);
    const char *by = getenv("ASSAY_FLOWS"); /* to compare: docs/events.md */
    network->asks_simulator = by && !strcmp(by, "simgrid");
    free(network->simulator);
    network->simulator = runtime ? launch_find_part(runtime, "simgrid", "assay-simulator") : NULL;
    return !error->set;
}

bool model_evaluate(struct model_work *work, int32_t ranks, struct evaluation *evaluation,
                    struct error *error)
{
    const struct invocation *invocation = work->session.invocation;
    const struct network *network = work->has_network ? &work->network : NULL;
    int64_t seed;
    if (!options_number(invocation, OPTION_SEED, 1, &seed, error))
        return false;
    if (!options_has(invocation, OPTION_EVENTS))
        return options_has(invocation, OPTION_SEED)
                   ? error_set(error, NULL, "--seed is for --events: formulas draw nothing")
                   : evaluate_usual(work->model, ranks, network, evaluation, error);
    return find_simulator(work, error) &&
           evaluate_events(work->model, ranks, network, (uint64_t)seed, evaluation, error);
}

static double message_seconds(void *context, enum language_message part, double bytes)
{
    const struct network *network = context;
    const struct network_region *region = network_region(network, distance_FAR, bytes);
    double left =
        region->is_rendezvous ? network_agreed(region, bytes, 0, 0) : network_left(region, bytes, 0);
    double receive = network_receive_busy(region, bytes);
    if (part == language_SEND)
        return region->is_rendezvous ? left : network_send_busy(region, bytes);
    if (part == language_RECEIVE)
        return receive;
    return network_arrival(region, bytes, left) + receive;
}

static bool find_world(struct model_work *work, struct error *error)
{
    const char *network = options_value(work->session.invocation, OPTION_NETWORK);
    const char *machine = options_value(work->session.invocation, OPTION_MACHINE);
    network = network ? network : language_network(work->model);
    if (network && !open_network(work, network, error))
        return false;
    if (!network && language_communicates(work->model))
        return error_set(error, NULL,
                         "this model sends messages: say over which network by --network NAME (networks/ has "
                         "some; docs/networks.md)");
    if (machine && !(work->machine = machines_take(machine, isa_NONE, &work->is_host, error)))
        return false;
    if (!model_find_loops(work, error))
        return false;
    double clock = work->machine && work->machine->core.clock > 0 ? work->machine->core.clock * 1e9 : 0;
    struct language_world world = {
        .context = &work->network, .message = work->has_network ? message_seconds : NULL, .clock = clock};
    language_use(work->model, &world);
    return true;
}

bool model_open(struct model_work *work, const struct invocation *invocation, struct error *error)
{
    *work = (struct model_work){.session.invocation = invocation};
    const char *path = options_operand(invocation, 1);
    trust_begin(&work->trust, options_has(invocation, OPTION_TRUST));
    if (!session_begin(&work->session, invocation, error))
        return false;
    if (!path || invocation->operands.count > 2)
        return error_set(
            error, NULL,
            "assay model %s takes one model file: assay model %s stencil.model%s (docs/models.md says "
            "how to write one)",
            options_operand(invocation, 0), options_operand(invocation, 0),
            !strcmp(options_operand(invocation, 0), "sweep") ? " --vary procs=1..64" : "");
    trust_add_file(&work->trust, path);
    work->model = language_read(path, &work->trust, error);
    if (!work->model)
        return false;
    for (size_t i = 0; i < invocation->given.count && !language_problems(work->model)->count; i++) {
        const struct given *given = ARRAY_AT(struct given, &invocation->given, i);
        if (given->id == OPTION_SET && !language_set(work->model, given->value, error))
            return false;
    }
    if (!language_prepare(work->model, error))
        return false;
    if (!language_application(work->model))
        return error_set(
            error, path,
            "the file has no application: write application NAME { ranks 4; run { … } }, or run a model "
            "that includes this file");
    return find_world(work, error);
}

bool model_apart(struct model_work *work, bool (*evaluate)(void *context, struct error *error), void *context,
                 FILE *file, void *result, size_t result_size, struct error *error)
{
    if (work->has_network && work->network.platform && options_has(work->session.invocation, OPTION_EVENTS))
        return evaluate(context, error);
    return foreign_run(&(struct foreign){.session = &work->session,
                                         .work = evaluate,
                                         .context = context,
                                         .what = "the model",
                                         .file = file,
                                         .result = result,
                                         .result_size = result_size,
                                         .ends_gently = true},
                       error);
}

int model_close(struct model_work *work, int code, struct error *error)
{
    language_free(work->model);
    if (work->has_network)
        network_free(&work->network);
    machine_free(work->machine);
    trust_free(&work->trust);
    return session_end(&work->session, code, error);
}
