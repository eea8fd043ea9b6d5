/* A damaged recording of the profiler becomes rows.

   A recording is large, mostly zeros, and its damage small, so the input describes damage to one that is made
   here (harness_damaged). Its library is the program BASE, so that names and call frame information of a real
   file are used. Whatever the recording contains, rows must refer to existing rows, and estimates must lie in
   their intervals. */
#include "fuzz/harness.h"

#include "run/denormal/parts.h"
#include "tests/unit/profile_recording.h"

static void check_rows(const struct model *model)
{
    for (uint32_t i = 1; i < model->denormal_sites.count; i++) {
        const struct denormal_site *site = model_denormal_site(model, i);
        if (!site->phase || site->phase >= model->denormal_phases.count)
            harness_wrong("a site of a phase that is not there", "denormal_sites");
        if (site->low > site->high)
            harness_wrong("an interval that is upside down", "denormal_sites");
    }
    for (uint32_t i = 1; i < model->denormal_samples.count; i++) {
        const struct denormal_sample *sample = model_denormal_sample(model, i);
        if (!sample->phase || sample->phase >= model->denormal_phases.count || !sample->stack)
            harness_wrong("a sample without its phase or stack", "denormal_samples");
    }
    for (uint32_t i = 1; i < model->denormal_phases.count; i++)
        if (!(model_denormal_phase(model, i)->seconds >= 0))
            harness_wrong("a phase that ends before it begins", "denormal_phases");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct recording *bases[2];
    struct denormal_recording run = {.processes = ARRAY_OF(struct denormal_process *),
                                     .options.tool = denormal_tool_PROFILER};
    struct error error = {0}, second_error = {0};
    struct model model;
    if (!bases[0]) {
        bases[0] = record(PROFILE_EXACT, BASE);
        bases[1] = record(PROFILE_SAMPLED, BASE);
    }
    struct span base = {(const uint8_t *)bases[size % 2], sizeof **bases};
    const char *path = harness_damaged(base, data, size);
    model_init(&model);
    struct denormal_process *process = denormal_process_make(path);
    bool has_modules = denormal_process_modules(process, denormal_tool_PROFILER, &second_error);
    bool is_read = denormal_process_add(process, &model, &run, &error);
    if (is_read)
        check_rows(&model);
    else if (!error.set || model.denormal_runs.count != 1)
        harness_wrong("a failure without a reason, or with rows", "denormal_process_add");
    if (has_modules != is_read)
        harness_wrong("modules of a recording that cannot be read", "denormal_process_modules");
    denormal_process_free(process);
    model_free(&model);
    return 0;
}
