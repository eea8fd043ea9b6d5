/* speedscope's own JSON (https://www.speedscope.app/file-format-schema.json): frames shared by profiles, and one
   profile of stacks with weights. There is no order in time in the call tree: the profile has its order, so that
   "left heavy" and "sandwich" are the views to look at. */
#include "show/report/profiles/profiles.h"

#include "show/report/common/row_writer.h"

#include <stdlib.h>

static void put_frames(const struct profile *profile, struct row_writer *shared)
{
    struct row_list frames = row_begin_list(shared, "frames", "\n  ");
    for (size_t i = 1; i < profile->frames.count; i++) {
        const struct profile_frame *frame = ARRAY_AT(struct profile_frame, &profile->frames, i);
        const char *file = frame->file ? frame->file : frame->object;
        struct row_writer item = row_begin_item(&frames);
        row_text(&item, "name", frame->name);
        if (file)
            row_text(&item, "file", file);
        if (frame->file && frame->line)
            row_integer(&item, "line", frame->line);
        row_end_object(&item);
    }
    row_end_list(&frames);
}

static void put_stack(const struct profile *profile, uint32_t stack, struct array *chain, FILE *out)
{
    chain->count = 0;
    for (uint32_t at = stack; at; at = ARRAY_AT(struct profile_stack, &profile->stacks, at)->caller)
        *(uint32_t *)array_push(chain) = ARRAY_AT(struct profile_stack, &profile->stacks, at)->frame - 1;
    fputs("[", out);
    for (size_t k = chain->count; k-- > 0;)
        fprintf(out, "%u%s", *ARRAY_AT(uint32_t, chain, k), k ? ", " : "]");
}

bool profile_speedscope(const struct profile *profile, FILE *out, struct error *error)
{
    (void)error;
    struct array chain = ARRAY_OF(uint32_t);
    autofree char *exporter = memory_format("assay %s", profile->version);
    struct row_writer whole = row_begin_object(out);
    row_text(&whole, "$schema", "https://www.speedscope.app/file-format-schema.json");
    row_text(&whole, "exporter", exporter);
    row_text(&whole, "name", profile->command);
    row_integer(&whole, "activeProfileIndex", 0);
    struct row_writer shared = row_begin_object_named(&whole, "shared");
    put_frames(profile, &shared);
    row_end_object(&shared);
    struct row_list profiles = row_begin_list(&whole, "profiles", "\n ");
    struct row_writer one = row_begin_item(&profiles);
    row_text(&one, "type", "sampled");
    row_text(&one, "name", profile->command);
    row_text(&one, "unit", "seconds");
    row_number(&one, "startValue", 0);
    row_number(&one, "endValue", profile->sampled_seconds);
    struct row_list samples = row_begin_list(&one, "samples", "\n  ");
    for (size_t i = 1; i < profile->stacks.count; i++) {
        if (!(ARRAY_AT(struct profile_stack, &profile->stacks, i)->self > 0))
            continue;
        row_separate(&samples);
        put_stack(profile, (uint32_t)i, &chain, out);
    }
    row_end_list(&samples);
    struct row_list weights = row_begin_list(&one, "weights", "\n  ");
    for (size_t i = 1; i < profile->stacks.count; i++) {
        double self = ARRAY_AT(struct profile_stack, &profile->stacks, i)->self;
        if (!(self > 0))
            continue;
        row_separate(&weights);
        row_print_number(self, out);
    }
    row_end_list(&weights);
    row_end_object(&one);
    row_end_list(&profiles);
    fputs("}\n", out);
    array_free(&chain);
    return true;
}
