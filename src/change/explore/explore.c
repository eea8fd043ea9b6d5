/* Attempts are compiled and read by several threads; each works in a folder of its own. */
#include "change/explore/explore.h"

#include "base/leftovers.h"
#include "base/workers.h"
#include "change/explore/explore_parts.h"
#include "code/quality/families.h"
#include "code/quality/quality.h"
#include "code/read/read.h"
#include "code/remarks/remarks.h"
#include "code/structure/structure.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct batch {
    struct explored *explored;
    const struct explore_request *request;
    const struct loop_machines *machines;
    pthread_mutex_t lock;
    struct error error;
};

/* Words of a text at blanks, but for quotes: of char *. */
static bool split(const char *text, struct array *words, struct error *error)
{
    const char *all = text;
    while (*(text += strspn(text, " \t\n"))) {
        char *word = memory_get(strlen(text) + 1), *end = word, quote = 0;
        for (; *text && (quote || !strchr(" \t\n", *text)); text++) {
            if (quote ? *text == quote : *text == '\'' || *text == '"')
                quote = quote ? 0 : *text;
            else
                *end++ = *text;
        }
        *(char **)array_push(words) = word;
        if (quote)
            return error_set(error, NULL, "a quote (%c) is not closed in: %s", quote, all);
    }
    return true;
}

static void copy_words(const struct array *from, struct array *to)
{
    for (size_t i = 0; i < from->count; i++)
        *(char **)array_push(to) = memory_format("%s", *ARRAY_AT(char *, from, i));
}

static void copy_compilation(const struct compilation *from, struct compilation *to)
{
    *to = (struct compilation){.compiler = memory_format("%s", from->compiler),
                               .version = memory_format("%s", from->version),
                               .family = from->family,
                               .language = from->language,
                               .folder = memory_format("%s", from->folder),
                               .source = memory_format("%s", from->source),
                               .meaning = ARRAY_OF(char *),
                               .tuning = ARRAY_OF(char *),
                               .dropped = from->dropped};
    copy_words(&from->meaning, &to->meaning);
    copy_words(&from->tuning, &to->tuning);
}

/* The compilation of an attempt; false: the error says why there is none. */
static bool prepare(const struct explore_request *request, struct explore_attempt *attempt,
                    struct error *error)
{
    struct array words = ARRAY_OF(char *);
    if (!attempt->compiler)
        copy_compilation(request->compilation, &attempt->compilation);
    else if (!compilation_with_compiler(request->compilation, attempt->compiler, &attempt->compilation,
                                        error))
        return false;
    attempt->is_prepared = true;
    bool done = split(attempt->flags ? attempt->flags : "", &words, error) &&
                compilation_add_options(&attempt->compilation, words.data, words.count, error);
    array_free_texts(&words);
    return done;
}

static bool read_object(const char *path, struct model *model, struct error *error)
{
    const struct read_options reading = {.threads = 1};
    const struct structure_options building = {.threads = 1, .path_limit = QUALITY_PATHS};
    return read_file(model, path, &reading, error) && structure_build(model, &building, error);
}

static void free_model(struct model **model)
{
    if (*model)
        model_free(*model);
    free(*model);
    *model = NULL;
}

/* Reads folder/loop.o; NULL: the error says why. */
static struct model *read_folder(const char *folder, struct error *error)
{
    autofree char *path = memory_format("%s/loop.o", folder);
    struct model *model = memory_get(sizeof *model);
    model_init(model);
    if (!read_object(path, model, error))
        free_model(&model);
    return model;
}

static void keep_error(struct batch *batch, const struct error *error)
{
    pthread_mutex_lock(&batch->lock);
    if (!batch->error.set)
        batch->error = *error;
    pthread_mutex_unlock(&batch->lock);
}

