/* Takes records out of the kernel's rings, in the order of time.

   The kernel writes records after each other into the ring of the processor that it runs on, and moves the
   head; we read up to the head and move the tail.  Records of one ring come in the order of time, but for a
   few microseconds (an interrupt writes between); between rings there is no order.  So the oldest of the
   first records of all rings is taken, again and again, straight out of the rings: nothing is copied or
   allocated but the records that go round the end.

   What is written to another ring while we look may be older than what we have seen: the caller gives an end
   that lies a little before the moment at which he began to look, and later records wait in their rings. */
#include "run/sample/perf_parts.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void perf_ring_begin(struct perf_ring *ring, struct perf_event_mmap_page *page, const uint8_t *data,
                     uint64_t size)
{
    *ring = (struct perf_ring){
        .page = page, .data = data, .size = size, .straight = memory_get(PERF_LARGEST_RECORD)};
}

bool perf_ring_map(struct perf_ring *ring, int descriptor, size_t data_size)
{
    size_t page_size = (size_t)sysconf(_SC_PAGESIZE), all = page_size + data_size;
    uint8_t *memory = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (memory == MAP_FAILED)
        return false;
    perf_ring_begin(ring, (struct perf_event_mmap_page *)memory, memory + page_size, data_size);
    ring->mapped = all;
    return true;
}

void perf_ring_unmap(struct perf_ring *ring)
{
    if (ring->mapped)
        munmap(ring->page, ring->mapped);
    free(ring->straight);
    *ring = (struct perf_ring){0};
}

/* The record at the tail.  false: the ring makes no sense from here on. */
static bool look_at_first(struct perf_ring *ring, const struct perf_layout *layout)
{
    uint64_t there = ring->head - ring->tail, at = ring->tail & (ring->size - 1);
    ring->first = NULL;
    if (!there)
        return true;
    struct perf_event_header header;
    if (there > ring->size || there < sizeof header || at % 8)
        return false;
    memcpy(&header, ring->data + at, sizeof header); /* headers never go round: sizes are multiples of 8 */
    if (header.size < sizeof header || header.size % 8 || header.size > there)
        return false;
    if (at + header.size > ring->size) {
        uint64_t before_end = ring->size - at;
        memcpy(ring->straight, ring->data + at, before_end);
        memcpy(ring->straight + before_end, ring->data, header.size - before_end);
        ring->first = (struct perf_event_header *)ring->straight;
    } else {
        ring->first = (struct perf_event_header *)(uintptr_t)(ring->data + at);
    }
    ring->time = perf_record_time(layout, ring->first);
    return true;
}

static void give_room(struct perf_ring *ring)
{
    __atomic_store_n(&ring->page->data_tail, ring->tail, __ATOMIC_RELEASE);
}

static void advance(struct perf_ring *ring, const struct perf_layout *layout, uint64_t *lost)
{
    if (ring->first)
        ring->tail += ring->first->size;
    if (!look_at_first(ring, layout)) {
        ring->tail = ring->head;
        ++*lost;
    }
    give_room(ring);
}

static struct perf_ring *oldest(struct perf_ring *rings, size_t count)
{
    struct perf_ring *found = NULL;
    for (struct perf_ring *ring = rings; ring < rings + count; ring++)
        if (ring->first && (!found || ring->time < found->time))
            found = ring;
    return found;
}

void perf_rings_read(struct perf_ring *rings, size_t count, const struct perf_layout *layout, uint64_t end,
                     perf_record_handler *handle, void *context, uint64_t *lost)
{
    for (struct perf_ring *ring = rings; ring < rings + count; ring++) {
        ring->head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
        if (!ring->first)
            advance(ring, layout, lost);
    }
    for (struct perf_ring *ring; (ring = oldest(rings, count)) && ring->time < end;) {
        handle(context, ring, ring->first);
        advance(ring, layout, lost);
    }
}
