/* See static_loops.h.

   A loop is the same in two databases if its file has the same build-id (else the same path) and its header
   is at the same address. Cycles on both processors are of the same path through the loop, or of the same
   mean of paths: the one that the run's own prediction is of. */
#include "plan/predict/static_loops.h"
#include "model/isa.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const static_tables[] = {"programs",  "files",         "functions",     "blocks", "edges",
                                     "loops",     "paths",         "path_blocks",   "code",   "encodings",
                                     "operands",  "register_uses", "registers",     "runs",   "run_loops",
                                     "run_paths", "run_files",     "inlined_calls", NULL};

static uint64_t key_of(const struct model *model, const struct loop *loop)
{
    const struct program *program = model_program(model, model_function(model, loop->function)->program);
    const char *name = model_text(model, program->build_id);
    if (!name || !*name)
        name = model_text(model, program->path);
    uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a */
    for (; name && *name; name++)
        hash = (hash ^ (unsigned char)*name) * 0x100000001b3u;
    return hash ^ model_block(model, loop->header)->address * 0x9e3779b97f4a7c15u;
}

static char *label_of(const struct model *model, const struct loop *loop)
{
    const char *function = model_text(model, model_function(model, loop->function)->name);
    const char *path = loop->file ? model_text(model, model_file(model, loop->file)->path) : NULL;
    const char *slash = path ? strrchr(path, '/') : NULL, *file = slash ? slash + 1 : path;
    if (!file)
        return memory_format("%s", function ? function : "?");
    if (loop->first_line == loop->last_line)
        return memory_format("%s:%u, %s", file, loop->first_line, function ? function : "?");
    return memory_format("%s:%u-%u, %s", file, loop->first_line, loop->last_line, function ? function : "?");
}

static double share_of(const struct model *model, const struct run_loop *row, uint32_t path)
{
    for (uint32_t i = 0; i < model->run_paths.count; i++) {
        const struct run_path *counted = model_run_path(model, i);
        if (counted->run == row->run && counted->loop == row->loop && counted->path == path)
            return counted->share;
    }
    return 0;
}

/* Of the path that the run's prediction is of; of several, their mean by how often they ran. */
static double cycles_there(const struct model *model, const struct run_loop *row, const struct array *paths)
{
    double sum = 0, shares = 0;
    for (size_t i = 0; i < paths->count; i++) {
        const struct static_path *path = ARRAY_AT(struct static_path, paths, i);
        if (path->loop != row->loop || (row->path && path->path != row->path))
            continue;
        double share = row->path ? 1 : share_of(model, row, path->path);
        if (share > 0) {
            sum += share * path->cycles;
            shares += share;
        }
    }
    return shares > 0 ? sum / shares : NAN;
}

/* Rows of the last run with time of their own. */
static bool counts(const struct model *model, const struct run_loop *row)
{
    return row->run == model->runs.count - 1 && row->self_seconds > 0;
}

static struct static_loop loop_of(const struct model *model, const struct run_loop *row,
                                  const struct array *paths)
{
    const struct loop *loop = model_loop(model, row->loop);
    return (struct static_loop){.key = key_of(model, loop),
                                .label = label_of(model, loop),
                                .seconds = row->self_seconds,
                                .iterations = row->iterations ? (double)row->iterations : NAN,
                                .measured = row->cycles_per_iteration,
                                .cycles = row->predicted_cycles,
                                .there = cycles_there(model, row, paths)};
}

void static_run_wanted(const struct model *model, struct array *loops)
{
    for (uint32_t i = 0; i < model->run_loops.count; i++) {
        const struct run_loop *row = model_run_loop(model, i);
        if (counts(model, row) && model_loop(model, row->loop)->is_innermost)
            *(uint32_t *)array_push(loops) = row->loop;
    }
}

bool static_run_take(const struct model *model, const char *path, const struct array *there, double size,
                     struct static_run *run, struct error *error)
{
    *run = (struct static_run){.size = size, .loops = ARRAY_OF(struct static_loop)};
    if (model->runs.count < 2)
        return error_set(error, path, "has no run; assay run --measure -o %s -- ./prog … records one", path);
    const struct sampled_run *recorded = model_sampled_run(model, (uint32_t)model->runs.count - 1);
    run->seconds = recorded->sampled_seconds;
    run->clock = recorded->cycles_per_second;
    for (uint32_t i = 0; i < model->run_loops.count; i++)
        if (counts(model, model_run_loop(model, i)))
            *(struct static_loop *)array_push(&run->loops) = loop_of(model, model_run_loop(model, i), there);
    if (!run->loops.count)
        return error_set(error, path, "no loop took time in this run: a longer run has more samples");
    return true;
}

/* Of the code that took most of the time; NULL: nobody knows. */
static const struct program *hottest(const struct model *model)
{
    double most = 0;
    const struct program *program = NULL;
    for (uint32_t i = 0; i < model->run_loops.count; i++) {
        const struct run_loop *row = model_run_loop(model, i);
        if (!counts(model, row) || row->self_seconds <= most)
            continue;
        most = row->self_seconds;
        uint32_t function = model_loop(model, row->loop)->function;
        program = model_program(model, model_function(model, function)->program);
    }
    return program;
}

enum isa static_run_isa(const struct model *model)
{
    const struct program *program = hottest(model);
    return program ? (enum isa)program->isa : isa_NONE;
}

void static_run_program(const struct model *model, struct static_program *found)
{
    const struct program *program = hottest(model);
    const char *path = program ? model_text(model, program->path) : NULL;
    const char *build = program ? model_text(model, program->build_id) : NULL;
    *found = (struct static_program){0};
    if (!path || !*path)
        return;
    found->path = memory_format("%s", path);
    found->build = memory_format("%s", build && *build ? build : path);
}
