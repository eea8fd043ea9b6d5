/* Recordings become rows, process by process.

   Which files are worth reading: the program, and libraries that events happened in. Reading a library takes
   time in proportion to its size, and its code helps only if a loop or line in it is shown. So a large one is
   read only if it has many events; otherwise only its symbols are known. */
#include "run/denormal/parts.h"

#include "base/regular_file.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* About two seconds of reading; more than any library of mathematics has, but for those that hold every
   kernel for every processor. */
static const int64_t LARGE_BYTES = 24 << 20;
static const uint64_t MANY_EVENTS = 10000;
/* Fewer are an accident, such as registers that the dynamic linker saves. */
static const uint64_t FEW_EVENTS = 16;

static struct denormal_process *process_at(const struct denormal_recording *recording, size_t index)
{
    return *ARRAY_AT(struct denormal_process *, &recording->processes, index);
}

/* Its size in bytes, or -1 if it is not an ELF file on a disk: [vdso], deleted files. */
static int64_t elf_bytes(const char *path)
{
    char magic[SELFMAG];
    uint64_t size = 0;
    if (!path || path[0] != '/')
        return -1;
    int file = regular_file_open(path, &size, NULL);
    bool is_elf = file >= 0 && regular_file_read(file, magic, sizeof magic) == sizeof magic &&
                  !memcmp(magic, ELFMAG, sizeof magic);
    if (file >= 0)
        close(file);
    return is_elf ? (int64_t)size : -1;
}

/* A file that some process had loaded, with the events of all of them. */
struct candidate {
    const char *path;
    uint64_t events;
    bool is_program;
};

static int by_path(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    return strcmp(a->path, b->path);
}

/* Each path once, in order of paths. */
static void merge(struct array *candidates)
{
    size_t kept = 0;
    if (candidates->count)
        qsort(candidates->data, candidates->count, candidates->width, by_path);
    for (size_t i = 0; i < candidates->count; i++) {
        struct candidate *it = ARRAY_AT(struct candidate, candidates, i);
        struct candidate *last = kept ? ARRAY_AT(struct candidate, candidates, kept - 1) : NULL;
        if (last && !strcmp(last->path, it->path)) {
            last->events += it->events;
            last->is_program |= it->is_program;
        } else {
            *ARRAY_AT(struct candidate, candidates, kept++) = *it;
        }
    }
    candidates->count = kept;
}

static void take(struct array *paths, const char *path)
{
    *(char **)array_push(paths) = memory_copy_text(path, strlen(path));
}

static void choose(const struct array *candidates, const char *first, struct array *paths)
{
    if (first && elf_bytes(first) >= 0)
        take(paths, first);
    for (int programs = 1; programs >= 0; programs--)
        for (size_t i = 0; i < candidates->count; i++) {
            const struct candidate *it = ARRAY_AT(struct candidate, candidates, i);
            int64_t bytes = it->events && it->is_program == programs ? elf_bytes(it->path) : -1;
            bool is_worth_it = it->is_program || (bytes <= LARGE_BYTES && it->events >= FEW_EVENTS) ||
                               it->events >= MANY_EVENTS;
            if (bytes >= 0 && is_worth_it && (!first || strcmp(first, it->path)))
                take(paths, it->path);
        }
}

bool denormal_modules(const struct denormal_recording *recording, struct array *paths, struct error *error)
{
    struct array candidates = ARRAY_OF(struct candidate);
    const char *first = NULL;
    struct error failure = {0};
    bool is_done = false;
    for (size_t i = 0; i < recording->processes.count; i++) {
        const struct array *modules =
            denormal_process_modules(process_at(recording, i), recording->options.tool, &failure);
        is_done |= modules != NULL;
        for (size_t j = 0; modules && j < modules->count; j++) {
            const struct places_loaded *module = ARRAY_AT(struct places_loaded, modules, j);
            if (!module->path)
                continue;
            if (!first && j == 0)
                first = module->path;
            *(struct candidate *)array_push(&candidates) =
                (struct candidate){module->path, module->events, j == 0};
        }
    }
    merge(&candidates);
    choose(&candidates, first, paths);
    array_free(&candidates);
    return is_done || (failure.set ? error_set(error, NULL, "%s", failure.text)
                                   : error_set(error, NULL, "nothing was recorded"));
}

void denormal_add_limit(struct model *model, enum denormal_limit_kind kind, uint64_t count, const char *text)
{
    uint32_t run = model_last(&model->denormal_runs), position = 1;
    for (size_t i = model->denormal_limits.count; i-- > 0; position++)
        if (model_denormal_limit(model, (uint32_t)i)->run != run)
            break;
    *(struct denormal_limit *)model_add(&model->denormal_limits) =
        (struct denormal_limit){.run = run,
                                .position = position,
                                .kind = (uint8_t)kind,
                                .count = count,
                                .text = model_string(model, text)};
}

/* Whether a process is listed: all with events are, and of the others one for each program, since a script
   starts hundreds that have nothing to show. */
static bool is_listed(const struct denormal_recording *recording, size_t index, struct strings *programs)
{
    struct error ignored = {0};
    const struct array *modules =
        denormal_process_modules(process_at(recording, index), recording->options.tool, &ignored);
    bool is_listed = !modules || recording->options.binades || index == 0;
    for (size_t i = 0; modules && i < modules->count; i++)
        is_listed |= ARRAY_AT(struct places_loaded, modules, i)->events > 0;
    const char *program = modules && modules->count ? ARRAY_AT(struct places_loaded, modules, 0)->path : NULL;
    is_listed |= !program || !strings_find(programs, program);
    if (is_listed)
        strings_add(programs, program);
    return is_listed;
}

bool denormal_add(struct model *model, const struct denormal_recording *recording, struct error *error)
{
    struct strings programs = {0}; /* that are listed */
    struct array listed = ARRAY_OF(struct denormal_process *);
    struct error failure = {0};
    uint64_t left_out, lost = 0;
    size_t before = model->denormal_runs.count;
    for (size_t i = 0; i < recording->processes.count; i++)
        if (is_listed(recording, i, &programs))
            *(struct denormal_process **)array_push(&listed) = process_at(recording, i);
    strings_free(&programs);
    left_out = recording->processes.count - listed.count;
    for (size_t i = 0; i < listed.count; i++) {
        lost += !denormal_process_add(*ARRAY_AT(struct denormal_process *, &listed, i), model, recording,
                                      &failure);
        if (left_out && model->denormal_runs.count > before) {
            denormal_add_limit(model, denormal_limit_kind_LEFT_OUT, left_out,
                               denormal_limit_kind_doc(denormal_limit_kind_LEFT_OUT));
            left_out = 0;
        }
    }
    array_free(&listed);
    if (model->denormal_runs.count == before)
        return failure.set ? error_set(error, NULL, "%s", failure.text)
                           : error_set(error, NULL, "nothing was recorded");
    if (lost) {
        char *text =
            memory_format("%s (%s)", denormal_limit_kind_doc(denormal_limit_kind_UNREAD), failure.text);
        denormal_add_limit(model, denormal_limit_kind_UNREAD, lost, text);
        free(text);
    }
    return true;
}
