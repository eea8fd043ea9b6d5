/* Files of networks, read: see network.h for what they say.

   Times have a unit, because a figure without one is off by a million sooner or later: 3.92us, 0.4ns, 2ms.
   Nothing is guessed but one thing, which is marked (is_borrowed): a distance that the file leaves out has
   the regions of the next one beyond it, or else of the one before. */
#include "plan/modelling/network.h"

#include "base/path.h"
#include "base/settings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define REGION_KEYS(section)                                                                                 \
    {section, "up-to", false, "the largest message of the region (1024, 64K); the last region has none"},    \
        {section, "L", false, "latency (0.305us)"},                                                          \
        {section, "o", false, "overhead of the sender and of the receiver (3.92us)"},                        \
        {section, "o-send", false, "overhead of the sender, where it differs"},                              \
        {section, "o-receive", false, "overhead of the receiver, where it differs"},                         \
        {section, "O", false, "the processor's time for each byte, on both sides (0.1ns)"},                  \
        {section, "O-send", false, "the sender's time for each byte, where it differs"},                     \
        {section, "O-receive", false, "the receiver's time for each byte, where it differs"},                \
        {section, "g", false, "the least time between the beginnings of two sends (0.5us)"},                 \
        {section, "G", false, "time for each byte on the way (0.4ns)"},                                      \
        {section, "handshake", false, "the sender waits for the receiver, and then this long (2us)"},        \
    {                                                                                                        \
        section, "spread", false, "half the interquartile range of measured times (4%)"                      \
    }

static const char *const kinds[network_DISTANCES] = {"on-chip", "on-node", "off-node"};

static const struct settings_key keys[] = {
    {NULL, "name", false, "what the network is called"},
    {NULL, "description", false, "a sentence: what it is, and where its figures come from"},
    {NULL, "cores-per-chip", false, "ranks that share a chip (2); 1 where nothing is said"},
    {NULL, "chips-per-node", false, "chips of a node (1)"},
    {NULL, "platform", false, "a SimGrid platform (cluster.xml) beside this file, for evaluation by events"},
    REGION_KEYS("on-chip"),
    REGION_KEYS("on-node"),
    REGION_KEYS("off-node"),
    {"disc", "latency", false, "time of a request (5ms)"},
    {"disc", "bandwidth", true, "bytes a second (150MB/s)"},
    {"disc", "shared", false, "yes: all ranks use the same disc, one after the other; no"},
    {"noise", "rate", true, "how many interruptions come in a second of computing (10)"},
    {"noise", "length", true, "how long one takes, on average (50us)"},
    {"noise", "distribution", false, "of the length: exponential, fixed or pareto"},
    {"sharing", "processors", true, "of all ranks together; more ranks than that share them (2)"},
    {"sharing", "turn", true, "of a rank that looks for its message and finds nothing (0.8us)"},
    {"nodes", "speeds", true, "of nodes, in order, then again from the first (1, 1, 0.8)"},
    {NULL, NULL, false, NULL},
};

struct network_reader {
    struct settings settings;
    struct network *network;
    struct error *error;
};

static bool parse_unit(const char *text, const char *const *units, const double *scales, double *value)
{
    if (*text != '.' && (*text < '0' || *text > '9'))
        return false;
    char *end;
    *value = strtod(text, &end);
    if (end == text || strpbrk(text, "xX") || !isfinite(*value))
        return false;
    end += strspn(end, " ");
    for (unsigned i = 0; units[i]; i++)
        if (!strcmp(end, units[i])) {
            *value *= scales[i];
            return true;
        }
    return !*end && !*value;
}

static bool read_time(struct network_reader *reader, const struct setting *setting, double *seconds)
{
    static const char *const units[] = {"ns", "us", "µs", "ms", "s", "ps", NULL};
    static const double scales[] = {1e-9, 1e-6, 1e-6, 1e-3, 1, 1e-12};
    if (!setting)
        return true;
    if (!parse_unit(setting->value, units, scales, seconds) || *seconds > 1e6)
        return settings_complain(&reader->settings, setting, reader->error,
                                 "`%s` takes a time with its unit (3.92us; ps, ns, us, ms, s), not '%.60s'",
                                 setting->key->name, setting->value);
    return true;
}

static bool read_bandwidth(struct network_reader *reader, const struct setting *setting, double *bytes)
{
    static const char *const units[] = {"B/s", "kB/s", "KB/s", "MB/s", "GB/s", NULL};
    static const double scales[] = {1, 1e3, 1e3, 1e6, 1e9};
    if (!parse_unit(setting->value, units, scales, bytes) || !(*bytes > 0))
        return settings_complain(&reader->settings, setting, reader->error,
                                 "`%s` takes bytes a second (150MB/s; B/s, kB/s, MB/s, GB/s), not '%.60s'",
                                 setting->key->name, setting->value);
    return true;
}

