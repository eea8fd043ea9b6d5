/* The answer: when all will be done, what is late, what failed. Each sentence is about the chosen workflows.
 */
#include "base/regular_file.h"
#include "show/report/common/phrases.h"
#include "show/report/common/times.h"
#include "show/report/schedule/view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OUTPUT_LINES = 5, OUTPUT_BYTES = 4096, MOST_OUTPUTS = 20 };

/* --- what is late --- */

static void note_late(struct schedule_view *view, const char *workflow, const char *task, double deadline,
                      double ends, double latest, bool is_over, bool is_guessed)
{
    enum lateness lateness;
    if (isnan(deadline))
        return;
    if (is_over ? ends > deadline : view->now > deadline)
        lateness = late_MISSED;
    else if (!is_over && ends > deadline && !is_guessed)
        lateness = late_WILL_BE;
    else if (!is_over && fmax(ends, latest) > deadline)
        lateness = late_MAY_BE;
    else
        return;
    *(struct view_late *)array_add(&view->late) = (struct view_late){.workflow = workflow,
                                                                     .task = task,
                                                                     .deadline = deadline,
                                                                     .ends = ends,
                                                                     .is_guessed = is_guessed,
                                                                     .lateness = lateness};
}

static bool is_over(const struct view_task *task)
{
    return task->state == task_DONE || task->state == task_CANCELLED;
}

/* If the task takes as long as the upper end of its interval. */
static double latest_end(const struct view_task *task)
{
    double lower, upper;
    bool has_interval = view_task_interval(task, &lower, &upper) && !isnan(upper);
    return has_interval ? task->begins + upper : task->ends;
}

/* Whether a plan of this workflow rests on a guess. */
static bool has_guess(const struct schedule_view *view, uint32_t number)
{
    for (size_t i = 0; i < view->tasks.count; i++) {
        const struct view_task *task = VIEW_TASK(view, i);
        if (task->workflow == number && !task->is_probe && !is_over(task) &&
            !strcmp(task->estimate_from, "mean"))
            return true;
    }
    return false;
}

static void note_workflow(struct schedule_view *view, uint32_t number)
{
    const struct view_workflow *workflow = VIEW_WORKFLOW(view, number);
    bool all_over = true;
    double latest = NAN;
    if (isnan(workflow->deadline))
        return;
    for (size_t i = 0; i < view->tasks.count; i++) {
        const struct view_task *task = VIEW_TASK(view, i);
        if (task->workflow != number || task->is_probe)
            continue;
        all_over &= is_over(task);
        latest = fmax(isnan(latest) ? -INFINITY : latest, latest_end(task));
    }
    note_late(view, workflow->name, NULL, workflow->deadline, workflow->ends, latest, all_over,
              has_guess(view, number));
}

static int by_lateness(const void *a, const void *b)
{
    const struct view_late *x = a, *y = b;
    if (x->lateness != y->lateness)
        return x->lateness < y->lateness ? -1 : 1;
    return (x->deadline > y->deadline) - (x->deadline < y->deadline);
}

void view_find_late(struct schedule_view *view)
{
    for (uint32_t i = 0; i < view->workflows.count; i++) {
        const struct view_workflow *workflow = VIEW_WORKFLOW(view, i);
        if (workflow->is_chosen && !workflow->is_cancelled)
            note_workflow(view, i);
    }
    for (size_t i = 0; i < view->tasks.count; i++) {
        const struct view_task *task = VIEW_TASK(view, i);
        if (task->is_chosen && !task->is_probe && task->state != task_CANCELLED)
            note_late(view, view_workflow_of(view, task)->name, task->name, task->deadline, task->ends,
                      latest_end(task), is_over(task),
                      !isnan(task->deadline) && has_guess(view, task->workflow));
    }
    if (view->late.count)
        qsort(view->late.data, view->late.count, view->late.width, by_lateness);
}

