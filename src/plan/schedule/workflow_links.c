/* Dependences: `after` names tasks, and who reads a file waits for who writes it.

   A cycle is found by removing tasks that wait for nothing, again and again: what is left waits for itself.
   To name it, one walks from any task that is left to one that it waits for, until a task comes again. */
#include "plan/schedule/workflow_links.h"

#include "base/nearest.h"
#include "base/strings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct links {
    struct workflow *workflow;
    struct strings names, paths;
    size_t *by_name, *by_path; /* task, by string id */
    size_t path_capacity;
};

static struct workflow_task *task_at(const struct workflow *workflow, size_t index)
{
    return ARRAY_AT(struct workflow_task, &workflow->tasks, index);
}

static const struct settings_section *section_of(const struct workflow *workflow, size_t task)
{
    return ARRAY_AT(struct settings_section, &workflow->settings.sections, task + 1);
}

/* That no name is there twice was found when the file was read. */
static void index_names(struct links *links)
{
    struct workflow *workflow = links->workflow;
    links->by_name = memory_get((workflow->tasks.count + 2) * sizeof *links->by_name);
    for (size_t i = 0; i < workflow->tasks.count; i++)
        links->by_name[strings_add(&links->names, task_at(workflow, i)->name)] = i;
}

/* "out.mif 20M": the last word is a size where it can be one. */
static void split_size(char *text, double *bytes)
{
    char *blank = strrchr(text, ' ');
    double number;
    *bytes = NAN;
    if (!blank || !settings_parse_bytes(blank + 1, &number))
        return;
    *bytes = number;
    while (blank > text && blank[-1] == ' ')
        blank--;
    *blank = 0;
}

static bool read_files(struct links *links, size_t index, const char *key, bool is_output,
                       struct error *error)
{
    struct workflow *workflow = links->workflow;
    const struct setting *setting = settings_find(&workflow->settings, section_of(workflow, index), key);
    struct array items = ARRAY_OF(char *);
    if (!setting)
        return true;
    bool is_good = settings_list(&workflow->settings, setting, &items, error);
    for (size_t i = 0; is_good && i < items.count; i++) {
        char *name = *ARRAY_AT(char *, &items, i);
        struct workflow_file *file = array_add(&task_at(workflow, index)->files);
        file->is_output = is_output;
        file->setting = setting;
        split_size(name, &file->bytes);
        size_t size = strlen(workflow->folder) + strlen(name) + 2;
        char *path = arena_get(&workflow->settings.arena, size);
        snprintf(path, size, "%s%s%s", *name == '/' ? "" : workflow->folder, *name == '/' ? "" : "/", name);
        file->path = path;
    }
    array_free(&items);
    return is_good;
}

static void grow_paths(struct links *links, string_id id)
{
    if (id < links->path_capacity)
        return;
    size_t capacity = 2 * links->path_capacity + 64;
    links->by_path = memory_grow(links->by_path, links->path_capacity * sizeof *links->by_path,
                                 capacity * sizeof *links->by_path);
    links->path_capacity = capacity;
}

static bool index_outputs(struct links *links, size_t index, struct error *error)
{
    const struct workflow_task *task = task_at(links->workflow, index);
    for (size_t i = 0; i < task->files.count; i++) {
        const struct workflow_file *file = ARRAY_AT(struct workflow_file, &task->files, i);
        if (!file->is_output)
            continue;
        string_id known = strings_find(&links->paths, file->path);
        if (known)
            return settings_complain(&links->workflow->settings, file->setting, error,
                                     "%s is written by task %s, too: only one task can write a file",
                                     file->path, task_at(links->workflow, links->by_path[known])->name);
        string_id id = strings_add(&links->paths, file->path);
        grow_paths(links, id);
        links->by_path[id] = index;
    }
    return true;
}

static struct workflow_need *need_of(struct workflow_task *task, size_t needed)
{
    for (size_t i = 0; i < task->needs.count; i++)
        if (ARRAY_AT(struct workflow_need, &task->needs, i)->task == needed)
            return ARRAY_AT(struct workflow_need, &task->needs, i);
    return NULL;
}

static double size_of_output(const struct workflow_task *task, const char *path)
{
    for (size_t i = 0; i < task->files.count; i++) {
        const struct workflow_file *file = ARRAY_AT(struct workflow_file, &task->files, i);
        if (file->is_output && !strcmp(file->path, path) && file->bytes >= 0)
            return file->bytes;
    }
    return 0;
}

/* Inputs that a task writes become dependences; the others have to exist. */
static bool link_inputs(struct links *links, size_t index, struct error *error)
{
    struct workflow *workflow = links->workflow;
    struct workflow_task *task = task_at(workflow, index);
    for (size_t i = 0; i < task->files.count; i++) {
        struct workflow_file *file = ARRAY_AT(struct workflow_file, &task->files, i);
        struct stat facts;
        if (file->is_output)
            continue;
        string_id written = strings_find(&links->paths, file->path);
        size_t writer = written ? links->by_path[written] : SIZE_MAX;
        if (writer == index)
            return settings_complain(&workflow->settings, file->setting, error,
                                     "task %s writes %s itself; it cannot be one of its inputs", task->name,
                                     file->path);
        if (written) {
            struct workflow_need *need = need_of(task, writer);
            if (!need) {
                need = array_add(&task->needs);
                *need = (struct workflow_need){task_at(workflow, writer)->name, file->setting, writer, 0};
            }
            double bytes =
                file->bytes >= 0 ? file->bytes : size_of_output(task_at(workflow, writer), file->path);
            need->bytes += bytes;
        } else if (stat(file->path, &facts)) {
            return settings_complain(&workflow->settings, file->setting, error,
                                     "%s does not exist, and no task of this workflow writes it", file->path);
        } else if (!(file->bytes >= 0)) {
            file->bytes = (double)facts.st_size;
        }
    }
    return true;
}

