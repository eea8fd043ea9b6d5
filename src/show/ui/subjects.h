/* The files that are open, and which database serves each of them. */
#ifndef SHOW_UI_SUBJECTS_H
#define SHOW_UI_SUBJECTS_H
#include "show/ui/request.h"

struct ui_subjects;

struct ui_subjects *ui_subjects_open(const struct ui_options *options, struct error *error);
/* What serves number, from 1, at this moment; NULL: there is no such file. */
const struct ui_subject *ui_subjects_find(struct ui_subjects *subjects, unsigned number);
void ui_subjects_close(struct ui_subjects *subjects);
#endif