char *schedule_late_words(const struct schedule_view *view, const struct view_late *late)
{
    char *due = phrase_moment(late->deadline, view->now, view->has_clock),
         *by = phrase_duration(fabs(late->ends - late->deadline)),
         *over = phrase_duration(fabs(view->now - late->deadline)), *words;
    const char *slash = late->task ? "/" : "", *task = late->task ? late->task : "";
    if (late->lateness == late_WILL_BE)
        words = memory_format("%s%s%s will be late by %s: due at %s.", late->workflow, slash, task, by, due);
    else if (late->lateness == late_MAY_BE && late->is_guessed)
        words = memory_format("%s%s%s may be late: due at %s, and how long its tasks take is a guess.",
                              late->workflow, slash, task, due);
    else if (late->lateness == late_MAY_BE)
        words =
            memory_format("%s%s%s may be late: due at %s, and the upper end of its estimate is after that.",
                          late->workflow, slash, task, due);
    else if (late->ends > late->deadline && late->ends <= view->now)
        words =
            memory_format("%s%s%s ended %s late: it was due at %s.", late->workflow, slash, task, by, due);
    else
        words = memory_format("%s%s%s is not done and was due %s ago, at %s.", late->workflow, slash, task,
                              over, due);
    free(due);
    free(by);
    free(over);
    return words;
}

/* --- what failed --- */

char *view_output_path(const struct schedule_view *view, const struct view_task *task)
{
    return view->spool && task->tag && !strchr(task->tag, '/')
               ? memory_format("%s/%s/output", view->spool, task->tag)
               : NULL;
}

/* The last lines of a file; NULL: it has none, or cannot be read. */
static char *last_lines(const char *path)
{
    uint64_t size = 0;
    int file = regular_file_open(path, &size, NULL);
    if (file < 0)
        return NULL;
    char text[OUTPUT_BYTES + 1];
    uint64_t from = size > OUTPUT_BYTES ? size - OUTPUT_BYTES : 0;
    ssize_t length = pread(file, text, OUTPUT_BYTES, (off_t)from);
    close(file);
    while (length > 0 && text[length - 1] == '\n')
        length--;
    if (length <= 0)
        return NULL;
    ssize_t start = length;
    for (unsigned lines = 0; start > 0; start--)
        if (text[start - 1] == '\n' && ++lines == OUTPUT_LINES)
            break;
    /* Zeros would end the text. */
    for (ssize_t i = start; i < length; i++)
        text[i] = text[i] ? text[i] : ' ';
    return memory_copy_text(text + start, (size_t)(length - start));
}

void view_read_outputs(struct schedule_view *view)
{
    struct array failed = schedule_failed(view);
    for (size_t i = 0; i < failed.count && i < MOST_OUTPUTS; i++) {
        struct view_task *task = VIEW_TASK(view, *ARRAY_AT(uint32_t, &failed, i));
        autofree char *path = view_output_path(view, task);
        task->output = path ? last_lines(path) : NULL;
    }
    array_free(&failed);
}

struct array schedule_failed(const struct schedule_view *view)
{
    struct array failed = ARRAY_OF(uint32_t);
    for (uint32_t i = 0; i < view->tasks.count; i++)
        if (VIEW_TASK(view, i)->is_chosen && VIEW_TASK(view, i)->state == task_FAILED)
            *(uint32_t *)array_add(&failed) = i;
    return failed;
}

char *schedule_failure_words(const struct schedule_view *view, const struct view_task *task)
{
    char *name = view_task_name(view, task), *words = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&words, &size);
    fprintf(out, "%s%s failed", task->is_probe ? "Probe " : "", name);
    if (task->has_exit && task->exit_status > 128 && task->exit_status < 192) {
        autofree char *end = phrase_end(0, task->exit_status - 128);
        fprintf(out, ", %s", end);
    } else if (task->has_exit && task->exit_status) {
        fprintf(out, " with exit status %lld", (long long)task->exit_status);
    }
    if (!isnan(task->ends)) {
        autofree char *when = phrase_moment(task->ends, view->now, view->has_clock);
        fprintf(out, " at %s", when);
    }
    if (task->attempts > 1)
        fprintf(out, ", after %u attempts", task->attempts);
    if (task->problem)
        fprintf(out, ": %s", task->problem);
    size_t length = (fflush(out), size);
    fputs(length && words[length - 1] == '.' ? "" : ".", out);
    fclose(out);
    free(name);
    return words;
}

