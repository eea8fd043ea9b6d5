#include "code/machine/caches.h"

#include "code/machine/reading.h"
#include "code/machine/write.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char SOURCE[] = "source";

bool machine_cache_is_assumed(const struct machine_cache *cache)
{
    static const char word[] = "assumed";
    return cache->source && !strncmp(cache->source, word, sizeof word - 1);
}

int machine_cache_basis_length(const struct machine_cache *cache)
{
    return cache->source ? (int)strcspn(cache->source, " ,:") : 0;
}

/* 48K, 32M or a plain number of bytes. */
static bool read_size(struct reading *reading, const char *word, uint64_t *bytes)
{
    char *end;
    double value = strtod(word, &end);
    uint64_t unit = *end == 'K' ? 1 << 10 : *end == 'M' ? 1 << 20 : *end == 'G' ? 1 << 30 : 1;
    if (end == word || end[unit > 1] || !(value > 0) || value > 1e6)
        return reading_complain(reading, "this must be a size such as 48K or 32M:", word);
    *bytes = (uint64_t)(value * (double)unit);
    return true;
}

/* The figure of a level that a word names; NULL: none. */
static double *cache_figure(struct machine_cache *cache, const char *word)
{
    const struct {
        const char *word;
        double *figure;
    } figures[] = {{"bandwidth", &cache->bytes_per_cycle}, {"store", &cache->stored_per_cycle},
                   {"copy", &cache->copied_per_cycle},     {"update", &cache->updated_per_cycle},
                   {"overlap", &cache->overlap},           {"latency", &cache->latency}};
    for (unsigned i = 0; i < sizeof figures / sizeof *figures; i++)
        if (!strcmp(word, figures[i].word))
            return figures[i].figure;
    return NULL;
}

static bool read_source(struct reading *reading, unsigned word, struct machine_cache *cache)
{
    static const char *const bases[] = {"measured", "published", "assumed"};
    const char *text = reading_text_from(reading, word + 1);
    for (unsigned i = 0; i < sizeof bases / sizeof *bases; i++)
        if (!strncmp(text, bases[i], strlen(bases[i]))) {
            cache->source = reading_keep(reading, text);
            return true;
        }
    return reading_complain(reading, "a source starts with measured, published or assumed, not",
                            *text ? text : NULL);
}

/* Words behind a cache: a name and its number, `shared`, or `source` and a text. */
static bool read_words(struct reading *reading, unsigned first, bool is_memory, struct machine_cache *cache)
{
    for (unsigned i = first; i < reading->count; i++) {
        const char *word = reading->words[i];
        double number;
        if (!strcmp(word, SOURCE))
            return read_source(reading, i, cache);
        if (!is_memory && !strcmp(word, "shared")) {
            cache->is_shared = true;
            continue;
        }
        bool is_ways = !strcmp(word, "ways"), is_line = !strcmp(word, "line");
        double *figure = cache_figure(cache, word);
        if (!figure && (is_memory || !(is_ways || is_line)))
            return reading_complain(reading, is_memory ? "memory has no" : "a cache has no", word);
        if (++i == reading->count)
            return reading_complain(reading, "a number is missing after", word);
        if (!reading_number(reading, reading->words[i], &number))
            return false;
        if (!(number > 0) || ((is_ways || is_line) && number != floor(number)))
            return reading_complain(reading,
                                    "this must be above 0, ways and lines whole:", reading->words[i]);
        if (figure == &cache->overlap && number > 1)
            return reading_complain(reading, "a share is 1 at most:", reading->words[i]);
        if (figure)
            *figure = number;
        else
            *(is_ways ? &cache->ways : &cache->line) = (unsigned)number;
    }
    return true;
}

/* cache LEVEL SIZE … */
bool caches_read(struct reading *reading)
{
    struct machine *machine = reading->machine;
    double level;
    if (!reading_number(reading, reading->words[1], &level))
        return false;
    if (machine->cache_count == MOST_CACHES || level != machine->cache_count + 1)
        return reading_complain(reading, "the levels of caches are 1 to 4, in their order, not",
                                reading->words[1]);
    struct machine_cache *cache = &machine->caches[machine->cache_count];
    cache->level = (unsigned)level;
    if (!read_size(reading, reading->words[2], &cache->bytes) || !read_words(reading, 3, false, cache))
        return false;
    if (machine->cache_count && cache->bytes <= cache[-1].bytes)
        return reading_complain(reading,
                                "this cache is not larger than the one before it:", reading->words[2]);
    machine->cache_count++;
    return true;
}

bool caches_read_memory(struct reading *reading)
{
    reading->machine->main_memory = (struct machine_cache){0};
    return read_words(reading, 1, true, &reading->machine->main_memory);
}

static void write_named(const char *name, double value, FILE *out)
{
    if (!(value > 0))
        return;
    fprintf(out, " %s ", name);
    machine_write_number(value, out);
}

void machine_write_size(uint64_t bytes, FILE *out)
{
    static const char units[] = " KMG";
    unsigned unit = 0;
    for (; bytes && bytes % 1024 == 0 && unit < 3; unit++)
        bytes /= 1024;
    fprintf(out, unit ? "%llu%c" : "%llu", (unsigned long long)bytes, units[unit]);
}

static void write_figures(const struct machine_cache *cache, FILE *out)
{
    write_named("bandwidth", cache->bytes_per_cycle, out);
    write_named("store", cache->stored_per_cycle, out);
    write_named("copy", cache->copied_per_cycle, out);
    write_named("update", cache->updated_per_cycle, out);
    write_named("overlap", cache->overlap, out);
    write_named("latency", cache->latency, out);
    fputs(cache->is_shared ? " shared" : "", out);
    if (cache->source)
        fprintf(out, " %s %s", SOURCE, cache->source);
}

bool caches_write(const struct machine *machine, unsigned place, FILE *out)
{
    if (place >= machine->cache_count)
        return false;
    const struct machine_cache *cache = &machine->caches[place];
    fprintf(out, " %u ", cache->level);
    machine_write_size(cache->bytes, out);
    write_named("ways", cache->ways, out);
    write_named("line", cache->line, out);
    write_figures(cache, out);
    return true;
}

bool caches_write_memory(const struct machine *machine, FILE *out)
{
    const struct machine_cache *memory = &machine->main_memory;
    bool has_figures = memory->bytes_per_cycle > 0 || memory->stored_per_cycle > 0 ||
                       memory->copied_per_cycle > 0 || memory->updated_per_cycle > 0 || memory->overlap > 0 ||
                       memory->latency > 0;
    if (has_figures)
        write_figures(memory, out);
    return has_figures;
}
