/* The report for services that host code: each finding at the place of its loop, as annotations of GitHub's
   runners, JUnit XML or SARIF 2.1.0 (show/report/common/services.h). */
#ifndef SHOW_REPORT_QUALITY_SERVICES_H
#define SHOW_REPORT_QUALITY_SERVICES_H
#include "show/report/quality/quality.h"

struct quality_services {
    const struct quality_view *view;
    const char *root;    /* real path of the repository */
    const char *version; /* of Assay */
};

typedef bool report_quality_service(const struct quality_services *services, FILE *out, struct error *error);
report_quality_service report_quality_sarif, report_quality_annotations, report_quality_junit;
#endif
