/* The directory of hosts: see directory.h. */
#include "plan/forecast/directory.h"

#include "base/child.h"
#include "base/settings.h"
#include "plan/forecast/queries.h"
#include "plan/forecast/series.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const double directory_own_seconds = 300, directory_slurm_seconds = 600;
enum { MOST_OUTPUT = 1 << 26, MOST_SECONDS = 60 };
static const double forgotten_after = 86400;

void directory_host_free(struct directory_host *host)
{
    free(host->name);
    free(host->processor);
    free(host->machine);
    free(host->state);
    *host = (struct directory_host){0};
}

void directory_free(struct array *hosts)
{
    for (size_t i = 0; i < hosts->count; i++)
        directory_host_free(ARRAY_AT(struct directory_host, hosts, i));
    array_free(hosts);
}

static char *copy(const char *text)
{
    return text ? memory_copy_text(text, strlen(text)) : NULL;
}

/* --- the host itself --- */

/* The first line of a file of /proc that begins with this key: what is behind its colon, to be freed. */
static char *line_of(const char *path, const char *key)
{
    char line[400], *found = NULL;
    FILE *file = fopen(path, "re");
    while (file && !found && fgets(line, sizeof line, file)) {
        char *colon = strchr(line, ':');
        if (strncmp(line, key, strlen(key)) || !colon)
            continue;
        colon += 1 + strspn(colon + 1, " \t");
        found = memory_copy_text(colon, strcspn(colon, "\n"));
    }
    if (file)
        fclose(file);
    return found;
}

static double kilobytes_of(const char *key)
{
    char *text = line_of("/proc/meminfo", key);
    double bytes = text ? strtod(text, NULL) * 1024 : NAN;
    free(text);
    return bytes;
}

bool directory_ask_self(struct directory_host *host, const char *machine, struct error *error)
{
    char name[256] = "";
    struct series_sampler sampler = {0};
    *host = (struct directory_host){.memory = NAN, .free_memory = NAN, .load = NAN};
    if (gethostname(name, sizeof name - 1) || !*name)
        return error_set(error, NULL, "this computer does not know its name");
    if (!series_sample("load", &sampler, &host->load, error))
        return false;
    host->name = copy(name);
    host->machine = copy(machine);
    host->processor = line_of("/proc/cpuinfo", "model name");
    if (!host->processor)
        host->processor = copy(machine);
    host->state = copy("up");
    host->processors = sysconf(_SC_NPROCESSORS_ONLN);
    host->memory = kilobytes_of("MemTotal");
    host->free_memory = kilobytes_of("MemAvailable");
    return true;
}

/* --- Slurm --- */

/* KEY=VALUE in a line of scontrol, to be freed; NULL: it is not there, or says nothing. */
static char *value_of(const char *line, size_t length, const char *key)
{
    size_t size = strlen(key);
    for (const char *at = line; at < line + length;) {
        size_t word = 0;
        while (at + word < line + length && at[word] != ' ')
            word++;
        if (word > size && at[size] == '=' && !strncmp(at, key, size)) {
            char *value = memory_copy_text(at + size + 1, word - size - 1);
            if (*value && strcmp(value, "N/A") != 0 && strcmp(value, "(null)") != 0)
                return value;
            free(value);
            return NULL;
        }
        at += word + 1;
    }
    return NULL;
}

static double number_of(const char *line, size_t length, const char *key)
{
    char *text = value_of(line, length, key), *end = text;
    double number = text ? strtod(text, &end) : NAN;
    bool is_number = end != text;
    free(text);
    return is_number ? number : NAN;
}

bool directory_parse_slurm(struct array *hosts, const char *text, struct error *error)
{
    *hosts = ARRAY_OF(struct directory_host);
    for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        size_t length = strcspn(line, "\n");
        if (!length)
            continue;
        char *name = value_of(line, length, "NodeName");
        if (!name)
            return error_set(error, "scontrol", "printed a line without a node: %.*s",
                             (int)(length < 60 ? length : 60), line);
        double processors = number_of(line, length, "CPUTot"), sockets = number_of(line, length, "Sockets");
        double cores = sockets * number_of(line, length, "CoresPerSocket");
        struct directory_host *host = array_add(hosts);
        *host = (struct directory_host){.name = name,
                                        .processor = value_of(line, length, "Arch"),
                                        .machine = value_of(line, length, "AvailableFeatures"),
                                        .state = value_of(line, length, "State"),
                                        .processors = processors > 0 ? (int64_t)processors : 0,
                                        .cores = cores > 0 ? (int64_t)cores : 0,
                                        .memory = number_of(line, length, "RealMemory") * 1048576,
                                        .free_memory = number_of(line, length, "FreeMem") * 1048576,
                                        .load = number_of(line, length, "CPULoad")};
        free(host->machine); /* features are the site's own words; a machine file is named in a file of hosts
                              */
        host->machine = NULL;
    }
    return true;
}

