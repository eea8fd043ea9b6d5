/* Reads workflow files: values of each task, and its place among the others (workflow_links.c). */
#include "plan/schedule/workflow.h"

#include "base/path.h"
#include "plan/predict/predict.h"
#include "plan/predict/scaling.h"
#include "plan/schedule/workflow_links.h"

#include <ctype.h>
#include <math.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MOST_PROCESSORS = 100000, MOST_TRIES = 100 };

const struct settings_key workflow_keys[] = {
    {NULL, "name", false, "name of the workflow, by which others refer to it; usually that of the file"},
    {NULL, "user", false, "whose work it is; usually who submits it"},
    {NULL, "share", false, "share of that user: 2 counts twice as much as 1"},
    {NULL, "deadline", false, "when all of it should be done: 2h, 17:30, 2026-11-17 17:30"},
    {NULL, "folder", false, "where commands run; usually the folder of the file"},
    {NULL, "speculative", false, "yes: it is planned, but nothing of it is started"},
    {NULL, "tries", false, "attempts of each task before it counts as failed; usually 1"},
    {"task", "command", true, "for /bin/sh; {processors} is replaced by how many the task got"},
    {"task", "after", false, "tasks that have to be done before: names, WORKFLOW/TASK for other workflows"},
    {"task", "processors", false, "how many it can use: 2, or 1..4; usually 1"},
    {"task", "spans", false, "yes: its processors may be on several hosts"},
    {"task", "memory", false, "bytes that it needs on each host: 512M, 2G"},
    {"task", "hosts", false, "names of hosts it may run on"},
    {"task", "deadline", false, "when it should be done"},
    {"task", "predictor", false, "description for assay predict, and its inputs: FILE name=path …"},
    {"task", "seconds", false, "estimate for one processor: 90, 15m, 2h"},
    {"task", "simulated", false, "what it really takes on one processor, for --engine simgrid"},
    {"task", "scaling", false, "amdahl 0.05, or speed-ups: 1: 1, 2: 1.9, 4: 3.7; usually perfect"},
    {"task", "inputs", false, "files it reads"},
    {"task", "outputs", false, "files it writes, with their sizes where these are known: out.mif 20M"},
    {"task", "tries", false, "attempts before it counts as failed"},
    {0}};

