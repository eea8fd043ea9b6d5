/* Threads that each compile a variant and read what came of it. Code is known by its digest: the first to
   bring some is its judge, and others with the same code wait for that judgement. */
#include "change/optimise/judge/judge.h"

#include "base/interrupt.h"
#include "base/leftovers.h"
#include "base/workers.h"
#include "change/optimise/judge/judge_parts.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct known_code {
    bool is_judged;
    struct judgement figures; /* its texts belong to this */
};

struct judge {
    const struct extract *extract;
    const struct choices *choices;
    const struct machine *machine;
    unsigned processes;
    char *folder;
    struct judged_loop loop;
    struct array known; /* of struct known_code * */
    size_t file_count;
    pthread_mutex_t lock;
    pthread_cond_t news;
};

struct batch {
    struct judge *judge;
    const struct variant *variants;
    struct judgement *judgements;
    struct error error;
};

static char *copy_text(const char *text)
{
    return text ? memory_format("%s", text) : NULL;
}

void judgement_free(struct judgement *judgement)
{
    free(judgement->problem);
    free(judgement->object);
    *judgement = (struct judgement){0};
}

/* A copy of known figures with texts of its own. */
static void take_figures(struct judgement *judgement, const struct judgement *figures)
{
    *judgement = *figures;
    judgement->problem = copy_text(figures->problem);
    judgement->object = copy_text(figures->object);
}

static size_t next_number(struct judge *judge)
{
    pthread_mutex_lock(&judge->lock);
    size_t number = ++judge->file_count;
    pthread_mutex_unlock(&judge->lock);
    return number;
}

/* Of code with this digest; is_new: the caller has to judge it. */
static struct known_code *know(struct judge *judge, const char *digest, bool *is_new)
{
    struct known_code *code = NULL;
    pthread_mutex_lock(&judge->lock);
    for (size_t i = 0; i < judge->known.count && !code; i++) {
        struct known_code *candidate = *ARRAY_AT(struct known_code *, &judge->known, i);
        if (!strcmp(candidate->figures.digest, digest))
            code = candidate;
    }
    *is_new = !code;
    if (!code) {
        code = memory_get(sizeof *code);
        strcpy(code->figures.digest, digest);
        *(struct known_code **)array_push(&judge->known) = code;
    }
    while (!*is_new && !code->is_judged)
        pthread_cond_wait(&judge->news, &judge->lock);
    pthread_mutex_unlock(&judge->lock);
    return code;
}

static void judge_object(struct judge *judge, const char *object, struct judgement *judgement)
{
    const struct extract *extract = judge->extract;
    char digest[65];
    struct error error = {0};
    if (!judge_digest(object, extract->symbol, extract->is_whole_file, digest, &error)) {
        judgement->problem = copy_text(error.text);
        return;
    }
    bool is_new;
    struct known_code *code = know(judge, digest, &is_new);
    if (is_new) {
        code->figures.is_compiled = true;
        code->figures.object = copy_text(object);
        judge_read(object, &judge->loop, judge->machine, &code->figures);
        pthread_mutex_lock(&judge->lock);
        code->is_judged = true;
        pthread_cond_broadcast(&judge->news);
        pthread_mutex_unlock(&judge->lock);
    } else
        unlink(object);
    take_figures(judgement, &code->figures);
    judgement->is_seen = !is_new;
}

static void judge_one(void *context, size_t item, unsigned worker)
{
    struct batch *batch = context;
    struct judge *judge = batch->judge;
    struct judgement *judgement = &batch->judgements[item];
    (void)worker;
    *judgement = (struct judgement){.cycles = NAN, .entry_cycles = NAN};
    if (interrupt_came())
        return;
    size_t number = next_number(judge);
    char *text = extract_variant(judge->extract, judge->choices, &batch->variants[item]);
    char *text_path = memory_format("%s/%zu%s", judge->folder, number, judge->extract->suffix),
         *object = memory_format("%s/%zu.o", judge->folder, number);
    struct judge_job job = {.extract = judge->extract,
                            .choices = judge->choices,
                            .variant = &batch->variants[item],
                            .text = text,
                            .text_path = text_path,
                            .object = object};
    struct error error = {0};
    if (!judge_compile(&job, &judgement->problem, &error)) {
        pthread_mutex_lock(&judge->lock);
        batch->error = error;
        pthread_mutex_unlock(&judge->lock);
    } else if (!judgement->problem)
        judge_object(judge, object, judgement);
    free(text);
    free(text_path);
    free(object);
}

