/* Denormal numbers of runs as html. */
#include "report/denormal.h"

bool report_denormal_html(const struct denormal_view *view, FILE *out, struct error *error)
{
    (void)view;
    (void)out;
    (void)error;
    return true;
}