struct array schedule_stuck(const struct schedule_view *view, size_t most)
{
    struct array sentences = ARRAY_OF(char *);
    size_t count = 0;
    for (size_t i = 0; i < view->tasks.count; i++) {
        const struct view_task *task = VIEW_TASK(view, i);
        if (!task->stuck || (count++ >= most && most))
            continue;
        autofree char *name = view_task_name(view, task);
        sentences_say(&sentences, memory_format("%s: %s.", name, task->stuck));
    }
    if (most && count > most)
        sentences_say(&sentences, memory_format("And %zu more.", count - most));
    return sentences;
}

/* --- the answer --- */

static char *counted(unsigned count, const char *one, const char *many)
{
    char *digits = phrase_count(count), *words = memory_format("%s %s", digits, count == 1 ? one : many);
    free(digits);
    return words;
}

static void say_done(const struct schedule_view *view, struct array *sentences)
{
    unsigned count = 0;
    for (enum task_state state = 0; state < task_STATES; state++)
        count += view->counts[state];
    autofree char *tasks = counted(count, "task", "tasks"),
                  *took = phrase_duration(view->ends - view->begins),
                  *when = phrase_moment(view->ends, view->now, view->has_clock);
    if (view->counts[task_DONE] == count)
        sentences_say(sentences, view->bars.count
                                     ? memory_format("All done: %s in %s, until %s.", tasks, took, when)
                                     : memory_format("All done: %s.", tasks));
    else if (view->counts[task_DONE])
        sentences_say(sentences, memory_format("Nothing is left that could run: %u of %s %s done.",
                                               view->counts[task_DONE], tasks,
                                               view->counts[task_DONE] == 1 ? "is" : "are"));
    else
        sentences_say(sentences,
                      memory_format("Nothing is left that could run, and none of %s is done.", tasks));
}

/* The end of the last task that is not speculative; NaN: none of them is planned.  stuck: those that cannot
 * be. */
static double end_of_all(const struct schedule_view *view, unsigned *unplanned, unsigned *stuck)
{
    double ends = NAN;
    for (size_t i = 0; i < view->tasks.count; i++) {
        const struct view_task *task = VIEW_TASK(view, i);
        bool is_open = task->state == task_WAITING || task->state == task_RUNNING;
        if (!task->is_chosen || task->is_probe || !is_open || view_workflow_of(view, task)->is_speculative)
            continue;
        if (task->stuck)
            ++*stuck;
        else if (isnan(task->ends) || (task->state == task_WAITING && isnan(task->packed)))
            ++*unplanned;
        else
            ends = isnan(ends) ? task->ends : fmax(ends, task->ends);
    }
    return ends;
}

