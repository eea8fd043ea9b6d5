/* Answers about PEPA models: the long run, moments, passage times, and the fluid approximation. */
#ifndef SHOW_REPORT_MODELLING_PEPA_H
#define SHOW_REPORT_MODELLING_PEPA_H
#include "plan/modelling/pepa/pepa.h"
#include "show/report/common/style.h"

struct pepa_view {
    const struct pepa_model *model;
    const struct pepa_structure *structure;
    const struct pepa_space *space;       /* NULL: the fluid approximation */
    const struct pepa_steady *steady;     /* NULL: not asked for */
    const struct pepa_measures *measures; /* of the long run, or where a fluid settles; NULL: not asked for */
    const struct pepa_curve *curve;       /* NULL: not asked for */
    const struct pepa_passage *passage;   /* NULL: not asked for */
    const char *passage_words;
    const char *other; /* the file that it is compared with; NULL: none */
    const struct pepa_space *other_space;
    bool is_same;
    struct pepa_difference difference;
    bool is_expanded;
    size_t most_states; /* states that are listed; 0: none */
};
void report_pepa(const struct pepa_view *view, const struct report_style *style, FILE *out);
/* The curve or the passage as a picture. */
void report_pepa_plot(const struct pepa_view *view, FILE *out);

/* What two models differ in; to be freed. */
char *report_pepa_difference(const struct pepa_view *view);

/* pepa_rows.c */
void report_pepa_json(const struct pepa_view *view, FILE *out);
void report_pepa_csv(const struct pepa_view *view, FILE *out);
/* Deadlocks: bottom classes of one state that nothing leaves. */
size_t report_pepa_deadlocks(const struct pepa_view *view);
#endif