static void compile_one(void *context, size_t item, unsigned worker)
{
    struct batch *batch = context;
    const struct explore_request *request = batch->request;
    struct explore_attempt *attempt = &batch->explored->attempts[item];
    struct error error = {0}, problem = {0};
    (void)worker;
    attempt->records = memory_format("%s/%zu", batch->explored->folder, item);
    struct explore_object object = {
        .compilation = &attempt->compilation, .folder = attempt->records, .seconds = request->seconds};
    if (mkdir(attempt->records, 0700))
        error_set_errno(&error, attempt->records, "cannot be made");
    else if (prepare(request, attempt, &problem) &&
             explore_object_compile(&object, &attempt->problem, &attempt->ignored, &error) &&
             !attempt->problem)
        attempt->model = read_folder(attempt->records, &problem);
    if (problem.set)
        attempt->problem = memory_format("%s", problem.text);
    if (attempt->model)
        attempt->problem = explore_place_find(attempt->model, request->file, request->line, &attempt->loops);
    if (error.set)
        keep_error(batch, &error);
}

/* The source loop by the first attempt that compiled, without vectors and unrolling. Where that fails, cycles are
   compared as far as the loops themselves show it. */
static void compile_plain(struct explored *explored, const struct explore_request *request)
{
    static const char *const gcc[] = {"-O2",
                                      "-fno-tree-vectorize",
                                      "-fno-tree-slp-vectorize",
                                      "-fno-unroll-loops",
                                      "-fno-peel-loops",
                                      "-fno-tree-loop-distribute-patterns",
                                      "-fno-tree-loop-distribution",
                                      "-fno-split-loops",
                                      "--param=max-completely-peel-times=0",
                                      NULL};
    static const char *const clang[] = {
        "-O2",          "-fno-vectorize", "-fno-slp-vectorize",       "-fno-unroll-loops",
        "-fno-builtin", "-mllvm",         "-unroll-full-max-count=0", NULL};
    size_t found = 0;
    bool is_needed = explored->count > 1;
    while (found < explored->count && !explored->attempts[found].model)
        found++;
    for (size_t i = 0; i < explored->count; i++)
        is_needed |= explored->attempts[i].model && !explored->attempts[i].loops.count;
    autofree char *folder = memory_format("%s/plain", explored->folder);
    if (!is_needed || found == explored->count || mkdir(folder, 0700))
        return;
    const struct compilation *compilation = &explored->attempts[found].compilation;
    struct explore_object object = {.compilation = compilation,
                                    .others = compilation->family == compiler_CLANG ? clang : gcc,
                                    .folder = folder,
                                    .seconds = request->seconds};
    autofree char *problem = NULL, *ignored = NULL;
    struct error error = {0};
    if (explore_object_compile(&object, &problem, &ignored, &error) && !problem)
        explored->plain = read_folder(folder, &error);
}

/* The loop is in the source, and in no attempt's code: that is said instead of its neighbours. */
static void say_gone(struct explored *explored, const struct explore_request *request)
{
    struct array loops = ARRAY_OF(uint32_t);
    autofree char *lack =
        explored->plain ? explore_place_find(explored->plain, request->file, request->line, &loops) : NULL;
    for (size_t i = 0; i < explored->count && loops.count; i++) {
        struct explore_attempt *attempt = &explored->attempts[i];
        if (!attempt->model || attempt->loops.count)
            continue;
        free(attempt->problem);
        attempt->problem =
            memory_format("no loop is left of line %u: it is unrolled completely, computed in advance, or a "
                          "call of a library function is in its place",
                          request->line);
    }
    array_free(&loops);
}

bool explore_compile(const struct explore_request *request, struct explored *explored, struct error *error)
{
    size_t compilers = request->compiler_count ? request->compiler_count : 1,
           flags = request->flag_count ? request->flag_count : 1;
    *explored = (struct explored){.attempts = memory_get(compilers * flags * sizeof *explored->attempts),
                                  .count = compilers * flags,
                                  .line = request->line,
                                  .file = request->file};
    for (size_t i = 0; i < explored->count; i++)
        explored->attempts[i] = (struct explore_attempt){
            .compiler = request->compiler_count ? request->compilers[i / flags] : NULL,
            .flags = request->flag_count ? request->flags[i % flags] : NULL,
            .loops = ARRAY_OF(uint32_t),
            .half = {.cycles = NAN},
            .cycles = NAN};
    explored->folder = leftovers_make_folder(error);
    if (!explored->folder)
        return false;
    struct batch batch = {.explored = explored, .request = request};
    pthread_mutex_init(&batch.lock, NULL);
    workers_run(request->threads, explored->count, compile_one, &batch);
    pthread_mutex_destroy(&batch.lock);
    if (batch.error.set) {
        *error = batch.error;
        return false;
    }
    compile_plain(explored, request);
    say_gone(explored, request);
    return true;
}

