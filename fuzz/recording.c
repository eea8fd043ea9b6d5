/* A damaged recording of probes becomes rows.

   A recording is large and mostly zeros, so the input describes damage to one that is made here
   (harness_damaged).  Whatever it contains, keys must be there and have one row each, and shares must be
   shares. */
#include "fuzz/harness.h"

#include "tests/unit/probe_recording.h"

static void check_rows(const struct model *model)
{
    for (uint32_t i = 0; i < model->probe_functions.count; i++) {
        const struct probe_function *row = model_probe_function(model, i);
        if (!row->function || (i && row[-1].function >= row->function) || row->total_ns < 0 ||
            row->self_ns < 0)
            harness_wrong("a function without key or with a negative time", "probe_functions");
    }
    for (uint32_t i = 0; i < model->probe_loops.count; i++) {
        const struct probe_loop *row = model_probe_loop(model, i);
        if (!row->loop || row->usual_share > 1 || row->setup_cycles < 0)
            harness_wrong("a loop without key or with a wrong share", "probe_loops");
    }
    for (uint32_t i = 0; i < model->probe_addresses.count; i++) {
        const struct probe_address *row = model_probe_address(model, i);
        if (!row->instruction || row->stride_share > 1 || row->misaligned_share > 1 || row->set_share > 1)
            harness_wrong("an access without key or with a wrong share", "probe_addresses");
    }
    for (uint32_t i = 0; i < model->probe_histograms.count; i++) {
        const struct probe_histogram *row = model_probe_histogram(model, i);
        bool is_next = i && row[-1].quantity == row->quantity && row[-1].subject == row->subject;
        if (!row->count || !(row->low <= row->high) || (is_next && !(row[-1].low < row->low)))
            harness_wrong("buckets that overlap", "probe_histograms");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t *base;
    static size_t base_size;
    struct fixture fixture;
    struct error error = {0};
    set_up(&fixture);
    if (!base)
        base = whole_recording(&fixture, &base_size);
    const char *path = harness_damaged((struct span){base, base_size}, data, size);
    struct array paths = ARRAY_OF(const char *);
    *(const char **)array_push(&paths) = path;
    if (recording_add(&fixture.model, &fixture.plan, &paths, &error)) {
        recording_conclude(&fixture.model);
        check_rows(&fixture.model);
    } else if (!error.set || fixture.model.probe_runs.count != 1) {
        harness_wrong("a failure without a reason, or with rows", "recording_add");
    }
    array_free(&paths);
    tear_down(&fixture);
    return 0;
}
