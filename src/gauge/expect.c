/* What a machine file says of a test: what the model of the core predicts for the very code of the test.
   Partners are predicted and taken off in the same way, so that both figures mean the same. */
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

double gauge_expect_block(struct gauge_expectation *expectation, const uint8_t *code, size_t size,
                          bool is_loop)
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
        block_costs_add(costs, row->encoding, (uint32_t)i, cost_start(mode) + row->offset, row->target);
    }
    return block_costs_predict(costs, mode, cost_ANSWER) ? costs->prediction.cycles : NAN;
}

double gauge_expect(struct gauge_expectation *expectation, const char *text,
                    const struct gauge_planned *planned)
{
    const struct machine_form *form = text ? machine_form(expectation->machine, text) : NULL;
    if (text && (!form || form->is_missing))
        return NAN;
    return gauge_expect_block(expectation, planned->code.data, planned->code.count, false);
}