/* --- what the loops are worth --- */
static void take_remarks(struct explore_attempt *attempt)
{
    struct remarks remarks;
    struct error error = {0};
    remarks_begin(&remarks);
    if (remarks_read(&remarks, attempt->records, &error)) /* an old compiler writes none */
        remarks_place(&remarks, attempt->model, &attempt->loops);
    remarks_free(&remarks);
}

static double work_of(const struct half *half)
{
    return half->footprint.flops + half->footprint.stored + half->footprint.loaded;
}

static bool is_main(const struct half *half)
{
    return !half->role || half->role->role == loop_role_ONLY || half->role->role == loop_role_MAIN;
}

/* The loop that does most of the work of the line: a main loop, the one with most work in an iteration. */
static struct half find_main(const struct model *model, const struct array *loops)
{
    struct half best = {.cycles = NAN};
    for (size_t i = 0; i < loops->count; i++) {
        struct half half = half_read(model, *ARRAY_AT(uint32_t, loops, i));
        bool is_better = is_main(&half) != is_main(&best) ? is_main(&half) : work_of(&half) > work_of(&best);
        if (!best.loop || is_better)
            best = half;
    }
    return best;
}

static void judge_loops(struct model *model, const struct loop_machines *machines, const struct array *loops)
{
    struct quality_options options = {.machines = *machines, .threads = 1, .path_limit = QUALITY_PATHS};
    if (loops->count)
        quality_build(model, &options, loops);
}

static void judge_one(void *context, size_t item, unsigned worker)
{
    struct batch *batch = context;
    struct explore_attempt *attempt = &batch->explored->attempts[item];
    (void)worker;
    if (!attempt->loops.count)
        return;
    judge_loops(attempt->model, batch->machines, &attempt->loops);
    take_remarks(attempt);
    attempt->half = find_main(attempt->model, &attempt->loops);
    attempt->loop = attempt->half.loop;
}

static void compare(const struct half *plain, struct explore_attempt *attempt)
{
    const struct half *half = &attempt->half;
    double ratio = plain->loop ? half_work_ratio(plain, half) : 0;
    bool has_vectors =
        half->footprint.lanes > 1 || half->footprint.has_vectors || half->footprint.is_scalable;
    attempt->vector_bits = has_vectors ? half->vector_bits : 0;
    attempt->iterations = ratio > 0 ? ratio : half->iterations;
    attempt->cycles = attempt->iterations > 0 ? half->cycles / attempt->iterations : NAN;
}

void explore_judge(struct explored *explored, const struct loop_machines *machines, unsigned threads)
{
    struct batch batch = {.explored = explored, .machines = machines};
    struct array loops = ARRAY_OF(uint32_t);
    struct half plain = {.loop = 0};
    workers_run(threads, explored->count, judge_one, &batch);
    if (explored->plain) {
        free(explore_place_find(explored->plain, explored->file, explored->line, &loops));
        judge_loops(explored->plain, machines, &loops);
        if (loops.count)
            plain = find_main(explored->plain, &loops);
        explored->plain_loop = plain.loop;
    }
    for (size_t i = 0; i < explored->count; i++)
        if (explored->attempts[i].loop)
            compare(&plain, &explored->attempts[i]);
    array_free(&loops);
}

size_t explore_best(const struct explored *explored)
{
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < explored->count; i++)
        if (explored->attempts[i].cycles > 0 &&
            (best == SIZE_MAX || explored->attempts[i].cycles < explored->attempts[best].cycles))
            best = i;
    return best;
}

void explore_free(struct explored *explored)
{
    for (size_t i = 0; i < explored->count; i++) {
        struct explore_attempt *attempt = &explored->attempts[i];
        if (attempt->is_prepared)
            compilation_free(&attempt->compilation);
        free_model(&attempt->model);
        free(attempt->problem);
        free(attempt->ignored);
        free(attempt->records);
        array_free(&attempt->loops);
    }
    free_model(&explored->plain);
    if (explored->folder) {
        leftovers_remove_folder(explored->folder);
        leftovers_drop(explored->folder);
    }
    free(explored->folder);
    free(explored->attempts);
    *explored = (struct explored){0};
}