static bool read_region(struct network_reader *reader, const struct settings_section *section,
                        struct array *regions)
{
    const struct settings *settings = &reader->settings;
    const struct setting *most = settings_find(settings, section, "up-to"),
                         *overhead = settings_find(settings, section, "o"),
                         *per_byte = settings_find(settings, section, "O"),
                         *handshake = settings_find(settings, section, "handshake"),
                         *spread = settings_find(settings, section, "spread");
    struct network_region region = {.most_bytes = INFINITY, .is_rendezvous = handshake != NULL};
    const struct {
        const struct setting *setting;
        double *value;
    } times[] = {{overhead, &region.overhead_send},
                 {overhead, &region.overhead_receive},
                 {settings_find(settings, section, "o-send"), &region.overhead_send},
                 {settings_find(settings, section, "o-receive"), &region.overhead_receive},
                 {per_byte, &region.send_per_byte},
                 {per_byte, &region.receive_per_byte},
                 {settings_find(settings, section, "O-send"), &region.send_per_byte},
                 {settings_find(settings, section, "O-receive"), &region.receive_per_byte},
                 {settings_find(settings, section, "L"), &region.latency},
                 {settings_find(settings, section, "g"), &region.gap},
                 {settings_find(settings, section, "G"), &region.gap_per_byte},
                 {handshake, &region.handshake}};
    for (unsigned i = 0; i < sizeof times / sizeof *times; i++)
        if (!read_time(reader, times[i].setting, times[i].value))
            return false;
    if (most && !settings_bytes(settings, most, &region.most_bytes, reader->error))
        return false;
    static const char *const percent[] = {"%", NULL};
    static const double hundredth[] = {0.01};
    if (spread && !parse_unit(spread->value, percent, hundredth, &region.spread))
        return settings_complain(settings, spread, reader->error, "`spread` takes percent (4%%), not '%.60s'",
                                 spread->value);
    const struct network_region *before =
        regions->count ? ARRAY_AT(struct network_region, regions, regions->count - 1) : NULL;
    if (before && !(before->most_bytes < region.most_bytes)) {
        char *where = memory_format("%s:%u:1", settings->path, section->line);
        error_set(reader->error, where,
                  isinf(before->most_bytes) ? "the region above has no `up-to`, so it is the last one of [%s]"
                                            : "regions of [%s] must be in the order of their sizes (`up-to`)",
                  section->kind);
        free(where);
        return false;
    }
    *(struct network_region *)array_add(regions) = region;
    return true;
}

static bool read_disc(struct network_reader *reader, const struct settings_section *section)
{
    struct network *network = reader->network;
    double bandwidth;
    const struct setting *shared = settings_find(&reader->settings, section, "shared");
    if (!read_time(reader, settings_find(&reader->settings, section, "latency"), &network->disc_latency) ||
        !read_bandwidth(reader, settings_find(&reader->settings, section, "bandwidth"), &bandwidth))
        return false;
    if (shared && strcmp(shared->value, "yes") && strcmp(shared->value, "no"))
        return settings_complain(&reader->settings, shared, reader->error,
                                 "`shared` takes yes or no, not '%.60s'", shared->value);
    network->has_disc = true;
    network->disc_seconds_per_byte = 1 / bandwidth;
    network->is_disc_shared = shared && !strcmp(shared->value, "yes");
    return true;
}

static bool read_noise(struct network_reader *reader, const struct settings_section *section)
{
    struct network *network = reader->network;
    const struct setting *distribution = settings_find(&reader->settings, section, "distribution");
    const char *word = distribution ? distribution->value : "exponential";
    if (!settings_number(&reader->settings, settings_find(&reader->settings, section, "rate"), 0, 1e9,
                         &network->noise_rate, reader->error) ||
        !read_time(reader, settings_find(&reader->settings, section, "length"), &network->noise_seconds))
        return false;
    if (strcmp(word, "exponential") && strcmp(word, "fixed") && strcmp(word, "pareto"))
        return settings_complain(&reader->settings, distribution, reader->error,
                                 "`distribution` takes exponential, fixed or pareto, not '%.60s'", word);
    if (network->noise_rate * network->noise_seconds > 1000)
        return settings_complain(&reader->settings, settings_find(&reader->settings, section, "rate"),
                                 reader->error, "a second of computing would become %g s",
                                 1 + network->noise_rate * network->noise_seconds);
    network->noise_distribution = memory_copy_text(word, strlen(word));
    return true;
}

static bool read_sharing(struct network_reader *reader, const struct settings_section *section)
{
    struct network *network = reader->network;
    double processors;
    if (!settings_number(&reader->settings, settings_find(&reader->settings, section, "processors"), 1,
                         1 << 24, &processors, reader->error) ||
        !read_time(reader, settings_find(&reader->settings, section, "turn"), &network->turn))
        return false;
    network->processors = (int32_t)processors;
    return true;
}

