/* Phrases that the views of predictions share; all are to be freed. */
#ifndef SHOW_REPORT_PREDICT_WORDS_H
#define SHOW_REPORT_PREDICT_WORDS_H
#include "show/report/predict/predict_view.h"

/* "8 min 20 s", "unknown". */
char *predict_seconds_words(double seconds);
/* "5 min to 14 min", "5 min or more", NULL where there is none. */
char *predict_interval_words(double lower, double upper);
/* "pair at 1/5", "self at 1/6". */
char *predict_probe_words(const struct predict_probe *probe);
/* What a model does, for people who do not know its word. */
const char *predict_model_words(const char *model);
#endif
