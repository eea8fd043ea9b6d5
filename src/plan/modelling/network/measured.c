/* What the ping-pong program printed, read: lines of words with tabs between them.

   It ran through other people's launchers, which may add lines of their own: what does not begin with a word
   of ours is left out. What begins with one must be whole. */
#include "plan/modelling/network/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PLACES = 1 << 20 };

static bool take_number(char **rest, double *value)
{
    char *word = strsep(rest, "\t"), *end;
    *value = word ? strtod(word, &end) : 0;
    return word && end != word && !*end && isfinite(*value) && *value >= 0;
}

static bool take_quartiles(char **rest, struct quartiles *quartiles)
{
    return take_number(rest, &quartiles->first) && take_number(rest, &quartiles->median) &&
           take_number(rest, &quartiles->third);
}

static bool take_point(char *rest, struct network_pair *pair)
{
    struct network_point point = {0};
    double waits;
    if (!pair || !take_number(&rest, &point.bytes) || !take_quartiles(&rest, &point.round) ||
        !take_quartiles(&rest, &point.send) || !take_quartiles(&rest, &point.receive) ||
        !take_quartiles(&rest, &point.burst) || !take_number(&rest, &waits))
        return false;
    if (pair->points.count &&
        ARRAY_AT(struct network_point, &pair->points, pair->points.count - 1)->bytes >= point.bytes)
        return false;
    point.is_waiting = waits > 0;
    *(struct network_point *)array_add(&pair->points) = point;
    return true;
}

static bool take_pair(char *rest, struct network_measured *measured)
{
    double partner, distance;
    if (!take_number(&rest, &partner) || !take_number(&rest, &distance) || distance >= network_DISTANCES ||
        partner > MOST_PLACES)
        return false;
    for (size_t i = 0; i < measured->pairs.count; i++)
        if (ARRAY_AT(struct network_pair, &measured->pairs, i)->distance == (enum network_distance)distance)
            return false;
    *(struct network_pair *)array_add(&measured->pairs) =
        (struct network_pair){.distance = (enum network_distance)distance,
                              .partner = (int32_t)partner,
                              .points = ARRAY_OF(struct network_point),
                              .most_eager = INFINITY};
    return true;
}

static bool take_place(char *rest, struct network_measured *measured)
{
    double rank, processor, package;
    const char *host;
    if (!take_number(&rest, &rank) || !(host = strsep(&rest, "\t")) || !take_number(&rest, &processor) ||
        !take_number(&rest, &package) || rank != (double)measured->places.count || rank > MOST_PLACES ||
        processor > MOST_PLACES || package > INT32_MAX)
        return false;
    *(struct network_place *)array_add(&measured->places) = (struct network_place){
        (int32_t)rank, (int32_t)processor, (int32_t)package, memory_copy_text(host, strlen(host))};
    return true;
}

static bool take_shared(char *rest, struct network_measured *measured)
{
    double sharing;
    if (!take_number(&rest, &sharing) || sharing < 2 || sharing > MOST_PLACES ||
        !take_quartiles(&rest, &measured->turns))
        return false;
    measured->sharing = (int32_t)sharing;
    return true;
}

static bool take_line(char *line, struct network_measured *measured)
{
    struct network_pair *pair =
        measured->pairs.count ? ARRAY_AT(struct network_pair, &measured->pairs, measured->pairs.count - 1)
                              : NULL;
    const char *word = strsep(&line, "\t");
    if (!strcmp(word, "point"))
        return take_point(line, pair);
    if (!strcmp(word, "eager"))
        return pair && take_number(&line, &pair->most_eager);
    if (!strcmp(word, "pair"))
        return take_pair(line, measured);
    if (!strcmp(word, "place"))
        return take_place(line, measured);
    if (!strcmp(word, "shared"))
        return take_shared(line, measured);
    if (!strcmp(word, "clock"))
        return take_number(&line, &measured->clock);
    return true;
}

/* What a program that was stopped printed: whole lines, and pairs with some points. */
static bool keep_whole(struct network_measured *measured, struct error *error)
{
    enum { FEWEST = 3 };
    struct network_pair *last =
        measured->pairs.count ? ARRAY_AT(struct network_pair, &measured->pairs, measured->pairs.count - 1)
                              : NULL;
    if (last && last->points.count < FEWEST) {
        array_free(&last->points);
        measured->pairs.count--;
    }
    return measured->pairs.count ||
           error_set(error, NULL, "stopped by Ctrl-C before three sizes were measured; nothing was written");
}

bool network_read_measured(char *text, bool is_partial, struct network_measured *measured,
                           struct error *error)
{
    char *behind = is_partial ? strrchr(text, '\n') : NULL;
    if (is_partial)
        *(behind ? behind : text) = 0;
    *measured = (struct network_measured){.is_partial = is_partial,
                                          .pairs = ARRAY_OF(struct network_pair),
                                          .places = ARRAY_OF(struct network_place)};
    bool has_end = false, is_alone = false;
    for (char *line; (line = strsep(&text, "\n"));) {
        has_end |= !strcmp(line, "end");
        is_alone |= !strcmp(line, "alone");
        char *shown = memory_copy_text(line, strlen(line));
        bool is_fine = take_line(line, measured);
        if (!is_fine)
            error_set(error, "the ping-pong program", "printed a line that is not whole: %.100s", shown);
        free(shown);
        if (!is_fine)
            return false;
    }
    if (is_alone)
        return error_set(error, NULL,
                         "one rank cannot measure a network: start two or more (mpirun -n 2), and compile "
                         "with the MPI that starts them");
    if (is_partial)
        return keep_whole(measured, error);
    if (has_end && !measured->pairs.count)
        return error_set(
            error, NULL,
            "all ranks share the processor of rank 0: bind them to two at least, so that messages "
            "between processors can be measured");
    if (!has_end || !measured->pairs.count)
        return error_set(error, NULL, "the ping-pong program did not come to its end");
    for (size_t i = 0; i < measured->pairs.count; i++)
        if (!ARRAY_AT(struct network_pair, &measured->pairs, i)->points.count)
            return error_set(error, NULL, "the ping-pong program measured nothing");
    return true;
}

void network_measured_free(struct network_measured *measured)
{
    for (size_t i = 0; i < measured->pairs.count; i++)
        array_free(&ARRAY_AT(struct network_pair, &measured->pairs, i)->points);
    for (size_t i = 0; i < measured->places.count; i++)
        free(ARRAY_AT(struct network_place, &measured->places, i)->host);
    array_free(&measured->pairs);
    array_free(&measured->places);
    *measured = (struct network_measured){0};
}
