/* The tables of a run as a profile. Frames are functions: those of the model by their rows, other code by its
   name. Branches of the call tree that are too small for the table are in the time of their caller, but not in its
   own: they become a frame of their own, so that all times add up to the run's. */
#include "show/report/profiles/profiles.h"

#include "base/number_map.h"
#include "model/demangle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double LEAST_REST = 1e-6; /* s */
enum { MOST_DEPTH = 256 };             /* calls in each other: a run records 200 */

static const struct profile_format formats[] = {
    {"folded", true, profile_folded},       {"speedscope", true, profile_speedscope},
    {"firefox", true, profile_firefox},     {"pprof", false, profile_pprof},
    {"callgrind", true, profile_callgrind}, {"hatchet", true, profile_hatchet},
};

const struct profile_format *profile_format_named(const char *name)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (!strcmp(formats[i].name, name))
            return &formats[i];
    return NULL;
}

struct taking {
    struct profile *profile;
    const struct model *model;
    bool demangle;
    struct number_map known; /* frames by function, or by name behind all functions */
};

static const char *keep(struct profile *profile, const char *text)
{
    return text ? strings_text(&profile->strings, strings_add(&profile->strings, text)) : NULL;
}

/* "qsort (libc.so.6)": code that was not read is named with its library. */
static void take_name(struct taking *taking, struct profile_frame *frame, const char *name)
{
    size_t length = strlen(name);
    const char *library = length && name[length - 1] == ')' ? strstr(name, " (") : NULL;
    autofree char *head = memory_copy_text(name, library ? (size_t)(library - name) : length);
    autofree char *object = library ? memory_copy_text(library + 2, strlen(library + 2) - 1) : NULL;
    autofree char *plain = taking->demangle ? demangle_name(head) : NULL;
    frame->name = keep(taking->profile, plain ? plain : head);
    frame->symbol = keep(taking->profile, head);
    frame->object = keep(taking->profile, object);
}

static uint32_t frame_of(struct taking *taking, uint32_t function, string_id name)
{
    const struct model *model = taking->model;
    uint64_t key = function ? function : (uint64_t)name << 32 | UINT32_MAX;
    uint32_t *place = number_map_at(&taking->known, key);
    if (*place)
        return *place;
    struct profile_frame frame = {.function = function};
    if (function) {
        const struct function *row = model_function(model, function);
        const char *text = model_text(model, row->name);
        const char *path = model_text(model, model_program(model, row->program)->path);
        take_name(taking, &frame, text ? text : "?");
        frame.object = keep(taking->profile, path);
        frame.file =
            row->file ? keep(taking->profile, model_text(model, model_file(model, row->file)->path)) : NULL;
        frame.line = row->line;
    } else {
        const char *text = model_text(model, name);
        take_name(taking, &frame, text ? text : "[unknown]");
    }
    *place = (uint32_t)taking->profile->frames.count;
    *(struct profile_frame *)array_push(&taking->profile->frames) = frame;
    return *place;
}

static double time_of(double seconds)
{
    return isfinite(seconds) && seconds > 0 ? seconds : 0;
}