static bool is_name(const char *text)
{
    static const char good[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.+:";
    size_t length = strlen(text);
    return length && length <= 100 && strspn(text, good) == length && isalnum((unsigned char)*text);
}

bool workflow_parse_time(const char *text, double now, double *time)
{
    time_t moment = (time_t)now;
    struct tm when, clock = {0};
    localtime_r(&moment, &when);
    when.tm_isdst = -1;
    when.tm_sec = 0;
    const char *end = strptime(text, "%Y-%m-%d", &clock);
    if (end) {
        when.tm_year = clock.tm_year, when.tm_mon = clock.tm_mon, when.tm_mday = clock.tm_mday;
        while (*end == ' ' || *end == 'T')
            end++;
        clock.tm_hour = clock.tm_min = 0;
        if (*end)
            end = strptime(end, "%H:%M", &clock);
        when.tm_hour = clock.tm_hour, when.tm_min = clock.tm_min;
        *time = (double)mktime(&when);
        return end && !*end;
    }
    end = strptime(text, "%H:%M", &clock);
    if (end && !*end) {
        when.tm_hour = clock.tm_hour, when.tm_min = clock.tm_min;
        *time = (double)mktime(&when);
        if (*time < now) {
            when.tm_mday++;
            *time = (double)mktime(&when);
        }
        return true;
    }
    double seconds;
    if (!settings_parse_seconds(text, &seconds))
        return false;
    *time = now + seconds;
    return true;
}

static bool read_time(const struct workflow *workflow, const struct setting *setting, double now,
                      double *time, struct error *error)
{
    *time = NAN;
    return !setting || workflow_parse_time(setting->value, now, time) ||
           settings_complain(&workflow->settings, setting, error,
                             "a deadline is a duration (2h, 90m), a time of day (17:30) or a date "
                             "(2026-11-17 17:30), not '%.60s'",
                             setting->value);
}

static bool read_yes(const struct workflow *workflow, const struct setting *setting, bool *is_yes,
                     struct error *error)
{
    *is_yes = setting && !strcmp(setting->value, "yes");
    return !setting || *is_yes || !strcmp(setting->value, "no") ||
           settings_complain(&workflow->settings, setting, error, "takes yes or no, not '%.60s'",
                             setting->value);
}

static bool read_tries(const struct workflow *workflow, const struct setting *setting, unsigned *tries,
                       struct error *error)
{
    double number = *tries;
    if (setting && !settings_number(&workflow->settings, setting, 1, MOST_TRIES, &number, error))
        return false;
    *tries = (unsigned)number;
    return true;
}

static char *text_of_arena(struct workflow *workflow, const char *text, size_t length)
{
    char *copy = arena_get(&workflow->settings.arena, length + 1);
    memcpy(copy, text, length);
    return copy;
}

/* predictor = FILE name=path …: the file is looked for in the folder of the workflow. */
static bool read_predictor(struct workflow *workflow, struct workflow_task *task,
                           const struct setting *setting, struct error *error)
{
    if (!setting)
        return true;
    size_t length = strcspn(setting->value, " \t");
    char *name = text_of_arena(workflow, setting->value, length);
    char *path = *name == '/' ? memory_format("%s", name) : memory_format("%s/%s", workflow->folder, name);
    task->predictor = text_of_arena(workflow, path, strlen(path));
    free(path);
    task->inputs = setting->value + length + strspn(setting->value + length, " \t");
    if (access(task->predictor, R_OK))
        return settings_complain(&workflow->settings, setting, error,
                                 "there is no description %s; assay help predict explains them",
                                 task->predictor);
    if (!*task->inputs)
        return settings_complain(&workflow->settings, setting, error,
                                 "names no inputs: FILE name=path … is needed");
    struct error why = {0};
    struct predict_description *description = predict_describe(task->predictor, &why);
    if (!description)
        return settings_complain(&workflow->settings, setting, error, "its description is wrong: %s",
                                 why.text);
    predict_description_free(description);
    return true;
}

static bool read_scaling(struct workflow *workflow, struct workflow_task *task, const struct setting *setting,
                         struct error *error)
{
    if (!setting)
        return true;
    struct scaling scaling;
    struct error why = {0};
    unsigned column = 1;
    task->scaling = setting->value;
    if (!scaling_declare(setting->value, &scaling, &column, &why))
        return settings_complain_at(&workflow->settings, setting, column ? column - 1 : 0, error, "%s",
                                    why.text);
    scaling_free(&scaling);
    return true;
}

static bool read_estimates(struct workflow *workflow, struct workflow_task *task,
                           const struct settings_section *section, struct error *error)
{
    const struct settings *settings = &workflow->settings;
    const struct setting *seconds = settings_find(settings, section, "seconds");
    const struct setting *simulated = settings_find(settings, section, "simulated");
    task->seconds = task->simulated = NAN;
    if ((seconds && !settings_seconds(settings, seconds, &task->seconds, error)) ||
        (simulated && !settings_seconds(settings, simulated, &task->simulated, error)))
        return false;
    const struct setting *zero = task->seconds <= 0 ? seconds : task->simulated <= 0 ? simulated : NULL;
    if (zero)
        return settings_complain(settings, zero, error, "takes a time above 0");
    return read_scaling(workflow, task, settings_find(settings, section, "scaling"), error) &&
           read_predictor(workflow, task, settings_find(settings, section, "predictor"), error);
}

static bool read_task(struct workflow *workflow, const struct settings_section *section, double now,
                      unsigned tries, struct error *error)
{
    const struct settings *settings = &workflow->settings;
    struct workflow_task *task = array_add(&workflow->tasks);
    *task =
        (struct workflow_task){.line = section->line, .least = 1, .most = 1, .tries = tries, .memory = NAN};
    task->needs = ARRAY_OF(struct workflow_need);
    task->files = ARRAY_OF(struct workflow_file);
    task->name = section->name;
    if (!task->name || !is_name(task->name)) {
        char where[20];
        snprintf(where, sizeof where, ":%u", section->line);
        char *place = memory_format("%s%s", workflow->settings.path, where);
        error_set(error, place, "a task needs a name of letters, digits and - _ . + : [task align]");
        free(place);
        return false;
    }
    task->command = settings_value(settings, section, "command");
    task->hosts = settings_value(settings, section, "hosts");
    const struct setting *processors = settings_find(settings, section, "processors");
    const struct setting *memory = settings_find(settings, section, "memory");
    if (processors && !settings_range(settings, processors, &task->least, &task->most, error))
        return false;
    if (!task->least || task->most > MOST_PROCESSORS || task->least > task->most)
        return settings_complain(settings, processors, error, "takes 1 to %d processors", MOST_PROCESSORS);
    return (!memory || settings_bytes(settings, memory, &task->memory, error)) &&
           read_yes(workflow, settings_find(settings, section, "spans"), &task->spans, error) &&
           read_time(workflow, settings_find(settings, section, "deadline"), now, &task->deadline, error) &&
           read_tries(workflow, settings_find(settings, section, "tries"), &task->tries, error) &&
           read_estimates(workflow, task, section, error);
}

static const char *usual_user(struct workflow *workflow)
{
    const struct passwd *entry = getpwuid(geteuid());
    const char *name = entry && *entry->pw_name ? entry->pw_name : "nobody";
    return text_of_arena(workflow, name, strlen(name));
}

static const char *usual_name(struct workflow *workflow, const char *path)
{
    const char *name = path_name(path), *dot = strrchr(name, '.');
    return text_of_arena(workflow, name, dot && dot > name ? (size_t)(dot - name) : strlen(name));
}

static bool read_folder(struct workflow *workflow, const struct setting *setting, struct error *error)
{
    char *around = path_folder(workflow->path);
    struct stat facts;
    workflow->folder = !setting                 ? memory_format("%s", around)
                       : *setting->value == '/' ? memory_format("%s", setting->value)
                                                : memory_format("%s/%s", around, setting->value);
    free(around);
    return !setting || (!stat(workflow->folder, &facts) && S_ISDIR(facts.st_mode)) ||
           settings_complain(&workflow->settings, setting, error, "there is no folder %s", workflow->folder);
}

static bool read_head(struct workflow *workflow, double now, unsigned *tries, struct error *error)
{
    const struct settings *settings = &workflow->settings;
    const struct settings_section *head = ARRAY_AT(struct settings_section, &settings->sections, 0);
    const struct setting *share = settings_find(settings, head, "share");
    const struct setting *name = settings_find(settings, head, "name");
    const char *user = settings_value(settings, head, "user");
    workflow->name = name ? name->value : usual_name(workflow, workflow->path);
    workflow->user = user ? user : usual_user(workflow);
    workflow->share = NAN;
    if (name && !is_name(name->value))
        return settings_complain(
            settings, name, error,
            "a name has letters, digits and - _ . + : and begins with a letter or digit");
    if (!is_name(workflow->name))
        return error_set(error, settings->path,
                         "needs a line name = …, since its file name cannot serve as one");
    if (share && !settings_number(settings, share, 0.001, 1e6, &workflow->share, error))
        return false;
    return read_folder(workflow, settings_find(settings, head, "folder"), error) &&
           read_yes(workflow, settings_find(settings, head, "speculative"), &workflow->is_speculative,
                    error) &&
           read_time(workflow, settings_find(settings, head, "deadline"), now, &workflow->deadline, error) &&
           read_tries(workflow, settings_find(settings, head, "tries"), tries, error);
}

bool workflow_read(struct workflow *workflow, const char *path, double now, struct error *error)
{
    *workflow = (struct workflow){.tasks = ARRAY_OF(struct workflow_task)};
    if (!settings_read(&workflow->settings, path, workflow_keys, error))
        return false;
    char *whole = realpath(path, NULL);
    workflow->path = whole ? whole : path_absolute(path);
    unsigned tries = 1;
    bool is_good = read_head(workflow, now, &tries, error);
    for (size_t i = 1; is_good && i < workflow->settings.sections.count; i++)
        is_good = read_task(workflow, ARRAY_AT(struct settings_section, &workflow->settings.sections, i), now,
                            tries, error);
    if (is_good && !workflow->tasks.count)
        is_good = error_set(error, path, "has no tasks: [task NAME] with command = … begins one");
    return is_good && workflow_link(workflow, error);
}

void workflow_free(struct workflow *workflow)
{
    for (size_t i = 0; i < workflow->tasks.count; i++) {
        struct workflow_task *task = ARRAY_AT(struct workflow_task, &workflow->tasks, i);
        array_free(&task->needs);
        array_free(&task->files);
    }
    array_free(&workflow->tasks);
    settings_free(&workflow->settings);
    free(workflow->path);
    free(workflow->folder);
}
