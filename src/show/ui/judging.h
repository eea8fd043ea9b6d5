/* Metrics and rules in Lua on pages about loops. Files of the user's folders may be a stranger's, so a desk
   (base/desk.h) asks them: it has a workshop of its own for each database, which has read what all visits
   need, and for each question a process that visits the same loops and runs the file. Files that came with
   Assay are asked here. */
#ifndef SHOW_UI_JUDGING_H
#define SHOW_UI_JUDGING_H
#include "base/desk.h"
#include "show/ui/workshop.h"

/* Adds what the files find to the model of a visit after workshop_analyse. */
void judging_add(struct ui_request *request, struct workshop_visit *visit);

/* Of the desk. */
enum { JUDGES_KEPT = 4 };
struct judges {
    const struct ui_options *options;
    struct judges_room {
        struct ui_subject subject;
        struct workshop *workshop;
    } kept[JUDGES_KEPT];
    unsigned next;
};
void *judging_open(void *context, const char *subject, struct error *error);
void judging_answer(void *context, void *opened, const struct desk_question *question, FILE *out);
#endif
