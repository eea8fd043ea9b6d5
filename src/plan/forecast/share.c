/* The share of a busy computer: see share.h. */
#include "plan/forecast/share.h"

#include "plan/forecast/forecast.h"
#include "plan/forecast/series.h"
#include "plan/forecast/spin.h"

#include <math.h>
#include <time.h>
#include <unistd.h>

enum { LOOKS = 20, PAUSE = 20 /* milliseconds */ };
static const double SPIN = 0.2; /* seconds */

bool share_forecast(double wanted, double own, bool has_sessions, struct host_share *share,
                    struct error *error)
{
    struct forecasting *forecasting = forecast_open(forecast_SQUARES);
    struct series_sampler sampler = {0};
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    bool is_good = true;
    *share =
        (struct host_share){.share = 1, .weight = 1, .processors = processors > 0 ? (unsigned)processors : 1};
    for (unsigned i = 0; is_good && i < LOOKS; i++) {
        double running;
        nanosleep(&(struct timespec){.tv_nsec = PAUSE * 1000000}, NULL);
        is_good = series_sample("running", &sampler, &running, error);
        if (is_good)
            forecast_add(forecasting, fmax(running - 1, 0)); /* without the process that looks */
    }
    if (is_good) {
        share->others = fmax(forecast_value(forecasting) - own, 0);
        double tried = fmin(fmax(wanted, 1), share->processors), all = own + share->others;
        if (share->others > 0 && all + fmax(wanted, 1) > share->processors)
            share->weight = spin_weight(spin_share((unsigned)tried, SPIN, has_sessions), tried + own,
                                        share->others, share->processors);
        double others = share->weight * share->others;
        share->share = fmin(1, share->processors / fmax(others + fmax(wanted, 1), 1));
    }
    forecast_close(forecasting);
    return is_good;
}
