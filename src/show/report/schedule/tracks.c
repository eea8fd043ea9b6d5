/* Which processors of its host a bar is drawn on.

   An engine that binds tasks says so. For the others a bar takes the lowest neighbouring processors that are
   free for all of its time, and where there are none (an estimate that is over, two engines on one host),
   those that are free soonest: bars may overlap then, as the rows do. */
#include "show/report/schedule/view.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_LANES = 4096 }; /* of a host, that are looked at one by one */

static uint32_t lowest_free(const double *free_from, uint32_t processors, uint32_t wanted, double begins)
{
    uint32_t run = 0, best = 0;
    double soonest = INFINITY;
    for (uint32_t i = 0; i < processors; i++) {
        run = free_from[i] <= begins + 1e-3 ? run + 1 : 0;
        if (run >= wanted)
            return i + 1 - wanted;
    }
    for (uint32_t i = 0; i + wanted <= processors; i++) {
        double latest = 0;
        for (uint32_t k = i; k < i + wanted; k++)
            latest = fmax(latest, free_from[k]);
        if (latest < soonest) {
            soonest = latest;
            best = i;
        }
    }
    return best;
}

static void find_tracks(struct schedule_view *view, const struct view_host *host)
{
    autofree double *free_from = memory_get(host->processors * sizeof *free_from);
    for (uint32_t i = 0; i < host->bar_count; i++) {
        struct view_bar *bar = VIEW_BAR(view, host->first_bar + i);
        if (bar->first >= 0)
            bar->track = (uint32_t)bar->first;
        else if (host->processors <= MOST_LANES)
            bar->track = lowest_free(free_from, host->processors, bar->tracks, bar->begins);
        for (uint32_t k = bar->track; k < bar->track + bar->tracks; k++)
            free_from[k] = fmax(free_from[k], bar->ends);
    }
}

void view_find_tracks(struct schedule_view *view)
{
    for (size_t i = 0; i < view->hosts.count; i++)
        if (VIEW_HOST(view, i)->bar_count)
            find_tracks(view, VIEW_HOST(view, i));
}
