/* Levels of the memory in a machine file: sizes, bytes a cycle, latencies, and where these come from.

       cache 2 1M ways 16 line 64 bandwidth 56.6 store 19.9 latency 14 source measured on …
       main-memory bandwidth 5.1 store 3.6 source assumed, as cascade-lake

   The words after `source` go to the end of the line.  The first says what kind of figures they are:
   `measured`, `assumed`, or `published`.  Figures of memory are those of one computer, which the source
   names. */
#ifndef CODE_MACHINE_CACHES_H
#define CODE_MACHINE_CACHES_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* A level of the memory, as a machine file or the system gives it; 0: unknown. */
enum { MOST_CACHES = 4 };
struct machine_cache {
    unsigned level; /* of data: 1 to 3 */
    uint64_t bytes;
    unsigned ways, line;
    /* Bytes a cycle of one core whose data is there: loaded, stored, copied from one place in it to
       another, and changed in place. */
    double bytes_per_cycle, stored_per_cycle, copied_per_cycle, updated_per_cycle;
    double overlap;     /* share of the core's own work that goes on while lines come from there */
    double latency;     /* cycles of a load that finds its data there */
    bool is_shared;     /* by several cores */
    const char *source; /* of these figures; NULL: the file does not say it for this level */
};

/* Whether the figures are another processor's, because nobody published or measured any. */
bool machine_cache_is_assumed(const struct machine_cache *cache);
/* The first word of the source: measured, published or assumed; empty where there is none. */
int machine_cache_basis_length(const struct machine_cache *cache);

/* Lines `cache` and `main-memory`. */
struct machine;
struct reading;
bool caches_read(struct reading *reading);
bool caches_read_memory(struct reading *reading);
/* The values of the cache with this place, after the word; false: there is none. */
bool caches_write(const struct machine *machine, unsigned place, FILE *out);
bool caches_write_memory(const struct machine *machine, FILE *out);
#endif
