/* A ring as the library that samples by timers leaves it (runtime/sample/ring_file.h), and what becomes of
 * it. */
#ifndef TESTS_UNIT_SAMPLE_RING_H
#define TESTS_UNIT_SAMPLE_RING_H
#include "sample_recording.h"

#include "run/sample/timer_ring.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static const char ring_name[] = "sample.1";
static const uint64_t ring_second = 1000000000;
enum { RING_STACK = 64, RING_CODE = 0x401234 };

static inline void *put_record(struct array *bytes, size_t size, uint32_t kind)
{
    uint64_t position = bytes->count - SAMPLE_DATA;
    struct sample_record *record = array_add_many(bytes, size);
    *record = (struct sample_record){position + 1, (uint32_t)size, kind};
    return record;
}

static inline void put_maps(struct array *bytes, const char *text, bool is_first, bool is_last)
{
    uint32_t length = (uint32_t)strlen(text);
    size_t size = (sizeof(struct sample_maps) + length + SAMPLE_UNIT - 1) / SAMPLE_UNIT * SAMPLE_UNIT;
    struct sample_maps *maps = put_record(bytes, size, SAMPLE_MAPS);
    maps->length = length;
    maps->is_first = is_first;
    maps->is_last = is_last;
    memcpy(maps + 1, text, length);
}

static inline void put_sample(struct array *bytes, uint32_t thread, uint64_t address, double seconds)
{
    struct sample_taken *taken = put_record(bytes, sizeof *taken + RING_STACK, SAMPLE_TAKEN);
    taken->thread = thread;
    taken->stack_size = RING_STACK;
    taken->time = ring_second + (uint64_t)(seconds * 1e9);
    taken->ran = 4000000;
    taken->stack_address = 0x7fff0000;
    memcpy(taken->name, "worker", 7);
    taken->registers[7] = taken->stack_address;
    taken->registers[16] = address;
}

/* Of process `process`: two samples of known code, and two of code whose maps come after them. */
static inline struct array make_ring(uint32_t process)
{
    struct array bytes = ARRAY_OF(uint8_t);
    array_add_many(&bytes, SAMPLE_DATA);
    put_maps(&bytes, "401000-402000 r-xp 00001000 00:00 0 /not/there/prog", true, false);
    put_maps(&bytes, "ram\n7f0000-7f1000 r-xp 00000000 00:00 0 \n", false, true);
    put_sample(&bytes, process, RING_CODE, 0.004);
    put_sample(&bytes, process + 1, RING_CODE, 0.008);
    put_sample(&bytes, process, 0x501000, 0.012);
    put_record(&bytes, SAMPLE_UNIT * 3, SAMPLE_FILLER);
    put_sample(&bytes, process, 0x501000, 0.016);
    put_maps(&bytes,
             "401000-402000 r-xp 00001000 00:00 0 /not/there/program\n"
             "501000-502000 r-xp 00000000 00:00 0 /not/there/plugin\n",
             true, true);
    put_sample(&bytes, process, 0x501000, 0.020);
    struct sample_ring *ring = bytes.data;
    *ring = (struct sample_ring){.version = SAMPLE_VERSION,
                                 .isa = SAMPLE_X86_64,
                                 .process = process,
                                 .parent = process + 7,
                                 .size = SAMPLE_LEAST_RING,
                                 .start = ring_second,
                                 .end = ring_second + 30000000,
                                 .written = bytes.count - SAMPLE_DATA,
                                 .lost = 3,
                                 .maps_written = 1};
    memcpy(ring->magic, SAMPLE_MAGIC, sizeof ring->magic);
    memcpy(ring->name, "program", 8);
    return bytes;
}

/* Reads a ring, of which a file of that name is in a folder, to its end. */
static inline struct timer_counts read_ring(struct sample_recording *recording, const char *folder,
                                            uint32_t process)
{
    struct timer_counts counts = {0};
    int place = open(folder, O_RDONLY | O_DIRECTORY);
    struct timer_ring *ring = timer_ring_open(place, ring_name, process, 1);
    sample_recording_init(recording);
    *(struct sample_event *)array_add(&recording->events) = (struct sample_event){.name = text_of("time")};
    struct timer_feed feed = {collector_begin(recording, 0), (double)ring_second * 1e-9, &counts};
    if (ring) {
        timer_ring_read(ring, &feed, NULL, false);
        timer_ring_read(ring, &feed, NULL, true);
        timer_ring_exit(ring, &feed);
        timer_ring_close(ring, &feed);
        timer_ring_free(ring);
    }
    collector_end(feed.collector, 1);
    close(place);
    return counts;
}
#endif
