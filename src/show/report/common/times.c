#include "show/report/common/times.h"

#include "show/report/common/phrases.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

enum { MINUTE = 60, HOUR = 3600, DAY = 86400 };
#define LATEST 253402300799.0 /* the end of the year 9999 */

char *phrase_duration(double seconds)
{
    if (!isfinite(seconds) || fabs(seconds) < MINUTE - 0.5)
        return seconds >= 1 && seconds == floor(seconds) ? memory_format("%.0f s", seconds)
                                                         : phrase_seconds(seconds);
    double whole = round(fabs(seconds));
    if (whole < HOUR) {
        int minutes = (int)(whole / MINUTE), rest = (int)(whole - minutes * MINUTE);
        return rest ? memory_format("%d min %d s", minutes, rest) : memory_format("%d min", minutes);
    }
    if (whole < 2 * DAY) {
        int minutes = (int)round(whole / MINUTE), hours = minutes / 60;
        return minutes % 60 ? memory_format("%d h %d min", hours, minutes % 60)
                            : memory_format("%d h", hours);
    }
    double hours = round(whole / HOUR), days = floor(hours / 24);
    if (days >= 3650)
        return memory_format("%.3g years", days / 365.25);
    return hours > 24 * days ? memory_format("%.0f d %.0f h", days, hours - 24 * days)
                             : memory_format("%.0f d", days);
}

static bool split(double time, struct tm *parts)
{
    time_t whole = (time_t)floor(time);
    return isfinite(time) && fabs(time) <= LATEST && localtime_r(&whole, parts);
}

static char *in_words(const struct tm *parts, const char *format)
{
    char text[80];
    if (!strftime(text, sizeof text, format, parts))
        text[0] = 0;
    return memory_format("%s", text);
}

char *phrase_moment(double time, double now, bool has_clock)
{
    struct tm then, today;
    if (!isfinite(time))
        return memory_format("an unknown time");
    if (!has_clock || !split(time, &then) || !split(now, &today))
        return phrase_duration(time);
    bool is_same_day = then.tm_year == today.tm_year && then.tm_yday == today.tm_yday;
    if (is_same_day || fabs(time - now) < 12 * HOUR)
        return in_words(&then, fabs(time - now) < 600 ? "%H:%M:%S" : "%H:%M");
    if (fabs(time - now) < 6 * DAY)
        return in_words(&then, "%H:%M on %A");
    return in_words(&then, then.tm_year == today.tm_year ? "%H:%M on %-d %B" : "%H:%M on %-d %B %Y");
}

struct time_axis time_axis_make(double begins, double ends, unsigned most, bool has_clock)
{
    static const double steps[] = {0.001,
                                   0.002,
                                   0.005,
                                   0.01,
                                   0.02,
                                   0.05,
                                   0.1,
                                   0.2,
                                   0.5,
                                   1,
                                   2,
                                   5,
                                   10,
                                   15,
                                   30,
                                   60,
                                   120,
                                   300,
                                   600,
                                   900,
                                   1800,
                                   HOUR,
                                   2 * HOUR,
                                   3 * HOUR,
                                   21600,
                                   43200,
                                   DAY,
                                   2 * DAY,
                                   7 * DAY,
                                   14 * DAY,
                                   28 * DAY,
                                   91 * DAY,
                                   182 * (double)DAY,
                                   364 * (double)DAY};
    enum { COUNT = sizeof steps / sizeof *steps };
    double span = fmax(ends - begins, 0.001), step = steps[0];
    for (unsigned i = 0; i < COUNT && span / step > most; i++)
        step = steps[i];
    while (span / step > most)
        step *= 2;
    struct tm parts;
    double shift = has_clock && split(begins, &parts) ? (double)parts.tm_gmtoff : 0;
    struct time_axis axis = {.step = step, .has_clock = has_clock, .zero = has_clock ? -shift : 0};
    axis.first = ceil((begins - axis.zero) / step - 1e-9) * step + axis.zero;
    return axis;
}

char *time_axis_label(const struct time_axis *axis, double tick)
{
    struct tm parts;
    if (!axis->has_clock || !split(tick + 0.0005, &parts))
        return phrase_duration(fabs(tick) < 1e-9 ? 0 : tick);
    if (axis->step < 1) {
        char *whole = in_words(&parts, "%H:%M:%S"),
             *label = memory_format(
                 "%s.%0*.0f", whole, axis->step < 0.1 ? 3 : 1,
                 floor((tick + 0.0005 - floor(tick + 0.0005)) * (axis->step < 0.1 ? 1000 : 10)));
        free(whole);
        return label;
    }
    if (axis->step < MINUTE)
        return in_words(&parts, "%H:%M:%S");
    bool is_midnight = !parts.tm_hour && !parts.tm_min;
    if (axis->step >= 7 * DAY)
        return in_words(&parts, "%-d %b %Y");
    if (axis->step >= DAY)
        return in_words(&parts, "%-d %b");
    return in_words(&parts, is_midnight ? "%-d %b" : "%H:%M");
}