static void say_open(const struct schedule_view *view, struct array *sentences)
{
    unsigned unplanned = 0, stuck = 0, guessed = 0;
    double ends = end_of_all(view, &unplanned, &stuck);
    autofree char *when = phrase_moment(ends, view->now, view->has_clock),
                  *in = phrase_duration(ends - view->now);
    if (isnan(ends) && !unplanned && stuck)
        sentences_say(sentences, memory_format("Nothing is left that could run."));
    else if (isnan(ends) && !unplanned)
        sentences_say(sentences, memory_format("Only speculative tasks are left; they are never started."));
    else if (isnan(ends))
        sentences_say(sentences,
                      memory_format("When all will be done is not known: nothing is planned yet."));
    else if (ends <= view->now)
        sentences_say(sentences,
                      memory_format("All should be done by now, but tasks take longer than estimated."));
    else if (view->has_clock)
        sentences_say(sentences, memory_format("All will be done at about %s, in %s.", when, in));
    else
        sentences_say(sentences,
                      memory_format("All will be done in about %s, %s after the beginning.", in, when));
    if (stuck)
        sentences_say(sentences, memory_format("%u of the tasks that wait cannot be started.", stuck));
    if (unplanned && !isnan(ends))
        sentences_say(sentences, memory_format("%u of the tasks that wait %s not planned yet.", unplanned,
                                               unplanned == 1 ? "is" : "are"));
    autofree char *done = counted(view->counts[task_DONE], "task is done", "tasks are done");
    sentences_say(sentences,
                  memory_format("%s, %u run%s, %u wait%s.", done, view->counts[task_RUNNING],
                                view->counts[task_RUNNING] == 1 ? "s" : "", view->counts[task_WAITING],
                                view->counts[task_WAITING] == 1 ? "s" : ""));
    for (size_t i = 0; i < view->tasks.count; i++) {
        const struct view_task *task = VIEW_TASK(view, i);
        guessed += task->is_chosen && !task->is_probe && task->state == task_WAITING && !task->stuck &&
                   (isnan(task->seconds) || !strcmp(task->estimate_from, "mean"));
    }
    if (guessed)
        sentences_say(sentences,
                      memory_format("The time%s of %u %s guessed from other tasks so far.",
                                    guessed == 1 ? "" : "s", guessed, guessed == 1 ? "is" : "are"));
    if (!view->is_attended && (unplanned || !isnan(ends)))
        sentences_say(
            sentences,
            memory_format("No scheduler runs, so nothing is started: assay schedule run starts one."));
}

static void say_trouble(const struct schedule_view *view, struct array *sentences)
{
    unsigned failed = view->counts[task_FAILED], blocked = view->counts[task_BLOCKED], late[3] = {0};
    if (failed)
        sentences_say(sentences, counted(failed, "task failed", "tasks failed"));
    if (failed && blocked) {
        char **last = ARRAY_AT(char *, sentences, sentences->count - 1);
        char *longer = memory_format("%s, and %u cannot run because of that.", *last, blocked);
        free(*last);
        *last = longer;
    } else if (failed) {
        char **last = ARRAY_AT(char *, sentences, sentences->count - 1);
        char *longer = memory_format("%s.", *last);
        free(*last);
        *last = longer;
    } else if (blocked) {
        sentences_say(sentences, memory_format("%u cannot run, because a task that %s failed.", blocked,
                                               blocked == 1 ? "it needs" : "they need"));
    }
    if (view->counts[task_CANCELLED])
        sentences_say(sentences, memory_format("%u cancelled.", view->counts[task_CANCELLED]));
    for (size_t i = 0; i < view->late.count; i++)
        late[ARRAY_AT(struct view_late, &view->late, i)->lateness]++;
    if (late[late_MISSED])
        sentences_say(sentences, memory_format("%u deadline%s missed.", late[late_MISSED],
                                               late[late_MISSED] == 1 ? " was" : "s were"));
    if (late[late_WILL_BE] || late[late_MAY_BE])
        sentences_say(sentences,
                      memory_format("%u deadline%s in danger.", late[late_WILL_BE] + late[late_MAY_BE],
                                    late[late_WILL_BE] + late[late_MAY_BE] == 1 ? " is" : "s are"));
    if (!view->late.count && !schedule_view_is_done(view))
        for (size_t i = 0; i < view->tasks.count; i++)
            if (VIEW_TASK(view, i)->is_chosen &&
                (!isnan(VIEW_TASK(view, i)->deadline) ||
                 !isnan(view_workflow_of(view, VIEW_TASK(view, i))->deadline))) {
                sentences_say(sentences, memory_format("No deadline is in danger."));
                break;
            }
}

struct array schedule_answer(const struct schedule_view *view)
{
    struct array sentences = ARRAY_OF(char *);
    unsigned count = view->probes;
    for (enum task_state state = 0; state < task_STATES; state++)
        count += view->counts[state];
    if (!count) {
        sentences_say(
            &sentences,
            view->workflows.count
                ? memory_format("The chosen workflows have no tasks.")
                : memory_format("Nothing was submitted yet: assay schedule submit FILE adds a workflow."));
        return sentences;
    }
    if (schedule_view_is_done(view))
        say_done(view, &sentences);
    else
        say_open(view, &sentences);
    say_trouble(view, &sentences);
    return sentences;
}