bool directory_ask_slurm(struct array *hosts, struct error *error)
{
    static const char *const words[] = {"scontrol", "-o", "show", "node", NULL};
    struct child_job job = {.words = words,
                            .limits = {.memory = (uint64_t)1 << 32,
                                       .file_size = 1 << 20,
                                       .output = MOST_OUTPUT,
                                       .seconds = MOST_SECONDS}};
    struct child_answer answer;
    *hosts = ARRAY_OF(struct directory_host);
    if (!child_run(&job, &answer, error))
        return false;
    bool is_good = answer.end == child_end_DONE;
    if (is_good) {
        is_good = directory_parse_slurm(hosts, answer.output.data, error);
    } else if (answer.end == child_end_MISSING) {
        error_set(error, NULL, "scontrol is not here: install slurm-client");
    } else {
        const char *said = answer.messages.count ? answer.messages.data : "";
        error_set(error, "scontrol", "did not answer: %.*s", (int)strcspn(said, "\n"), said);
    }
    child_answer_free(&answer);
    return is_good;
}

/* --- files --- */

static const struct settings_key keys[] = {
    {NULL, "valid", false,
     "for how long this may be believed: 12h, 30d; usually until the file is read again"},
    {"host", "processor", false, "model of the processor"},
    {"host", "machine", false, "name of its machine file: assay machines lists them"},
    {"host", "processors", true, "processors that tasks can use"},
    {"host", "cores", false, "physical cores"},
    {"host", "memory", false, "bytes: 64G"},
    {"host", "load", false, "usual load"},
    {"host", "state", false, "up, down, drained"},
    {NULL, NULL, false, NULL}};

static bool read_host(const struct settings *settings, const struct settings_section *section,
                      struct directory_host *host, struct error *error)
{
    const struct setting *found;
    double number;
    *host = (struct directory_host){.name = copy(section->name),
                                    .processor = copy(settings_value(settings, section, "processor")),
                                    .machine = copy(settings_value(settings, section, "machine")),
                                    .state = copy(settings_value(settings, section, "state")),
                                    .memory = NAN,
                                    .free_memory = NAN,
                                    .load = NAN};
    if (!section->name) {
        char *place = memory_format("%s:%u", settings->path, section->line);
        error_set(error, place, "a host needs a name: [host NAME]");
        free(place);
        return false;
    }
    if (!host->state)
        host->state = copy("up");
    if ((found = settings_find(settings, section, "processors"))) {
        if (!settings_number(settings, found, 1, 1e6, &number, error))
            return false;
        host->processors = (int64_t)number;
    }
    if ((found = settings_find(settings, section, "cores"))) {
        if (!settings_number(settings, found, 1, 1e6, &number, error))
            return false;
        host->cores = (int64_t)number;
    }
    if ((found = settings_find(settings, section, "memory")) &&
        !settings_bytes(settings, found, &host->memory, error))
        return false;
    return !(found = settings_find(settings, section, "load")) ||
           settings_number(settings, found, 0, 1e6, &host->load, error);
}

bool directory_read(struct array *hosts, const char *path, double *seconds, struct error *error)
{
    struct settings settings;
    *hosts = ARRAY_OF(struct directory_host);
    *seconds = INFINITY;
    if (!settings_read(&settings, path, keys, error))
        return false;
    const struct setting *valid =
        settings_find(&settings, ARRAY_AT(struct settings_section, &settings.sections, 0), "valid");
    bool is_good = !valid || settings_seconds(&settings, valid, seconds, error);
    for (size_t i = 1; is_good && i < settings.sections.count; i++)
        is_good = read_host(&settings, ARRAY_AT(struct settings_section, &settings.sections, i),
                            array_add(hosts), error);
    if (is_good && !hosts->count)
        is_good = error_set(error, path, "has no hosts: sections [host NAME] are wanted");
    settings_free(&settings);
    return is_good;
}

/* --- rows --- */

bool directory_write(struct ledger *ledger, const char *source, const struct directory_host *host, double now,
                     double seconds, struct error *error)
{
    double expires = isfinite(seconds) ? now + seconds : NAN;
    return ledger_do(ledger, error, query_named(forecast_queries, "write_host"), "ttttiirrrtrr", host->name,
                     source, host->processor, host->machine, host->processors, host->cores, host->memory,
                     host->free_memory, host->load, host->state ? host->state : "up", now, expires);
}

bool directory_clean(struct ledger *ledger, double now, struct error *error)
{
    return ledger_do(ledger, error, query_named(forecast_queries, "forget_hosts"), "r",
                     now - forgotten_after);
}
