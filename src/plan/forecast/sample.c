/* What this computer does at the moment, from /proc: see series.h. */
#include "plan/forecast/series.h"

#include "base/clock.h"
#include "run/launch/accounts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char stat_file[] = "/proc/stat", network_file[] = "/proc/net/dev";

const struct series_gauge series_gauges[] = {
    {"load", "processes that run or want to, the mean of about a minute", ""},
    {"running", "processes that run or want to, at this moment", ""},
    {"cpu", "share of all processors' time that was used", ""},
    {"memory", "share of memory that is not available", ""},
    {"network", "bytes in and out, over all interfaces but loopback", "B/s"},
    {NULL, NULL, NULL}};

static bool sample_load(struct series_sampler *sampler, double *value, struct error *error)
{
    (void)sampler;
    FILE *file = fopen("/proc/loadavg", "re");
    bool is_good = file && fscanf(file, "%lf", value) == 1;
    if (file)
        fclose(file);
    return is_good || error_set(error, "/proc/loadavg", "cannot be read");
}

static bool sample_running(struct series_sampler *sampler, double *value, struct error *error)
{
    (void)sampler;
    char line[4096];
    bool is_there = false;
    FILE *file = fopen(stat_file, "re");
    while (file && !is_there && fgets(line, sizeof line, file))
        is_there = sscanf(line, "procs_running %lf", value) == 1;
    if (file)
        fclose(file);
    return is_there || error_set(error, stat_file, "does not say how many processes run");
}

/* A share of what passed since the last sample. */
static bool sample_cpu(struct series_sampler *sampler, double *value, struct error *error)
{
    struct accounts_computer now = accounts_of_computer();
    double all = now.all, busy = now.busy;
    if (isnan(all))
        return error_set(error, stat_file, "cannot be read");
    *value = sampler->all > 0 && all > sampler->all ? (busy - sampler->busy) / (all - sampler->all) : NAN;
    if (!isnan(*value))
        *value = fmin(fmax(*value, 0), 1);
    if (isnan(*value) && sampler->all > 0 && all <= sampler->all)
        return true; /* too soon after the last one */
    sampler->all = all;
    sampler->busy = busy;
    return true;
}

static bool sample_memory(struct series_sampler *sampler, double *value, struct error *error)
{
    (void)sampler;
    double total = 0, available = -1, number;
    char line[200];
    FILE *file = fopen("/proc/meminfo", "re");
    while (file && fgets(line, sizeof line, file)) {
        if (sscanf(line, "MemTotal: %lf", &number) == 1)
            total = number;
        if (sscanf(line, "MemAvailable: %lf", &number) == 1)
            available = number;
    }
    if (file)
        fclose(file);
    if (!(total > 0) || available < 0)
        return error_set(error, "/proc/meminfo", "does not say how much memory is available");
    *value = 1 - available / total;
    return true;
}

static bool sample_network(struct series_sampler *sampler, double *value, struct error *error)
{
    double bytes = 0, time = clock_monotonic_seconds();
    char line[400];
    FILE *file = fopen(network_file, "re");
    if (!file)
        return error_set(error, network_file, "cannot be read");
    while (fgets(line, sizeof line, file)) {
        double in, out;
        char *figures = strchr(line, ':');
        if (!figures)
            continue;
        *figures = 0;
        if (strcmp(line + strspn(line, " "), "lo") != 0 &&
            sscanf(figures + 1, "%lf %*f %*f %*f %*f %*f %*f %*f %lf", &in, &out) == 2)
            bytes += in + out;
    }
    fclose(file);
    bool is_known = sampler->time > 0 && time > sampler->time && bytes >= sampler->bytes;
    *value = is_known ? (bytes - sampler->bytes) / (time - sampler->time) : NAN;
    sampler->bytes = bytes;
    sampler->time = time;
    return true;
}

bool series_sample(const char *gauge, struct series_sampler *sampler, double *value, struct error *error)
{
    static bool (*const samples[])(struct series_sampler *, double *, struct error *) = {
        sample_load, sample_running, sample_cpu, sample_memory, sample_network};
    for (unsigned i = 0; series_gauges[i].name; i++)
        if (!strcmp(series_gauges[i].name, gauge))
            return samples[i](sampler, value, error);
    return error_set(error, NULL, "%s cannot be sampled: choose load, running, cpu, memory or network",
                     gauge);
}
