/* A subject never changes, so that a request can use it without a lock.  A source whose report is still being
   computed has a second one in reserve, for the database that the other process writes: the first request
   that finds the work done puts it in the place of the first.  Both live until the end, because requests may
   still use the first. */
#include "show/ui/subjects.h"

#include "base/path.h"
#include "show/ui/calls.h"
#include "show/ui/names.h"
#include "show/ui/tables.h"
#include "show/ui/workshop.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct opened {
    struct ui_subject first, second;
    const char *complete;
    _Atomic(const struct ui_subject *) present;
};

struct ui_subjects {
    struct opened *all;
    size_t count;
    pthread_mutex_t lock; /* of the change from first to second */
};

struct ui_subjects *ui_subjects_open(const struct ui_options *options, struct error *error)
{
    size_t count = options->source_count;
    struct ui_subjects *subjects = memory_get(sizeof *subjects);
    subjects->all = memory_get(count * sizeof *subjects->all);
    subjects->count = count;
    pthread_mutex_init(&subjects->lock, NULL);
    for (size_t i = 0; i < count; i++) {
        const struct ui_source *source = &options->sources[i];
        struct opened *opened = &subjects->all[i];
        opened->complete = source->complete;
        opened->first = (struct ui_subject){.number = (unsigned)i + 1,
                                            .path = source->path,
                                            .name = path_name(source->path),
                                            .database = source->database,
                                            .has_report = source->has_report,
                                            .is_working = source->work != NULL,
                                            .problem = source->problem,
                                            .work = source->work,
                                            .tables = ui_tables_begin(source->database, error)};
        atomic_init(&opened->present, &opened->first);
        if (!opened->first.tables) {
            ui_subjects_close(subjects);
            return NULL;
        }
        opened->first.names = ui_names_begin(source->database, options->demangle);
        opened->first.calls = ui_calls_begin();
        opened->first.workshop = workshop_open(options, &opened->first);
        workshop_read_early(opened->first.workshop);
    }
    return subjects;
}

/* The subject after the work: complete, or as before with the reason why not. */
static void take_result(struct opened *opened)
{
    struct ui_subject *second = &opened->second;
    struct error error = {0};
    *second = opened->first;
    second->is_working = false;
    second->problem = second->work->problem;
    struct ui_tables *tables =
        atomic_load(&second->work->stage) == ui_stage_DONE ? ui_tables_begin(opened->complete, &error) : NULL;
    if (tables) {
        second->tables = tables;
        second->database = opened->complete;
        second->has_report = true;
        second->problem = NULL;
    }
    atomic_store(&opened->present, second);
}

const struct ui_subject *ui_subjects_find(struct ui_subjects *subjects, unsigned number)
{
    if (!number || number > subjects->count)
        return NULL;
    struct opened *opened = &subjects->all[number - 1];
    const struct ui_subject *subject = atomic_load(&opened->present);
    if (!subject->is_working || atomic_load(&subject->work->stage) < ui_stage_DONE)
        return subject;
    pthread_mutex_lock(&subjects->lock);
    if (atomic_load(&opened->present) == &opened->first)
        take_result(opened);
    pthread_mutex_unlock(&subjects->lock);
    return atomic_load(&opened->present);
}

void ui_subjects_close(struct ui_subjects *subjects)
{
    if (!subjects)
        return;
    for (size_t i = 0; i < subjects->count; i++) {
        struct opened *opened = &subjects->all[i];
        if (opened->second.tables != opened->first.tables)
            ui_tables_end(opened->second.tables);
        ui_tables_end(opened->first.tables);
        ui_names_free(opened->first.names);
        ui_calls_free(opened->first.calls);
        workshop_close(opened->first.workshop);
    }
    pthread_mutex_destroy(&subjects->lock);
    free(subjects->all);
    free(subjects);
}
