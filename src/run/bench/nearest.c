#include "run/bench/machine_file.h"

#include "code/machine/host.h"

#include <math.h>
#include <string.h>

/* A form that a core does not know is as far away as a figure that is twice as large. */
static const double UNKNOWN = 0.7;
enum { FEWEST_FIGURES = 3 };

/* The mean over all figures. */
static double distance_to(struct bench_session *bench, const struct machine *machine)
{
    struct array figures = bench_session_figures(bench, machine);
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < figures.count; i++) {
        const struct bench_figure *figure = ARRAY_AT(struct bench_figure, &figures, i);
        if (!figure->planned || !figure->has_result || figure->status != bench_MEASURED ||
            !(figure->cycles > 0) || figure->planned->kind == bench_MEMORY)
            continue;
        double ratio = bench_figure_ratio(figure);
        sum += isnan(ratio) ? UNKNOWN : log(ratio);
        count++;
    }
    array_free(&figures);
    return count >= FEWEST_FIGURES ? sum / (double)count : NAN;
}

/* The file of the processor itself, and not one that was measured. */
static struct machine *known(const struct bench_computer *computer, const char *const *directories,
                             size_t directory_count)
{
    struct machine_identity identity = host_identify(&computer->facts);
    struct error ignored = {0};
    struct array names = machine_names_of(&identity, directories, directory_count);
    struct machine *found = NULL;
    for (size_t i = 0; i < names.count; i++) {
        char *name = *ARRAY_AT(char *, &names, i);
        struct machine *machine = found ? NULL : machine_load(name, directories, directory_count, &ignored);
        if (machine && !strstr(machine->figures, bench_file_figures))
            found = machine;
        else
            machine_free(machine);
    }
    machine_names_free(&names);
    return found;
}

struct machine *bench_nearest(struct bench_session *bench, const char *const *directories,
                              size_t directory_count, double *distance)
{
    struct machine *best = known(&bench->results.computer, directories, directory_count);
    double least = INFINITY;
    *distance = NAN;
    if (best)
        return best;
    struct array names = machine_names(directories, directory_count);
    for (size_t i = 0; i < names.count; i++) {
        struct error ignored = {0};
        struct machine *machine =
            machine_load(*ARRAY_AT(char *, &names, i), directories, directory_count, &ignored);
        if (!machine)
            continue;
        double far = machine->isa == bench->isa && !strstr(machine->figures, bench_file_figures)
                         ? distance_to(bench, machine)
                         : NAN;
        if (far < least) {
            least = far;
            machine_free(best);
            best = machine;
        } else {
            machine_free(machine);
        }
    }
    machine_names_free(&names);
    *distance = best ? least : NAN;
    return best;
}
