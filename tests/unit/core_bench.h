/* Blocks of code on the machine files that come with Assay, for tests of the parts of the core. */
#ifndef TESTS_UNIT_CORE_BENCH_H
#define TESTS_UNIT_CORE_BENCH_H
#include "code/cost/loops.h"
#include "code/structure/snippet.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

struct bench {
    struct machine *machine;
    struct snippets snippets;
    struct block_costs work;
};

static void begin(struct bench *bench, const char *name)
{
    const char *directories[] = {MACHINES};
    struct error error = {0};
    *bench = (struct bench){0};
    bench->machine = machine_load(name, directories, 1, &error);
    if (!bench->machine || !snippets_begin(&bench->snippets, bench->machine->isa, &error))
        fail_msg("%s", error.text);
    block_costs_begin(&bench->work, bench->machine, &bench->snippets.model);
}

static void end(struct bench *bench)
{
    block_costs_end(&bench->work);
    snippets_end(&bench->snippets);
    machine_free(bench->machine);
}

static const struct cost_prediction *predict(struct bench *bench, const char *hex, enum cost_mode mode,
                                             uint64_t address, enum cost_detail detail)
{
    uint8_t bytes[256];
    size_t size;
    struct error error = {0};
    assert_true(strlen(hex) / 2 <= sizeof bytes);
    if (!snippet_bytes(hex, strlen(hex), bytes, &size, &error) ||
        !snippets_read(&bench->snippets, bytes, size, &error))
        fail_msg("%s", error.text);
    block_costs_clear(&bench->work);
    for (size_t i = 0; i < bench->snippets.rows.count; i++) {
        const struct snippet_row *row = ARRAY_AT(struct snippet_row, &bench->snippets.rows, i);
        block_costs_add(&bench->work, row->encoding, (uint32_t)i, address + row->offset, row->target);
    }
    assert_true(block_costs_predict(&bench->work, mode, detail));
    return &bench->work.prediction;
}

#endif
