/* Models on paper, worded and drawn: a prediction and where its time goes, a sweep over a parameter, the
   mistakes of a file. */
#ifndef SHOW_REPORT_MODELLING_MODEL_VIEW_H
#define SHOW_REPORT_MODELLING_MODEL_VIEW_H
#include "plan/modelling/evaluate.h"
#include "plan/modelling/language/language.h"
#include "plan/modelling/network.h"
#include "show/report/common/style.h"

struct machine;

struct model_view {
    const struct language_model *model;
    const struct network *network; /* NULL: none */
    const struct machine *machine; /* NULL: none was asked for */
    int32_t ranks;
    const struct evaluation *evaluation;
};
void report_model_run(const struct model_view *view, const struct report_style *style, FILE *out);
void report_model_check(const struct language_model *model, const char *path,
                        const struct report_style *style, FILE *out);

struct model_point { /* of a sweep */
    double value;    /* of the parameter that varies */
    int32_t ranks;
    struct evaluation evaluation;
};
struct model_sweep {
    const struct language_model *model;
    const struct network *network;
    const char *parameter, *unit;
    const struct array *points; /* of struct model_point */
    size_t planned;             /* points; more than there are: Ctrl-C came */
};
struct model_layer { /* what some of the time of a sweep goes to */
    uint32_t cause;
    enum evaluated_kind kind;
    double weight; /* sum of its shares at all points, above 0 */
};
/* Of struct model_layer, the largest first; to be freed by array_free. */
struct array model_layers(const struct model_sweep *sweep);
double model_layer_share(const struct model_layer *layer, const struct evaluation *evaluation);
/* More ranks share the same work, so that times can be compared with perfect scaling: all that ranks compute
   stays about the same. */
bool model_sweep_is_shared(const struct model_sweep *sweep);
void report_model_sweep(const struct model_sweep *sweep, const struct report_style *style, FILE *out);
/* A picture: time over the parameter, and the share of each cause. */
bool report_model_plot(const struct model_sweep *sweep, FILE *out, struct error *error);

/* "12.3 s", "45.6 ms", "2 h 13 min"; to be freed. */
char *model_time_words(double seconds);
/* Of a cause and a kind: "computing in sweep", "waiting in sweep"; to be freed. */
char *model_cause_words(const struct language_model *model, uint32_t cause, enum evaluated_kind kind);
const char *model_kind_word(enum evaluated_kind kind);
/* 4096 as 4,096; to be freed. */
char *model_count_words(double count);
#endif
