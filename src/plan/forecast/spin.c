/* See spin.h. */
#include "plan/forecast/spin.h"

#include "base/clock.h"

#include <errno.h>
#include <math.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 16 };

static double own_seconds(const struct rusage *usage)
{
    return (double)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) +
           1e-6 * (double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec);
}

double spin_share(unsigned processes, double seconds, bool has_sessions)
{
    pid_t children[MOST];
    unsigned count = 0;
    double begin = clock_monotonic_seconds(), sum = 0;
    for (; count < processes && count < MOST; count++) {
        children[count] = fork();
        if (children[count] < 0)
            break;
        if (children[count])
            continue;
        if (has_sessions)
            setsid();
        while (clock_monotonic_seconds() < begin + seconds)
            ;
        _exit(0);
    }
    for (unsigned i = 0; i < count; i++) {
        struct rusage usage = {0};
        while (wait4(children[i], NULL, 0, &usage) < 0 && errno == EINTR)
            ;
        sum += own_seconds(&usage) / (clock_monotonic_seconds() - begin);
    }
    return count ? fmin(sum / count, 1) : NAN;
}

double spin_weight(double share, double ours, double others, double processors)
{
    static const double alone = 0.97, most = 4;
    if (isnan(share) || !(others > 0) || ours + others <= processors)
        return 1;
    /* Together they got processors / (ours + weight x others) each.  Where ours got all that they could use, others weigh at
       most what is left. */
    double room = fmax(processors - ours, 0), all = processors / fmax(share, 0.01);
    double weight = share > alone ? fmin(1, room / others) : (all - ours) / others;
    return fmin(fmax(weight, 0), most);
}