bool judge_variants(struct judge *judge, const struct variant *variants, size_t count,
                    struct judgement *judgements, struct error *error)
{
    struct batch batch = {.judge = judge, .variants = variants, .judgements = judgements};
    workers_run(judge->processes, count, judge_one, &batch);
    if (batch.error.set)
        *error = batch.error;
    return !batch.error.set;
}

/* The source loop without vectors and unrolling; what one compiler does not know the other does. */
static bool read_source_loop(struct judge *judge, struct error *error)
{
    static const char *const gcc[] = {"-O2",
                                      "-fno-tree-vectorize",
                                      "-fno-tree-slp-vectorize",
                                      "-fno-unroll-loops",
                                      "-fno-peel-loops",
                                      "-fno-tree-loop-distribute-patterns",
                                      "-fno-split-loops",
                                      "-fno-tree-loop-distribution",
                                      NULL};
    static const char *const clang[] = {
        "-O2", "-fno-vectorize", "-fno-slp-vectorize", "-fno-unroll-loops", "-fno-builtin", NULL};
    const struct extract *extract = judge->extract;
    char *text_path = memory_format("%s/loop%s", judge->folder, extract->suffix),
         *object = memory_format("%s/loop.o", judge->folder), *problem = NULL;
    struct judge_job job = {.extract = extract,
                            .choices = judge->choices,
                            .others = extract->compilation->family == compiler_CLANG ? clang : gcc,
                            .text = extract->text,
                            .text_path = text_path,
                            .object = object};
    bool is_fine = judge_compile(&job, &problem, error);
    if (problem)
        is_fine = error_set(error, extract->compilation->source, "does not compile with %s: %s",
                            extract->compilation->compiler, problem);
    is_fine = is_fine && judge_read_loop(object, extract, judge->machine, &judge->loop, error);
    free(problem);
    free(text_path);
    free(object);
    return is_fine;
}

bool judge_begin(const struct extract *extract, const struct choices *choices, const struct machine *machine,
                 unsigned processes, struct judge **judge, struct error *error)
{
    struct judge *new = memory_get(sizeof *new);
    *new = (struct judge){.extract = extract,
                          .choices = choices,
                          .machine = machine,
                          .processes = processes,
                          .known = ARRAY_OF(struct known_code *)};
    pthread_mutex_init(&new->lock, NULL);
    pthread_cond_init(&new->news, NULL);
    new->folder = leftovers_make_folder(error);
    bool is_fine = new->folder &&read_source_loop(new, error);
    *judge = is_fine ? new : NULL;
    if (!is_fine)
        judge_end(new);
    return is_fine;
}

void judge_advice(const struct judge *judge, const char *object, struct array *names)
{
    judge_read_advice(object, &judge->loop, judge->machine, names);
}

const char *judge_folder(const struct judge *judge)
{
    return judge->folder;
}

void judge_end(struct judge *judge)
{
    if (!judge)
        return;
    for (size_t i = 0; i < judge->known.count; i++) {
        struct known_code *code = *ARRAY_AT(struct known_code *, &judge->known, i);
        judgement_free(&code->figures);
        free(code);
    }
    if (judge->folder) {
        leftovers_remove_folder(judge->folder);
        leftovers_drop(judge->folder);
    }
    pthread_mutex_destroy(&judge->lock);
    pthread_cond_destroy(&judge->news);
    array_free(&judge->known);
    free(judge->folder);
    free(judge);
}
