/* A recording of the tracer becomes rows: whatever it contains, rows must refer to existing rows, and maps
 * must unpack to their stated size. */
#include "fuzz/harness.h"

#include "run/denormal/parts.h"

#include <stdlib.h>
#include <zlib.h>

static void check_map(const struct model *model, const struct denormal_map *map)
{
    if (!map->array || map->array >= model->denormal_arrays.count ||
        map->source >= model->denormal_arrays.count || map->phase >= model->denormal_phases.count)
        harness_wrong("a map of something that is not there", "denormal_maps");
    if (!map->width || !map->height || !map->shrink || map->width > 1024 || map->height > 1024)
        harness_wrong("a map without a size", "denormal_maps");
    uLongf size = (uLongf)map->width * map->height * 4;
    uint8_t *cells = malloc(size);
    if (uncompress(cells, &size, map->counts.data, map->counts.size) != Z_OK ||
        size != (uLongf)map->width * map->height * 4)
        harness_wrong("a map that cannot be unpacked", "denormal_maps");
    free(cells);
}

static void check_rows(const struct model *model)
{
    for (uint32_t i = 1; i < model->denormal_sites.count; i++)
        if (model_denormal_site(model, i)->phase >= model->denormal_phases.count)
            harness_wrong("a site of a phase that is not there", "denormal_sites");
    for (uint32_t i = 1; i < model->denormal_maps.count; i++)
        check_map(model, model_denormal_map(model, i));
    for (uint32_t i = 1; i < model->denormal_origins.count; i++) {
        const struct denormal_origin *origin = model_denormal_origin(model, i);
        if (!origin->destination || origin->destination >= model->denormal_arrays.count ||
            origin->source >= model->denormal_arrays.count)
            harness_wrong("an origin that is not there", "denormal_origins");
    }
    for (uint32_t i = 0; i < model->denormal_array_phases.count; i++) {
        const struct denormal_array_phase *row = model_denormal_array_phase(model, i);
        if (!row->array || row->array >= model->denormal_arrays.count || !row->phase ||
            row->phase >= model->denormal_phases.count)
            harness_wrong("counts of something that is not there", "denormal_array_phases");
    }
    for (uint32_t i = 1; i < model->denormal_log_entries.count; i++) {
        const struct denormal_log_entry *entry = model_denormal_log_entry(model, i);
        if (entry->array >= model->denormal_arrays.count || entry->first_from >= i ||
            entry->second_from >= i || entry->third_from >= i)
            harness_wrong("an entry of the log that is made of later ones", "denormal_log_entries");
    }
    for (uint32_t i = 1; i < model->denormal_births.count; i++)
        if (model_denormal_birth(model, i)->array >= model->denormal_arrays.count)
            harness_wrong("a birth into an array that is not there", "denormal_births");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct model model;
    struct error error = {0};
    struct denormal_recording recording = {.run.exit_status = -1, .options.tool = denormal_tool_TRACER};
    struct denormal_process *process = denormal_process_make(harness_file(data, size));
    model_init(&model);
    if (denormal_process_add(process, &model, &recording, &error))
        check_rows(&model);
    else if (!error.set)
        harness_wrong("a failure without an error", "trace");
    denormal_process_free(process);
    model_free(&model);
    return 0;
}
