/* What a machine file says of a test: latencies as the form has them, throughput as the model of the core
   predicts it for the very code of the test. */
#include "gauge/bench.h"

#include "cost/loops.h"
#include "structure/snippet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct gauge_expectation {
    const struct machine *machine;
    struct snippets snippets;
    struct block_costs costs;
};

struct gauge_expectation *gauge_expectation_begin(const struct machine *machine, enum isa isa)
{
    struct gauge_expectation *expectation = memory_get(sizeof *expectation);
    struct error error = {0};
    expectation->machine = machine;
    snippets_begin(&expectation->snippets, isa, &error);
    block_costs_begin(&expectation->costs, machine, &expectation->snippets.model);
    return expectation;
}

void gauge_expectation_end(struct gauge_expectation *expectation)
{
    if (!expectation)
        return;
    block_costs_end(&expectation->costs);
    snippets_end(&expectation->snippets);
    free(expectation);
}

double gauge_expect_block(struct gauge_expectation *expectation, const uint8_t *code, size_t size, bool is_loop)
{
    struct snippets *snippets = &expectation->snippets;
    struct block_costs *costs = &expectation->costs;
    struct error error = {0};
    if (!snippets_read(snippets, code, size, &error))
        return NAN;
    enum cost_mode mode = is_loop ? cost_LOOP : cost_UNROLLED;
    block_costs_clear(costs);
    for (size_t i = 0; i < snippets->rows.count; i++) {
        const struct snippet_row *row = ARRAY_AT(struct snippet_row, &snippets->rows, i);
        block_costs_add(costs, row->encoding, (uint32_t)i, cost_start(mode) + row->offset);
    }
    return block_costs_predict(costs, mode, cost_ANSWER) ? costs->prediction.cycles : NAN;
}

/* The slot of a name, as machine files spell it. */
static unsigned slot_of(const struct machine *machine, const char *name)
{
    if (name[0] >= '1' && name[0] <= '8' && !name[1])
        return (unsigned)(name[0] - '0');
    if (!strcmp(name, "f"))
        return slot_FLAGS;
    if (!strcmp(name, "addr"))
        return slot_ADDRESS;
    if (!strcmp(name, "index"))
        return slot_INDEX;
    for (unsigned i = 0; i < machine->hidden_count; i++)
        if (!strcmp(machine->hidden[i], name))
            return slot_HIDDEN + i;
    return slot_NONE;
}

double gauge_expect(struct gauge_expectation *expectation, const char *text, const struct gauge_planned *planned)
{
    const struct machine *machine = expectation->machine;
    const struct machine_form *form = machine_form(machine, text);
    if (!form || form->is_missing)
        return NAN;
    if (planned->kind == gauge_LATENCY) {
        unsigned from = slot_of(machine, planned->from), to = slot_of(machine, planned->to);
        return from && to ? form_latency(machine, form, from, to) : NAN;
    }
    double cycles = gauge_expect_block(expectation, planned->code.data, planned->code.count, false);
    return cycles / planned->instances;
}
