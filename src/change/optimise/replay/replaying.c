/* Running the replay program: its plan in a file in memory, limits on its time and memory, its answer on
   standard output. */
#include "change/optimise/replay/replaying.h"

#include "base/child.h"
#include "change/optimise/replay/placing.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_ANSWER = 64 << 20, MORE_SECONDS = 30 };
static const double usual_patience = 120;

static uint64_t memory_of(const struct codelet *codelet)
{
    uint64_t bytes = 0;
    for (uint64_t i = 0; i < codelet->header->regions.count; i++)
        bytes += codelet->regions[i].end - codelet->regions[i].start;
    return bytes;
}

static bool make_plan(const struct replaying *replaying, struct memory_file *file, struct error *error)
{
    const struct codelet_header *header = replaying->codelet->header;
    const struct array *copies = &replaying->image->copies;
    size_t size = sizeof(struct replay_plan) + copies->count * sizeof(struct replay_copy);
    struct replay_plan *plan = memory_get(size);
    struct hole hole = placing_largest(replaying->codelet->regions, header->regions.count,
                                       (struct hole){header->room, header->room_size});
    *plan = (struct replay_plan){.magic = REPLAY_PLAN_MAGIC,
                                 .copy_count = (uint32_t)copies->count,
                                 .variant = replaying->image->variant,
                                 .tolerance = replaying->tolerance,
                                 .ulps = replaying->ulps,
                                 .budget = replaying->budget,
                                 .patience = replaying->patience,
                                 .memory = hole.start,
                                 .memory_size = hole.size,
                                 .wants_touched = replaying->wants_touched};
    if (copies->count)
        memcpy(plan->copies, copies->data, copies->count * sizeof(struct replay_copy));
    bool is_made = memory_file_make(file, plan, size, error);
    free(plan);
    return is_made;
}

static int stay_on_processor(void *context)
{
    const int *processor = context;
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((unsigned)*processor, &set);
    if (*processor >= 0 && *processor < CPU_SETSIZE)
        sched_setaffinity(0, sizeof set, &set);
    return 0;
}

static const char *step_words(uint32_t step)
{
    static const char *const words[replay_STEPS] = {
        [replay_step_FILES] = "reading the codelet",
        [replay_step_ROOM] = "giving back its own memory",
        [replay_step_MAPS] = "mapping the program's memory at its addresses",
        [replay_step_GUARD] =
            "forbidding system calls (seccomp), which the kernel or a container does not allow",
        [replay_step_MEMORY] = "getting memory",
        [replay_step_SIGNALS] = "taking signals"};
    return step < replay_STEPS ? words[step] : "an unknown step";
}

static bool read_answer(const struct replaying *replaying, const struct child_answer *answer,
                        struct replay_outcome *outcome, struct error *error)
{
    const char *path = replaying->codelet->path;
    if (answer->end == child_end_SLOW)
        return error_set(error, path, "the replay took too long and was ended");
    if (answer->end == child_end_CRASHED && !answer->output.count)
        return error_set(error, path,
                         "the replay program was ended by signal %d (%s) before it could say anything",
                         answer->status, strsignal(answer->status));
    if (answer->output.count < sizeof outcome->answer)
        return error_set(error, path, "the replay program gave no answer");
    memcpy(&outcome->answer, answer->output.data, sizeof outcome->answer);
    const struct replay_answer *given = &outcome->answer;
    uint64_t left = (answer->output.count - sizeof *given) / sizeof(struct replay_touched);
    if (given->magic != REPLAY_ANSWER_MAGIC || given->end >= replay_end_KINDS || given->touched_count > left)
        return error_set(error, path, "the replay program gave an answer that makes no sense");
    outcome->touched = ARRAY_OF(struct replay_touched);
    if (given->touched_count)
        memcpy(array_push_many(&outcome->touched, given->touched_count),
               (const char *)answer->output.data + sizeof *given,
               given->touched_count * sizeof(struct replay_touched));
    return true;
}

/* The original must come back; a variant may do what it likes. */
static bool accept(const struct replaying *replaying, const struct replay_outcome *outcome,
                   struct error *error)
{
    const struct replay_answer *answer = &outcome->answer;
    const char *path = replaying->codelet->path;
    if (answer->end == replay_end_SETUP)
        return error_set(error, path, "cannot be replayed here: %s failed (%s)", step_words(answer->step),
                         strerror((int)answer->detail));
    if (answer->end == replay_end_DONE || answer->is_variant)
        return true;
    char *why = replaying_end_words(replaying->codelet, replaying->image, answer);
    error_set(error, path, "this call cannot be replayed: %s; measure the whole program", why);
    free(why);
    return false;
}

bool replaying_run(const struct replaying *replaying, struct replay_outcome *outcome, struct error *error)
{
    *outcome = (struct replay_outcome){.touched = ARRAY_OF(struct replay_touched)};
    struct memory_file plan;
    char codelet_path[40];
    if (!make_plan(replaying, &plan, error))
        return false;
    int codelet = dup(replaying->file); /* without close-on-exec */
    snprintf(codelet_path, sizeof codelet_path, "/proc/self/fd/%d", codelet);
    const char *words[] = {replaying->image->file.path, codelet_path, plan.path, NULL};
    int processor = replaying->processor;
    struct child_job job = {
        .work = processor >= 0 ? stay_on_processor : NULL,
        .context = &processor,
        .words = words,
        .limits = {.memory = 8 * memory_of(replaying->codelet) + (UINT64_C(16) << 30),
                   .file_size = 1 << 20,
                   .output = MOST_ANSWER,
                   .seconds = MORE_SECONDS + (unsigned)(replaying->budget + 4 * replaying->patience)}};
    struct child_answer answer;
    bool is_done = codelet >= 0 && child_run(&job, &answer, error);
    memory_file_close(&plan);
    if (codelet >= 0)
        close(codelet);
    if (!is_done)
        return error->set ? false : error_set(error, replaying->codelet->path, "cannot be replayed");
    is_done = read_answer(replaying, &answer, outcome, error) && accept(replaying, outcome, error);
    child_answer_free(&answer);
    return is_done;
}

bool replaying_original(const struct codelet *codelet, int file, const char *runtime, double budget,
                        struct replay_outcome *outcome, struct error *error)
{
    struct replay_image image;
    bool is_unlinked;
    *outcome = (struct replay_outcome){.touched = ARRAY_OF(struct replay_touched)};
    if (!link_image(&(struct link_request){.codelet = codelet, .runtime = runtime}, &image, &is_unlinked,
                    error))
        return false;
    struct replaying replaying = {.codelet = codelet,
                                  .file = file,
                                  .image = &image,
                                  .budget = budget,
                                  .patience = usual_patience,
                                  .processor = -1,
                                  .wants_touched = true};
    bool is_done = replaying_run(&replaying, outcome, error);
    link_free(&image);
    return is_done;
}

void replaying_free(struct replay_outcome *outcome)
{
    array_free(&outcome->touched);
}
