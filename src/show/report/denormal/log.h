/* An entry of the log as text and graph share it. */
#ifndef SHOW_REPORT_DENORMAL_LOG_H
#define SHOW_REPORT_DENORMAL_LOG_H
#include "show/report/denormal/parts.h"

enum { DENORMAL_LOG_OPERANDS = 3 };
struct denormal_logged {
    int64_t id;
    uint64_t number, element, data_address, lane, from[DENORMAL_LOG_OPERANDS]; /* numbers; 0: none */
    char *action, *place, *function, *array;
    double values[DENORMAL_LOG_OPERANDS], result; /* NaN: none, or not a number */
    unsigned operands, operand_bytes, result_bytes;
    bool has_element;
};
/* log_graph.c: the first run with a log, where the user named none. */
bool denormal_log_run(struct denormal_view *view, struct error *error);
/* Of a row of the query log_lines; freed by denormal_logged_free. */
struct denormal_logged denormal_logged_of(sqlite3_stmt *row);
void denormal_logged_free(struct denormal_logged *entry);
bool denormal_logged_is_denormal(double value, unsigned bytes);
/* "2.93873588e-39 [#16] × 0.25": what was done, without the result; to be freed. */
char *denormal_logged_words(const struct denormal_logged *entry);
char *denormal_logged_value(double value, unsigned bytes); /* "7.34683969e-40" */
#endif