static bool read_speeds(struct network_reader *reader, const struct settings_section *section)
{
    const struct setting *setting = settings_find(&reader->settings, section, "speeds");
    struct array words = ARRAY_OF(char *);
    bool is_fine = settings_list(&reader->settings, setting, &words, reader->error);
    for (size_t i = 0; is_fine && i < words.count; i++) {
        const char *word = *ARRAY_AT(char *, &words, i);
        char *end;
        double speed = strtod(word, &end);
        is_fine = end != word && !*end && speed >= 1e-6 && speed <= 1e6;
        if (is_fine)
            *(double *)array_add(&reader->network->speeds) = speed;
        else
            settings_complain(&reader->settings, setting, reader->error,
                              "`speeds` takes numbers above 0 (1, 1, 0.8), not '%.60s'", word);
    }
    array_free(&words);
    return is_fine;
}

static bool read_section(struct network_reader *reader, const struct settings_section *section)
{
    if (!section->kind)
        return true;
    for (unsigned i = 0; i < network_DISTANCES; i++)
        if (!strcmp(section->kind, kinds[i]))
            return read_region(reader, section, &reader->network->regions[i]);
    return !strcmp(section->kind, "disc")    ? read_disc(reader, section)
           : !strcmp(section->kind, "noise") ? read_noise(reader, section)
           : !strcmp(section->kind, "nodes") ? read_speeds(reader, section)
                                             : read_sharing(reader, section);
}

static bool read_head(struct network_reader *reader)
{
    struct settings *settings = &reader->settings;
    const struct settings_section *head = ARRAY_AT(struct settings_section, &settings->sections, 0);
    struct network *network = reader->network;
    const char *name = settings_value(settings, head, "name"), *path = settings->path,
               *slash = strrchr(path, '/'), *description = settings_value(settings, head, "description"),
               *platform = settings_value(settings, head, "platform");
    name = name ? name : slash ? slash + 1 : path;
    network->name = memory_copy_text(name, strlen(name));
    network->description = description ? memory_copy_text(description, strlen(description)) : NULL;
    if (platform) {
        char *folder = path_folder(path);
        network->platform = *platform == '/' || !folder ? memory_copy_text(platform, strlen(platform))
                                                        : memory_format("%s/%s", folder, platform);
        free(folder);
    }
    const struct setting *cores = settings_find(settings, head, "cores-per-chip"),
                         *chips = settings_find(settings, head, "chips-per-node");
    double per_chip = 1, per_node = 1;
    if ((cores && !settings_number(settings, cores, 1, 4096, &per_chip, reader->error)) ||
        (chips && !settings_number(settings, chips, 1, 4096, &per_node, reader->error)))
        return false;
    network->cores_per_chip = (int32_t)per_chip;
    network->chips_per_node = (int32_t)per_node;
    return true;
}

static bool complete(struct network_reader *reader)
{
    struct network *network = reader->network;
    for (unsigned i = 0; i < network_DISTANCES; i++) {
        struct array *regions = &network->regions[i];
        if (regions->count &&
            !isinf(ARRAY_AT(struct network_region, regions, regions->count - 1)->most_bytes))
            return error_set(reader->error, reader->settings.path,
                             "the last region of [%s] has an `up-to`: say what larger messages cost",
                             kinds[i]);
    }
    for (unsigned i = 0; i < network_DISTANCES; i++) {
        const struct array *from = NULL;
        for (unsigned k = i; !from && k < network_DISTANCES; k++)
            from = network->regions[k].count ? &network->regions[k] : NULL;
        for (unsigned k = i; !from && k--;)
            from = network->regions[k].count ? &network->regions[k] : NULL;
        if (!from)
            return error_set(reader->error, reader->settings.path,
                             "says nothing of messages: a section [off-node …], [on-node …] or [on-chip …] "
                             "is needed");
        network->is_borrowed[i] = from != &network->regions[i];
        if (network->is_borrowed[i])
            memcpy(array_add_many(&network->regions[i], from->count), from->data, from->count * from->width);
    }
    return true;
}

static bool take(struct network_reader *reader, bool was_read)
{
    struct network *network = reader->network;
    bool is_fine = was_read && read_head(reader);
    for (size_t i = 0; is_fine && i < reader->settings.sections.count; i++)
        is_fine = read_section(reader, ARRAY_AT(struct settings_section, &reader->settings.sections, i));
    is_fine = is_fine && complete(reader);
    settings_free(&reader->settings);
    if (!is_fine)
        network_free(network);
    return is_fine;
}

static struct network_reader reader_of(struct network *network, struct error *error)
{
    *network = (struct network){.speeds = ARRAY_OF(double)};
    for (unsigned i = 0; i < network_DISTANCES; i++)
        network->regions[i] = ARRAY_OF(struct network_region);
    return (struct network_reader){.network = network, .error = error};
}

bool network_read(const char *path, struct network *network, struct error *error)
{
    struct network_reader reader = reader_of(network, error);
    return take(&reader, settings_read(&reader.settings, path, keys, error));
}

bool network_parse(const char *path, const char *text, size_t size, struct network *network,
                   struct error *error)
{
    struct network_reader reader = reader_of(network, error);
    return take(&reader, settings_parse(&reader.settings, path, text, size, keys, error));
}