static bool unknown_task(const struct links *links, const struct setting *setting, const char *name,
                         struct error *error)
{
    struct nearest nearest = {.wanted = name};
    for (size_t i = 0; i < links->workflow->tasks.count; i++)
        nearest_offer(&nearest, task_at(links->workflow, i)->name);
    settings_complain(&links->workflow->settings, setting, error, "there is no task '%.100s'%s%s%s", name,
                      nearest.best ? "; did you mean " : "", nearest.best ? nearest.best : "",
                      nearest.best ? "?" : "");
    free(nearest.best);
    return false;
}

static bool link_names(struct links *links, size_t index, struct error *error)
{
    struct workflow *workflow = links->workflow;
    struct workflow_task *task = task_at(workflow, index);
    const struct setting *setting = settings_find(&workflow->settings, section_of(workflow, index), "after");
    struct array items = ARRAY_OF(char *);
    if (!setting)
        return true;
    bool is_good = settings_list(&workflow->settings, setting, &items, error);
    for (size_t i = 0; is_good && i < items.count; i++) {
        const char *name = *ARRAY_AT(char *, &items, i);
        string_id known = strings_find(&links->names, name);
        size_t needed = known ? links->by_name[known] : SIZE_MAX;
        if (!known && !strchr(name, '/'))
            is_good = unknown_task(links, setting, name, error);
        else if (needed == index)
            is_good =
                settings_complain(&workflow->settings, setting, error, "task %s waits for itself", name);
        else if (needed == SIZE_MAX || !need_of(task, needed))
            *(struct workflow_need *)array_add(&task->needs) =
                (struct workflow_need){name, setting, needed, 0};
    }
    array_free(&items);
    return is_good;
}

/* Takes away what waits for nothing; the rest stays marked. */
static size_t peel(const struct workflow *workflow, bool *is_left)
{
    size_t count = workflow->tasks.count, left = count, before;
    size_t *waits = memory_get((count + 1) * sizeof *waits);
    struct array *waiters = memory_get((count + 1) * sizeof *waiters), ready = ARRAY_OF(size_t);
    for (size_t i = 0; i < count; i++)
        waiters[i] = ARRAY_OF(size_t);
    for (size_t i = 0; i < count; i++) {
        const struct array *needs = &task_at(workflow, i)->needs;
        is_left[i] = true;
        for (size_t j = 0; j < needs->count; j++) {
            size_t needed = ARRAY_AT(struct workflow_need, needs, j)->task;
            if (needed == SIZE_MAX)
                continue;
            waits[i]++;
            *(size_t *)array_push(&waiters[needed]) = i;
        }
        if (!waits[i])
            *(size_t *)array_push(&ready) = i;
    }
    for (before = 0; before < ready.count; before++) {
        size_t task = *ARRAY_AT(size_t, &ready, before);
        is_left[task] = false;
        left--;
        for (size_t j = 0; j < waiters[task].count; j++) {
            size_t waiter = *ARRAY_AT(size_t, &waiters[task], j);
            if (!--waits[waiter])
                *(size_t *)array_push(&ready) = waiter;
        }
    }
    for (size_t i = 0; i < count; i++)
        array_free(&waiters[i]);
    array_free(&ready);
    free(waiters);
    free(waits);
    return left;
}

static size_t next_left(const struct workflow *workflow, const bool *is_left, size_t task,
                        const struct setting **setting)
{
    const struct array *needs = &task_at(workflow, task)->needs;
    for (size_t j = 0; j < needs->count; j++) {
        const struct workflow_need *need = ARRAY_AT(struct workflow_need, needs, j);
        if (need->task != SIZE_MAX && is_left[need->task]) {
            *setting = need->setting;
            return need->task;
        }
    }
    return task;
}

static bool find_cycle(const struct workflow *workflow, struct error *error)
{
    size_t count = workflow->tasks.count, at = 0;
    bool *is_left = memory_get(count + 1);
    bool is_good = !peel(workflow, is_left);
    if (!is_good) {
        const struct setting *setting = NULL;
        while (!is_left[at])
            at++;
        for (size_t i = 0; i < count; i++) /* surely on the cycle then */
            at = next_left(workflow, is_left, at, &setting);
        char *text = memory_format("%s", task_at(workflow, at)->name);
        size_t first = at, steps = 0;
        do {
            at = next_left(workflow, is_left, at, &setting);
            char *longer = ++steps > 20 ? memory_format("%s%s", text, steps == 21 ? " → …" : "")
                                        : memory_format("%s → %s", text, task_at(workflow, at)->name);
            free(text);
            text = longer;
        } while (at != first);
        settings_complain(&workflow->settings, setting, error, "tasks wait for each other in a circle: %s",
                          text);
        free(text);
    }
    free(is_left);
    return is_good;
}

bool workflow_link(struct workflow *workflow, struct error *error)
{
    struct links links = {.workflow = workflow};
    bool is_good = true;
    index_names(&links);
    for (size_t i = 0; is_good && i < workflow->tasks.count; i++)
        is_good = read_files(&links, i, "inputs", false, error) &&
                  read_files(&links, i, "outputs", true, error) && index_outputs(&links, i, error);
    for (size_t i = 0; is_good && i < workflow->tasks.count; i++)
        is_good = link_names(&links, i, error) && link_inputs(&links, i, error);
    strings_free(&links.names);
    strings_free(&links.paths);
    free(links.by_name);
    free(links.by_path);
    return is_good && find_cycle(workflow, error);
}
