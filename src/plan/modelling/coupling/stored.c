/* Couplings of an earlier measurement, used again: rows of `assay model coupling FILE --csv`.

   The couplings of chains change little where the caches do not (isocoupling), while times change with every
   size and processor. So only the kernels themselves are measured anew; a chain takes its stored coupling times
   the sum of its kernels' own times here. */
#include "plan/modelling/coupling/coupling.h"

#include "base/regular_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 1 << 20 };
static const char head[] = "chain,length,seconds,apart,coupling,spread";

static bool complain(const char *path, unsigned line, struct error *error, const char *text, const char *word)
{
    char *where = memory_format("%s:%u", path, line);
    error_set(error, where, text, word);
    free(where);
    return false;
}

/* The place of a chain's names among the kernels, in a circle; false: they are not there in this order. */
static bool place_of(const struct coupling *coupling, char *names, struct coupling_chain *chain)
{
    size_t count = coupling->kernels.count, first = count;
    for (char *name; (name = strsep(&names, " "));) {
        size_t next = (first + chain->length) % count;
        if (chain->length == 0)
            for (first = next = 0; first < count; first++, next = first)
                if (!strcmp(name, *ARRAY_AT(char *, &coupling->kernels, first)))
                    break;
        if (first == count || chain->length == count ||
            strcmp(name, *ARRAY_AT(char *, &coupling->kernels, next)) != 0)
            return false;
        chain->length++;
    }
    chain->first = (uint32_t)first;
    return true;
}

static bool take_number(char **at, double *number)
{
    char *end;
    *number = strtod(*at, &end);
    bool is_fine = end != *at && (*end == ',' || !*end) && isfinite(*number) && *number >= 0;
    *at = *end ? end + 1 : end;
    return is_fine;
}

static bool read_row(const char *path, unsigned line, char *text, const struct coupling *coupling,
                     struct array *chains, struct error *error)
{
    struct coupling_chain chain = {0};
    char *names = strsep(&text, ","), *copy = memory_copy_text(names, strlen(names));
    double length, seconds, apart, value, spread;
    bool is_there = place_of(coupling, names, &chain);
    if (!is_there)
        complain(path, line, error, "the chain %.200s has kernels that are others here, or in another order",
                 copy);
    free(copy);
    if (!is_there)
        return false;
    if (!text || !take_number(&text, &length) || !take_number(&text, &seconds) ||
        !take_number(&text, &apart) || !take_number(&text, &value) || !take_number(&text, &spread) || *text ||
        !(value > 0) || length != chain.length)
        return complain(path, line, error, "is no row of a chain: expected %s", head);
    for (size_t i = 0; i < chains->count; i++) {
        const struct coupling_chain *other = ARRAY_AT(struct coupling_chain, chains, i);
        if (other->first == chain.first && other->length == chain.length)
            return complain(path, line, error, "this chain stands above already%s", "");
    }
    chain.coupling = value;
    chain.spread = spread;
    *(struct coupling_chain *)array_push(chains) = chain;
    return true;
}

/* Each kernel needs a chain of each length that there is. */
static bool check_lengths(const char *path, const struct coupling *coupling, const struct array *chains,
                          struct error *error)
{
    uint32_t count = (uint32_t)coupling->kernels.count, numbers[COUPLING_MOST_KERNELS + 1] = {0};
    bool has_chain = false;
    for (size_t i = 0; i < chains->count; i++)
        numbers[ARRAY_AT(struct coupling_chain, chains, i)->length]++;
    for (uint32_t length = 2; length < count; length++) {
        has_chain |= numbers[length] > 0;
        if (numbers[length] && numbers[length] != count)
            return error_set(error, path, "has %u chains of %u kernels, and there are %u", numbers[length],
                             length, count);
    }
    return has_chain || (count == 2 && numbers[2]) ||
           error_set(error, path, "has no couplings: assay model coupling FILE --csv writes them");
}

bool coupling_read_stored(const char *path, const struct coupling *coupling, struct array *chains,
                          struct error *error)
{
    char *text = regular_file_text(path, MOST_BYTES, "a table of couplings", error), *next = text;
    unsigned line = 0;
    bool is_fine = text;
    *chains = ARRAY_OF(struct coupling_chain);
    while (is_fine && next && *next) {
        char *row = strsep(&next, "\n");
        row[strcspn(row, "\r")] = 0;
        if (!line++)
            is_fine = !strncmp(row, head, sizeof head - 1) ||
                      complain(path, 1, error, "is no table of couplings, which begins with %s", head);
        else
            is_fine = read_row(path, line, row, coupling, chains, error);
    }
    free(text);
    return is_fine && check_lengths(path, coupling, chains, error);
}

/* The rule of compose.c, with P(S) = C(S) × the sum of its kernels' own times here. */
double coupling_compose_stored(const struct coupling *coupling, const struct array *stored, uint32_t length)
{
    uint32_t count = (uint32_t)coupling->kernels.count;
    const struct coupling_chain *own = coupling->chains.data; /* chains of one kernel come first */
    double seconds = 0;
    bool has_one = false;
    for (uint32_t kernel = 0; kernel < count; kernel++) {
        double weighed = 0, weight = 0;
        for (size_t i = 0; i < stored->count; i++) {
            const struct coupling_chain *chain = ARRAY_AT(struct coupling_chain, stored, i);
            double apart = 0;
            if (chain->length != length || (kernel + count - chain->first) % count >= length)
                continue;
            for (uint32_t k = 0; k < length; k++)
                apart += own[(chain->first + k) % count].seconds;
            has_one = true;
            weighed += chain->coupling * chain->coupling * apart;
            weight += chain->coupling * apart;
        }
        seconds += own[kernel].seconds * weighed / weight;
    }
    return has_one ? seconds : NAN;
}
