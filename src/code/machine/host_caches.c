/* Caches of data of this computer, from /sys/devices/system/cpu/cpu0/cache/index*: level, type, size, ways,
   lines, and which processors share it.

   Some systems show no caches (containers, virtual machines, some kernels of Arm), or leave out sizes or
   ways: a level without a size is passed over, any other figure that is missing is 0. */
#include "code/machine/host.h"
#include "code/machine/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The first word of a file of a cache; false: there is none. */
static bool read_word(const char *folder, unsigned index, const char *name, char *word, size_t size)
{
    char path[512];
    int length = snprintf(path, sizeof path, "%s/index%u/%s", folder, index, name);
    FILE *file = length > 0 && (size_t)length < sizeof path ? fopen(path, "re") : NULL;
    bool got = file && fgets(word, (int)size, file);
    if (file)
        fclose(file);
    if (got)
        word[strcspn(word, " \t\n")] = 0;
    return got && *word;
}

static uint64_t read_number(const char *folder, unsigned index, const char *name)
{
    char word[64], *end;
    if (!read_word(folder, index, name, word, sizeof word) || *word == '-')
        return 0;
    unsigned long long number = strtoull(word, &end, 10);
    unsigned shift = *end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0;
    return number < (1ULL << 33) && !end[shift > 0] ? number << shift : 0;
}

unsigned host_caches_in(const char *folder, struct machine_cache *caches, unsigned most)
{
    enum { MOST_INDICES = 16 };
    unsigned count = 0;
    for (unsigned index = 0; index < MOST_INDICES; index++) {
        char word[64];
        if (read_word(folder, index, "type", word, sizeof word) && !strcmp(word, "Instruction"))
            continue;
        struct machine_cache cache = {.level = (unsigned)read_number(folder, index, "level"),
                                      .bytes = read_number(folder, index, "size"),
                                      .ways = (unsigned)read_number(folder, index, "ways_of_associativity"),
                                      .line = (unsigned)read_number(folder, index, "coherency_line_size")};
        if (!cache.bytes || !cache.level || cache.level > MOST_CACHES)
            continue;
        cache.is_shared =
            read_word(folder, index, "shared_cpu_list", word, sizeof word) && strpbrk(word, ",-");
        unsigned place = count;
        while (place && caches[place - 1].level > cache.level)
            place--;
        bool is_known = place && caches[place - 1].level == cache.level;
        if (is_known || count == most)
            continue;
        memmove(caches + place + 1, caches + place, (count - place) * sizeof *caches);
        caches[place] = cache;
        count++;
    }
    return count;
}

unsigned host_caches(struct machine_cache *caches, unsigned most)
{
    return host_caches_in("/sys/devices/system/cpu/cpu0/cache", caches, most);
}
