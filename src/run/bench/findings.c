#include "run/bench/findings.h"

#include <stdarg.h>
#include <stdio.h>

void bench_finding_add(struct array *findings, const char *word, double spread, const char *how,
                       const char *values, ...)
{
    struct bench_finding *finding = array_push(findings);
    va_list arguments;
    *finding = (struct bench_finding){.spread = spread};
    snprintf(finding->word, sizeof finding->word, "%s", word);
    snprintf(finding->how, sizeof finding->how, "%s", how);
    va_start(arguments, values);
    vsnprintf(finding->values, sizeof finding->values, values, arguments);
    va_end(arguments);
}

void bench_findings_mark(struct array *findings, size_t first, bench_session session)
{
    for (size_t i = first; i < findings->count; i++)
        ARRAY_AT(struct bench_finding, findings, i)->session = session;
}
