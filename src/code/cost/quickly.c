/* Cycles of many paths, each distinct one once.

   The same templates and inlined functions make the same loops in many places.  A path is known by a hash of
   everything that a prediction reads: the encodings, whether each instruction follows the one before it,
   where the first one lies in the windows of the front end, and places in memory that are named by their
   address. What leads into a loop matters only for data beyond the first cache, which nobody asks for here.
 */
#include "base/strings.h"
#include "base/workers.h"
#include "code/cost/loops.h"

#include <stdlib.h>

enum { FEW_PATHS = 64 };

struct quick_paths {
    const struct model *model;
    const struct loop_machines *machines;
    struct array *paths;
    uint64_t *hashes;    /* by path */
    struct array chosen; /* of struct loop_path: each stands for all with its hash */
};

static uint64_t hash_window(const struct machine *machine, uint64_t address)
{
    const struct machine_core *core = &machine->core;
    const unsigned windows[] = {core->predecode_bytes, 2 * core->cache_block, core->branch_border};
    uint64_t hash = machine->isa;
    for (unsigned i = 0; i < sizeof windows / sizeof *windows; i++)
        hash = hash_mix(hash, windows[i] ? address % windows[i] : 0);
    return hash;
}

/* Bundles are scheduled with what is around them: such a path stands for itself. */
static void hash_path(void *context, size_t item, unsigned worker)
{
    struct quick_paths *all = context;
    const struct model *model = all->model;
    const struct loop_path *path = ARRAY_AT(struct loop_path, all->paths, item);
    const struct machine *machine = loop_machine(all->machines, model, path->loop);
    uint64_t hash = path->blocks, end = 0;
    (void)worker;
    for (uint32_t i = 0; i < path->blocks; i++) {
        const struct block *block = model_block(model, model_path_block(model, path->first_block + i)->block);
        hash = hash_mix(hash, i || !machine ? block->address - end : hash_window(machine, block->address));
        for (uint32_t k = 0; k < block->instruction_count; k++) {
            const struct instruction *instruction = model_instruction(model, block->first_instruction + k);
            hash = hash_mix(hash, instruction->encoding);
            if (model_encoding(model, instruction->encoding)->flow == flow_NEXT)
                hash = hash_mix(hash, instruction->target);
            end = block->address + instruction->offset;
        }
    }
    bool is_alone = !machine || machine->isa == isa_IA64;
    all->hashes[item] = is_alone ? hash_mix(hash, item + 1) : hash;
}

/* By path: the place of the one that stands for it among those that are chosen here; to be freed. */
static uint32_t *choose(struct quick_paths *all)
{
    size_t size = 64, count = all->paths->count;
    while (size < 2 * count)
        size *= 2;
    uint32_t *places = memory_get(size * sizeof *places); /* of the first with a hash, + 1 */
    uint32_t *chosen = memory_get((count + 1) * sizeof *chosen);
    for (uint32_t i = 0; i < count; i++) {
        size_t at = (all->hashes[i] >> 20) & (size - 1);
        while (places[at] && all->hashes[places[at] - 1] != all->hashes[i])
            at = (at + 1) & (size - 1);
        if (!places[at]) {
            places[at] = i + 1;
            chosen[i] = (uint32_t)all->chosen.count;
            *(struct loop_path *)array_push(&all->chosen) = *ARRAY_AT(struct loop_path, all->paths, i);
        }
        chosen[i] = chosen[places[at] - 1];
    }
    free(places);
    return chosen;
}

/* The result of one path for another. */
static void take_over(struct loop_path *path, const struct loop_path *from)
{
    struct loop_path copy = *from;
    copy.loop = path->loop;
    copy.path = path->path;
    copy.first_block = path->first_block;
    copy.blocks = path->blocks;
    copy.is_exit = path->is_exit;
    *path = copy;
}

void cost_loops_quickly(const struct model *model, const struct loop_machines *machines, struct array *paths,
                        unsigned threads)
{
    unsigned workers = paths->count < FEW_PATHS ? 1 : workers_count(threads);
    struct quick_paths all = {.model = model,
                              .machines = machines,
                              .paths = paths,
                              .hashes = memory_get((paths->count + 1) * sizeof *all.hashes),
                              .chosen = ARRAY_OF(struct loop_path)};
    workers_run(workers, paths->count, hash_path, &all);
    uint32_t *chosen = choose(&all);
    cost_loops_in(model, machines, &all.chosen, cost_ANSWER, threads);
    for (uint32_t i = 0; i < paths->count; i++)
        take_over(ARRAY_AT(struct loop_path, paths, i), ARRAY_AT(struct loop_path, &all.chosen, chosen[i]));
    free(all.hashes);
    free(chosen);
    array_free(&all.chosen);
}
