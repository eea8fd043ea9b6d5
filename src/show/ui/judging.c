/* A question is "FUNCTION LOOP SECONDS", the machine, and the name and text of the file, each ended by zero.
   Its answer is script_judge_answer's. */
#include "show/ui/judging.h"

#include "base/path.h"
#include "script/judge.h"
#include "store/analyses.h"
#include "show/ui/budget.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Of processor time for all files; beside it, the loops have to be analysed once more, on a busy computer. */
enum { JUDGING_SECONDS = 3, SPARE_SECONDS = 5 };

struct asking {
    struct ui_request *request;
    const struct workshop_visit *visit;
};

static bool is_foreign(void *context, const struct analysis *analysis)
{
    const struct array *folders = ((const struct asking *)context)->request->options->installed_analyses;
    autofree char *own = path_folder(analysis->path);
    bool is_installed = false;
    for (size_t i = 0; i < folders->count; i++)
        is_installed |= !strcmp(own, *ARRAY_AT(char *, folders, i));
    return !is_installed;
}

static bool must_end(void *context)
{
    return ui_budget_is_exceeded(((const struct asking *)context)->request->budget);
}

static bool ask(void *context, const struct analysis *analysis, double seconds, struct array *answer,
                struct error *error)
{
    const struct asking *asking = context;
    const char *machine = asking->visit->machine_name;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return error_set_errno(error, NULL, "no memory");
    fprintf(out, "%" PRIu32 " %" PRIu32 " %.17g%c", asking->visit->function, asking->visit->loop, seconds, 0);
    fprintf(out, "%s%c%s%c", machine ? machine : "", 0, analysis->path, 0);
    fprintf(out, "%s%c", analysis->text, 0);
    fclose(out);
    struct desk_question question = {
        .subject = workshop_database(asking->visit->workshop), .text = text, .size = size};
    enum desk_end end = desk_ask(asking->request->judges, &question, (unsigned)seconds + SPARE_SECONDS,
                                 must_end, context, answer, error);
    free(text);
    if (end == desk_end_DONE || end == desk_end_REFUSED)
        return end == desk_end_DONE;
    return error_set(error, NULL, "%s",
                     end == desk_end_LATE     ? "did not end within its time"
                     : end == desk_end_KILLED ? "was ended with the page that waited for it"
                                              : "its process ended early: too little memory?");
}

void judging_add(struct ui_request *request, struct workshop_visit *visit)
{
    struct asking asking = {request, visit};
    struct array list = ARRAY_OF(struct analysis);
    const struct array *folders = request->options->analysis_folders;
    analyses_find(&list, folders->data, folders->count);
    script_judge(&(struct script_judging){.model = visit->model,
                                          .machines = &visit->machines,
                                          .analyses = &list,
                                          .seconds = JUDGING_SECONDS,
                                          .elsewhere = &(struct judge_elsewhere){is_foreign, ask, &asking}},
                 NULL);
    analyses_free(&list);
    visit->view.basis = quality_sort_basis(visit->model);
}

/* ---- at the desk ---- */

void *judging_open(void *context, const char *subject, struct error *error)
{
    struct judges *judges = context;
    for (size_t i = 0; i < JUDGES_KEPT; i++)
        if (judges->kept[i].workshop && !strcmp(judges->kept[i].subject.database, subject))
            return workshop_read(judges->kept[i].workshop, error) ? judges->kept[i].workshop : NULL;
    struct judges_room *room = &judges->kept[judges->next++ % JUDGES_KEPT];
    workshop_close(room->workshop);
    free((char *)(uintptr_t)room->subject.database);
    char *database = memory_copy_text(subject, strlen(subject));
    room->subject = (struct ui_subject){.path = database, .name = database, .database = database};
    room->workshop = workshop_open(judges->options, &room->subject);
    return workshop_read(room->workshop, error) ? room->workshop : NULL;
}

/* ---- in the process of a question ---- */

void judging_answer(void *context, void *opened, const struct desk_question *question, FILE *out)
{
    (void)context;
    uint32_t function, loop;
    double seconds;
    const char *words[4] = {question->text}; /* numbers, machine, file, text */
    for (unsigned i = 1; i < 4; i++)
        words[i] = words[i - 1] + strlen(words[i - 1]) + 1;
    if (sscanf(words[0], "%" SCNu32 " %" SCNu32 " %lf", &function, &loop, &seconds) != 3)
        return;
    struct workshop_visit visit;
    struct analysis analysis;
    struct error error = {0};
    if (!workshop_look(opened, function, loop, *words[1] ? words[1] : NULL, &visit, &(struct ui_answer){0},
                       &error))
        return;
    workshop_analyse(&visit);
    analysis_parse(&analysis, words[2], words[3]);
    script_judge_answer(&(struct script_judging){.model = visit.model, .machines = &visit.machines},
                        &analysis, seconds, out);
    analysis_free(&analysis);
}
