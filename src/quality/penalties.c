#include "quality/metrics.h"

void metric_penalties(const struct subject *subject, struct loop_metric *metric)
{
    (void)subject;
    (void)metric;
}
