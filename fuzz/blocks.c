/* Raw bytes as a block of instructions: decoded, resolved on a machine and put through every part of the
   core, as assay cycles --hex does.  The first byte chooses the instruction set, the machine and the mode. */
#include "fuzz/harness.h"

#include "code/cost/loops.h"
#include "code/structure/snippet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *machine;
    enum isa isa;
} choices[] = {{"skylake", isa_X86_64},      {"haswell", isa_X86_64},     {"zen4", isa_X86_64},
               {"neoverse-v1", isa_AARCH64}, {"ice-lake", isa_I386},      {"ivy-bridge", isa_X86_64},
               {"core2-conroe", isa_X86_64}, {"neoverse-n1", isa_AARCH64}};
enum { CHOICES = sizeof choices / sizeof choices[0] };

struct bench {
    struct machine *machine;
    struct snippets snippets;
    struct block_costs costs;
};

/* Kept from input to input, as a batch keeps them. */
static struct bench benches[CHOICES];

static struct bench *take_bench(unsigned choice)
{
    struct bench *bench = &benches[choice];
    struct error error = {0};
    if (bench->machine)
        return bench;
    const char *directory = MACHINES;
    bench->machine = machine_load(choices[choice].machine, &directory, 1, &error);
    if (!bench->machine || !snippets_begin(&bench->snippets, choices[choice].isa, &error))
        harness_wrong("no machine or reader", error.text);
    block_costs_begin(&bench->costs, bench->machine, &bench->snippets.model);
    return bench;
}

static void check_prediction(const struct block_costs *costs)
{
    const struct cost_prediction *prediction = &costs->prediction;
    double largest = 0;
    for (unsigned part = 1; part < core_part_COUNT; part++) {
        double cycles = prediction->bounds[part].cycles;
        if (!(cycles >= 0) || !isfinite(cycles))
            harness_wrong("a bound is not a number of cycles", "cost_predict");
        largest = cycles > largest ? cycles : largest;
    }
    /* A part that contention makes only a little worse is still the limit. */
    double limit = prediction->bounds[prediction->limit].cycles;
    bool is_contention = prediction->bounds[core_part_CONTENTION].cycles == largest;
    if (prediction->cycles != largest || (limit != largest && !is_contention))
        harness_wrong("the answer is not the largest bound", "cost_predict");
    if (prediction->known_count > costs->block.count)
        harness_wrong("more instructions known than there are", "cost_predict");
}

static void check_pressure(struct block_costs *costs)
{
    size_t count = costs->items.count * costs->costs.machine->port_count;
    double *pressure = memory_get((count + 1) * sizeof *pressure);
    cost_port_pressure(&costs->block, &costs->scratch, pressure);
    for (size_t i = 0; i < count; i++)
        if (!(pressure[i] >= 0) || !isfinite(pressure[i]))
            harness_wrong("a port has no sensible pressure", "cost_port_pressure");
    free(pressure);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size)
        return 0;
    struct bench *bench = take_bench((data[0] & 0x7f) % CHOICES);
    struct snippets *snippets = &bench->snippets;
    struct block_costs *costs = &bench->costs;
    struct error error = {0};
    if (snippets_are_many(snippets)) {
        snippets_forget(snippets);
        block_costs_forget(costs);
    }
    if (!snippets_read(snippets, data + 1, size - 1, &error)) {
        if (!error.set)
            harness_wrong("neither a block nor a reason", "snippets_read");
        return 0;
    }
    block_costs_clear(costs);
    for (size_t i = 0; i < snippets->rows.count; i++) {
        const struct snippet_row *row = ARRAY_AT(struct snippet_row, &snippets->rows, i);
        block_costs_add(costs, row->encoding, (uint32_t)i, row->offset, row->target);
    }
    bool is_loop = data[0] & 0x80;
    if (!block_costs_predict(costs, is_loop ? cost_LOOP : cost_UNROLLED, cost_MARKS))
        return 0;
    check_prediction(costs);
    check_pressure(costs);
    return 0;
}
