#include "quality/metrics.h"

void metric_what_if(struct subject *subject, struct loop_metric *metric)
{
    (void)subject;
    (void)metric;
}
