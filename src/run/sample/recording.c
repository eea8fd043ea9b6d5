#include "run/sample/recording.h"

#include "run/sample/jit/jit.h"

#include <math.h>
#include <stdlib.h>

void sample_recording_init(struct sample_recording *recording)
{
    *recording = (struct sample_recording){.cpu_seconds = NAN,
                                           .kernel_seconds = NAN,
                                           .cycles_per_second = NAN,
                                           .slowest_clock = NAN,
                                           .fastest_clock = NAN,
                                           .others_share = NAN,
                                           .exit_status = -1,
                                           .files = ARRAY_OF(struct sample_file),
                                           .frames = ARRAY_OF(struct sample_frame),
                                           .nodes = ARRAY_OF(struct sample_node),
                                           .processes = ARRAY_OF(struct sample_process),
                                           .threads = ARRAY_OF(struct sample_thread),
                                           .events = ARRAY_OF(struct sample_event),
                                           .counts = ARRAY_OF(struct sample_count),
                                           .returns = ARRAY_OF(struct sample_return),
                                           .dumps = ARRAY_OF(struct sample_dump),
                                           .made = ARRAY_OF(struct sample_made)};
    array_add(&recording->files);
    array_add(&recording->frames);
    array_add(&recording->nodes);
}

void sample_recording_free(struct sample_recording *recording)
{
    free(recording->command);
    free(recording->processor);
    free(recording->host);
    free(recording->why_not_kernel);
    free(recording->recording);
    free(recording->event);
    free(recording->processor_id);
    array_free(&recording->returns);
    jit_forget(recording);
    for (size_t i = 0; i < recording->dumps.count; i++)
        free(ARRAY_AT(struct sample_dump, &recording->dumps, i)->path);
    for (size_t i = 0; i < recording->made.count; i++)
        free(ARRAY_AT(struct sample_made, &recording->made, i)->name);
    array_free(&recording->dumps);
    array_free(&recording->made);
    for (size_t i = 0; i < recording->files.count; i++) {
        free(ARRAY_AT(struct sample_file, &recording->files, i)->path);
        free(ARRAY_AT(struct sample_file, &recording->files, i)->found);
    }
    for (size_t i = 0; i < recording->processes.count; i++) {
        free(ARRAY_AT(struct sample_process, &recording->processes, i)->command);
        free(ARRAY_AT(struct sample_process, &recording->processes, i)->host);
    }
    for (size_t i = 0; i < recording->threads.count; i++)
        free(ARRAY_AT(struct sample_thread, &recording->threads, i)->name);
    for (size_t i = 0; i < recording->events.count; i++)
        free(ARRAY_AT(struct sample_event, &recording->events, i)->name);
    struct array *arrays[] = {&recording->files,     &recording->frames,  &recording->nodes,
                              &recording->processes, &recording->threads, &recording->events,
                              &recording->counts};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        array_free(arrays[i]);
    *recording = (struct sample_recording){0};
}

const char *sample_file_here(const struct sample_file *file)
{
    bool is_here = (file->kind == SAMPLE_FILE_CODE || file->image) && !file->is_deleted &&
                   !file->has_other_code && !file->is_missing;
    return !is_here ? NULL : file->found ? file->found : file->path;
}
