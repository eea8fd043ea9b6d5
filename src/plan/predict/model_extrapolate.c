/* See model_extrapolate.h.

   t(k) = startup + work · k^-exponent, for a probe that is k times smaller in each direction; the whole run
   is t(1). Three probes cannot tell three figures apart with any certainty, so no single fit is believed:
   every pair of exponent and startup on a grid is weighed by how well it explains the probes and by what
   was thought of it before, and the answers of all of them together are the distribution that the estimate
   and its interval are read from. Where the probes say little, it is wide.

   What was thought of the exponent before: what probes of other inputs say, and, where the bytes of the
   smaller inputs are known, that most programs take time with the bytes or somewhat faster. Some do not: a
   program that compares all pairs takes the square. So a share of the belief is spread over what is rarer, and
   probes that agree on another exponent are believed. */
#include "plan/predict/model_extrapolate.h"
#include "plan/predict/model_table.h"

#include <math.h>
#include <stdlib.h>

enum { EXPONENTS = 60, STARTUPS = 20 };
static const double MOST_EXPONENT = 6;
/* Of ln seconds: of the whole run around the curve through its probes. */
static const double WHOLE_SD = 0.6;
/* Exponents by direction that shrinks: of most programs, and how far above that of the others. */
static const double USUAL = 1.05, USUAL_SD = 0.15, RARE_SD = 0.8, RARE_SHARE = 0.2;

struct guess {
    double answer, weight; /* ln seconds; ln of the weight, then the weight */
    double exponent, startup;
};

static int by_answer(const void *a, const void *b)
{
    double x = ((const struct guess *)a)->answer, y = ((const struct guess *)b)->answer;
    return (x > y) - (x < y);
}

static bool is_used(const struct model_case *question, size_t i, bool is_identity)
{
    const struct model_probe *probe = &question->probes[i];
    return probe->is_identity == is_identity && model_is_plausible(question, probe);
}

/* The work that fits best for this exponent and startup, and how well that explains the probes. */
static struct guess weigh(const struct model_case *question, bool is_identity, double exponent,
                          double startup)
{
    double sum = 0, squares = 0, count = 0;
    for (size_t i = 0; i < question->probe_count; i++) {
        const struct model_probe *probe = &question->probes[i];
        if (!is_used(question, i, is_identity))
            continue;
        /* Noise is of the whole time: what is left without the startup is as much noisier as it is smaller.
         */
        double rest = probe->seconds - startup, part = rest / probe->seconds;
        double value = log(rest) + exponent * log(probe->factor);
        double noise = model_probe_noise(probe), weight = part * part / (noise * noise);
        sum += weight * value, squares += weight * value * value, count += weight;
    }
    double work = sum / count;
    double off = fmax(squares - sum * sum / count, 0);
    return (struct guess){log(startup + exp(work)), -off / 2, exponent, startup};
}

static double bell(double value, double mean, double sd)
{
    double away = (value - mean) / sd;
    return exp(-away * away / 2) / sd;
}

/* ln of how likely an exponent was before these probes, but for a constant. */
static double belief(const struct model_case *question, double tried, double exponent, double exponent_sd)
{
    double away = (tried - exponent) / exponent_sd, by_others = -away * away / 2;
    if (!(question->directions > 0))
        return by_others;
    double per = tried / question->directions, usual_sd = USUAL_SD * fmax(1, 1 / question->directions);
    double rare = per > USUAL ? RARE_SHARE * bell(per, USUAL, RARE_SD) : 0;
    return by_others + log((1 - RARE_SHARE) * bell(per, USUAL, usual_sd) + rare);
}

/* The answer with this share of the weight below it; the whole run's own noise widens both ends. */
static double quantile(const struct guess *guesses, size_t count, double share)
{
    double below = 0;
    for (size_t i = 0; i < count; i++) {
        below += guesses[i].weight;
        if (below >= share)
            return guesses[i].answer;
    }
    return guesses[count - 1].answer;
}

bool model_extrapolate(const struct model_case *question, double exponent, double exponent_sd,
                       struct model_extrapolation *extrapolation)
{
    double shortest = INFINITY;
    bool is_identity = true;
    for (size_t i = 0; i < question->probe_count; i++)
        is_identity &= !is_used(question, i, false);
    for (size_t i = 0; i < question->probe_count; i++)
        if (is_used(question, i, is_identity))
            shortest = fmin(shortest, question->probes[i].seconds);
    if (!isfinite(shortest))
        return false;
    struct guess *guesses = memory_get(EXPONENTS * STARTUPS * sizeof *guesses);
    size_t count = 0, best = 0;
    for (unsigned e = 1; e <= EXPONENTS; e++)
        for (unsigned s = 0; s < STARTUPS; s++) {
            double tried = MOST_EXPONENT * e / EXPONENTS;
            guesses[count] = weigh(question, is_identity, tried, shortest * s / STARTUPS);
            guesses[count].weight += belief(question, tried, exponent, exponent_sd);
            if (guesses[count].weight > guesses[best].weight)
                best = count;
            count++;
        }
    double heaviest = guesses[best].weight, sum = 0;
    extrapolation->exponent = extrapolation->startup = 0;
    for (size_t i = 0; i < count; i++)
        sum += guesses[i].weight = exp(guesses[i].weight - heaviest);
    for (size_t i = 0; i < count; i++) {
        guesses[i].weight /= sum;
        extrapolation->exponent += guesses[i].weight * guesses[i].exponent;
        extrapolation->startup += guesses[i].weight * guesses[i].startup;
    }
    qsort(guesses, count, sizeof *guesses, by_answer);
    double middle = quantile(guesses, count, 0.5), own = 1.645 * WHOLE_SD;
    double below = hypot(middle - quantile(guesses, count, 0.05), own);
    double above = hypot(quantile(guesses, count, 0.95) - middle, own);
    free(guesses);
    extrapolation->is_from_identity = is_identity;
    extrapolation->seconds = exp(middle);
    extrapolation->lower = exp(middle - below);
    extrapolation->upper = is_identity ? INFINITY : exp(middle + above);
    return true;
}