/* Rows are a tree from a database, too: a caller that does not come before its callee, or is too deep, counts as none. */
static void take_stacks(struct taking *taking, uint32_t run)
{
    const struct model *model = taking->model;
    struct profile *profile = taking->profile;
    size_t rows = model->run_calls.count;
    autofree uint32_t *stack_of = memory_get((rows + 1) * sizeof *stack_of);
    autofree uint32_t *depth = memory_get((rows + 1) * sizeof *depth);
    autofree double *rest = memory_get((rows + 1) * sizeof *rest);
    for (uint32_t id = 1; id < rows; id++) {
        const struct run_call *call = model_run_call(model, id);
        if (call->run != run)
            continue;
        uint32_t caller = call->caller < id && depth[call->caller] < MOST_DEPTH ? call->caller : 0;
        depth[id] = caller ? depth[caller] + 1 : 1;
        struct profile_stack stack = {.caller = stack_of[caller],
                                      .frame = frame_of(taking, call->function, call->name),
                                      .self = time_of(call->self_seconds),
                                      .total = time_of(call->total_seconds)};
        rest[id] = stack.total - stack.self;
        rest[caller] -= stack.total;
        stack_of[id] = (uint32_t)profile->stacks.count;
        *(struct profile_stack *)array_push(&profile->stacks) = stack;
    }
    uint32_t frame = 0;
    for (uint32_t id = 1; id < rows; id++) {
        if (!stack_of[id] || !(rest[id] > LEAST_REST))
            continue;
        if (!frame) {
            frame = (uint32_t)profile->frames.count;
            *(struct profile_frame *)array_push(&profile->frames) =
                (struct profile_frame){.name = "[rare calls]", .symbol = "[rare calls]"};
        }
        *(struct profile_stack *)array_push(&profile->stacks) = (struct profile_stack){
            .caller = stack_of[id], .frame = frame, .self = rest[id], .total = rest[id]};
    }
    for (size_t i = 1; i < profile->stacks.count; i++)
        profile->sampled_seconds += ARRAY_AT(struct profile_stack, &profile->stacks, i)->self;
}

static int compare_lines(const void *left, const void *right)
{
    const struct profile_line *a = left, *b = right;
    int order = a->frame < b->frame ? -1 : a->frame > b->frame;
    if (!order)
        order = strcmp(a->file ? a->file : "", b->file ? b->file : "");
    return order ? order : a->line < b->line ? -1 : a->line > b->line;
}

/* Samples by line, those of one line together. */
static void take_lines(struct taking *taking, uint32_t run)
{
    const struct model *model = taking->model;
    struct array *lines = &taking->profile->lines;
    for (uint32_t i = 0; i < model->samples.count; i++) {
        const struct sample_row *row = model_sample_row(model, i);
        uint32_t process = model_run_thread(model, row->thread)->process;
        if (model_run_process(model, process)->run != run || !(time_of(row->seconds) > 0))
            continue;
        *(struct profile_line *)array_push(lines) = (struct profile_line){
            .frame = frame_of(taking, row->function, row->function ? 0 : row->name),
            .file = row->source
                        ? keep(taking->profile, model_text(model, model_file(model, row->source)->path))
                        : NULL,
            .line = row->line,
            .seconds = row->seconds};
    }
    if (!lines->count)
        return;
    qsort(lines->data, lines->count, sizeof(struct profile_line), compare_lines);
    size_t kept = 0;
    for (size_t i = 1; i < lines->count; i++) {
        struct profile_line *line = ARRAY_AT(struct profile_line, lines, i);
        struct profile_line *last = ARRAY_AT(struct profile_line, lines, kept);
        if (compare_lines(line, last) != 0)
            *ARRAY_AT(struct profile_line, lines, ++kept) = *line;
        else
            last->seconds += line->seconds;
    }
    lines->count = kept + 1;
}

bool report_profile(const struct profile_format *format, const struct model *model, uint32_t run,
                    bool demangle, const char *version, FILE *out, struct error *error)
{
    const struct sampled_run *row = model_sampled_run(model, run);
    struct profile profile = {.version = version,
                              .command = model_text(model, row->command),
                              .seconds = time_of(row->seconds),
                              .period = row->frequency > 0 ? 1 / row->frequency : 0,
                              .frames = ARRAY_OF(struct profile_frame),
                              .stacks = ARRAY_OF(struct profile_stack),
                              .lines = ARRAY_OF(struct profile_line)};
    struct taking taking = {.profile = &profile, .model = model, .demangle = demangle};
    array_add(&profile.frames);
    array_add(&profile.stacks);
    profile.command = profile.command ? profile.command : "?";
    take_stacks(&taking, run);
    take_lines(&taking, run);
    bool done = format->write(&profile, out, error);
    number_map_free(&taking.known);
    array_free(&profile.lines);
    array_free(&profile.stacks);
    array_free(&profile.frames);
    strings_free(&profile.strings);
    return done && (!ferror(out) || error_set_errno(error, NULL, "cannot write the profile"));
}
