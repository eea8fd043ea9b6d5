/* Which files a run spent its time in, and where in them.

   A file is read for the time in its own code, and for calls in it that others' time was spent below: the
   loop that calls a library all the time is in a program that itself takes no time.  Libraries that call
   everybody (the C library calls main, a runtime of OpenMP calls the bodies of loops) are read for their own
   time alone.

   Of a hot file all places with samples are wanted, but for a tail of rare ones, which together are less than
   a thousandth of the run; and the calls on stacks that carry time, because the loops around them do. */
#include "run/sample/hot.h"

#include "base/path.h"
#include "run/sample/activities.h"

#include <stdlib.h>
#include <unistd.h>

static const double RARE_SHARE = 0.001; /* of the run: all samples that are left out */
static const double CALL_SHARE = 0.005; /* of the run: a call that carries less is left out */

struct frame_time {
    uint32_t frame;
    double self, calls; /* seconds in it; below it */
};

/* By frame; how much it is in all. */
static double find_times(const struct sample_recording *recording, struct frame_time *frames)
{
    size_t node_count = recording->nodes.count;
    double *self = memory_get((node_count + 1) * sizeof *self), *total, all = 0;
    for (size_t i = 0; i < recording->counts.count; i++) {
        const struct sample_count *count = ARRAY_AT(struct sample_count, &recording->counts, i);
        if (!count->event) {
            self[count->node] += count->amount;
            all += count->amount;
        }
    }
    total = memory_get((node_count + 1) * sizeof *total);
    for (size_t i = node_count; i-- > 1;) {
        const struct sample_node *node = ARRAY_AT(struct sample_node, &recording->nodes, i);
        frames[node->frame].self += self[i];
        frames[node->frame].calls += total[i];
        if (node->caller < i)
            total[node->caller] += total[i] + self[i];
    }
    free(self);
    free(total);
    return all;
}

static int by_self(const void *left, const void *right)
{
    const struct frame_time *a = left, *b = right;
    if (a->self != b->self)
        return a->self < b->self ? -1 : 1;
    return (a->frame > b->frame) - (a->frame < b->frame);
}

static bool is_on_disk(const struct sample_file *file)
{
    const char *path = sample_file_here(file);
    return path && !access(path, R_OK);
}

static bool calls_everybody(const char *path)
{
    return activity_is_helper(path_name(path)) || activity_of(path_name(path), NULL) != run_activity_COMPUTE;
}

struct file_time {
    double self, largest_call;
};

/* The files, and in `slots` for each file its place among them, from 1. */
static void find_files(const struct sample_recording *recording, const struct frame_time *frames, double all,
                       double least_share, struct array *files, uint32_t *slots)
{
    struct file_time *times = memory_get((recording->files.count + 1) * sizeof *times);
    for (size_t i = 1; i < recording->frames.count; i++) {
        struct file_time *time = &times[ARRAY_AT(struct sample_frame, &recording->frames, i)->file];
        time->self += frames[i].self;
        if (frames[i].calls > time->largest_call)
            time->largest_call = frames[i].calls;
    }
    for (uint32_t i = 1; i < recording->files.count; i++) {
        const struct sample_file *file = ARRAY_AT(struct sample_file, &recording->files, i);
        bool is_hot = times[i].self >= least_share * all && times[i].self > 0;
        bool is_caller = times[i].largest_call >= least_share * all && times[i].largest_call > 0;
        if (!(is_hot || is_caller) || !is_on_disk(file) || (!is_hot && calls_everybody(file->path)))
            continue;
        *(struct hot_file *)array_add(files) = (struct hot_file){.path = sample_file_here(file),
                                                                 .file = i,
                                                                 .share = times[i].self / all,
                                                                 .addresses = ARRAY_OF(uint64_t)};
        slots[i] = (uint32_t)files->count;
    }
    free(times);
}

static void take_addresses(const struct sample_recording *recording, struct frame_time *frames, double all,
                           const struct array *files, const uint32_t *slots)
{
    double left_out = 0;
    size_t count = recording->frames.count;
    for (uint32_t i = 0; i < count; i++)
        frames[i].frame = i;
    qsort(frames, count, sizeof *frames, by_self);
    for (size_t i = 0; i < count; i++) {
        const struct sample_frame *frame = ARRAY_AT(struct sample_frame, &recording->frames, frames[i].frame);
        left_out += frames[i].self;
        bool is_rare = left_out <= RARE_SHARE * all;
        bool is_wanted = (frames[i].self > 0 && !is_rare) || frames[i].calls >= CALL_SHARE * all;
        if (frames[i].frame && is_wanted && slots[frame->file]) {
            struct hot_file *file = ARRAY_AT(struct hot_file, files, slots[frame->file] - 1);
            *(uint64_t *)array_push(&file->addresses) = frame->address;
        }
    }
}

static int by_address(const void *left, const void *right)
{
    const uint64_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

static void sort_addresses(struct array *addresses)
{
    size_t kept = 0;
    if (addresses->count)
        qsort(addresses->data, addresses->count, addresses->width, by_address);
    for (size_t i = 0; i < addresses->count; i++) {
        uint64_t address = *ARRAY_AT(uint64_t, addresses, i);
        if (!kept || *ARRAY_AT(uint64_t, addresses, kept - 1) != address)
            *ARRAY_AT(uint64_t, addresses, kept++) = address;
    }
    addresses->count = kept;
}

static int by_share(const void *left, const void *right)
{
    const struct hot_file *a = left, *b = right;
    if (a->share != b->share)
        return a->share > b->share ? -1 : 1;
    return (a->file > b->file) - (a->file < b->file);
}

void sample_hot_files(const struct sample_recording *recording, double least_share, struct array *files)
{
    *files = ARRAY_OF(struct hot_file);
    struct frame_time *frames = memory_get((recording->frames.count + 1) * sizeof *frames);
    uint32_t *slots = memory_get((recording->files.count + 1) * sizeof *slots);
    double all = find_times(recording, frames);
    find_files(recording, frames, all, least_share, files, slots);
    take_addresses(recording, frames, all, files, slots);
    for (size_t i = 0; i < files->count; i++)
        sort_addresses(&ARRAY_AT(struct hot_file, files, i)->addresses);
    if (files->count)
        qsort(files->data, files->count, files->width, by_share);
    free(frames);
    free(slots);
}

void sample_hot_files_free(struct array *files)
{
    for (size_t i = 0; i < files->count; i++)
        array_free(&ARRAY_AT(struct hot_file, files, i)->addresses);
    array_free(files);
}
