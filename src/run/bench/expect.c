/* What a machine file says of a test: what the model of the core predicts for the very code of the test.
   Partners are predicted and taken off in the same way, so that both figures mean the same. */
#include "run/bench/bench.h"

#include "code/cost/loops.h"
#include "code/structure/snippet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct bench_expectation {
    const struct machine *machine;
    struct snippets snippets;
    struct block_costs costs;
};

struct bench_expectation *bench_expectation_begin(const struct machine *machine, enum isa isa)
{
    struct bench_expectation *expectation = memory_get(sizeof *expectation);
    struct error error = {0};
    expectation->machine = machine;
    snippets_begin(&expectation->snippets, isa, &error);
    block_costs_begin(&expectation->costs, machine, &expectation->snippets.model);
    return expectation;
}

void bench_expectation_end(struct bench_expectation *expectation)
{
    if (!expectation)
        return;
    block_costs_end(&expectation->costs);
    snippets_end(&expectation->snippets);
    free(expectation);
}

double bench_expect_block(struct bench_expectation *expectation, const uint8_t *code, size_t size,
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

double bench_expect(struct bench_expectation *expectation, const char *text,
                    const struct bench_planned *planned)
{
    const struct machine_form *form = text ? machine_form(expectation->machine, text) : NULL;
    if (text && (!form || form->is_missing))
        return NAN;
    return bench_expect_block(expectation, planned->code.data, planned->code.count, false);
}
