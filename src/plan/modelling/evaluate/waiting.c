/* Sends and receives that have not met yet: queues by sender, receiver and tag, found by a hash. They are in
   the table itself, unlike with base/hash_index.h: every message looks for one. */
#include "plan/modelling/evaluate/crowd.h"

#include "base/strings.h"

#include <stdlib.h>

struct queued {
    struct offer offer;
    uint32_t next; /* index + 1; 0: the last */
};
struct queue {
    int32_t from, to, tag;
    uint32_t first, last; /* of queued, + 1 */
    bool is_used;
};
struct waiting {
    struct queue *queues;
    size_t count, capacity; /* capacity: a power of two */
    struct array queued;    /* of struct queued */
    uint32_t free;          /* index + 1 */
};

struct waiting *waiting_begin(void)
{
    struct waiting *waiting = memory_get(sizeof *waiting);
    waiting->capacity = 64;
    waiting->queues = memory_get(waiting->capacity * sizeof *waiting->queues);
    waiting->queued = ARRAY_OF(struct queued);
    return waiting;
}

void waiting_end(struct waiting *waiting)
{
    if (waiting) {
        free(waiting->queues);
        array_free(&waiting->queued);
        free(waiting);
    }
}

static struct queue *find(const struct waiting *waiting, int32_t from, int32_t to, int32_t tag)
{
    uint64_t hash = hash_mix(hash_mix(hash_mix(7, (uint32_t)from), (uint32_t)to), (uint32_t)tag);
    for (size_t at = hash & (waiting->capacity - 1);; at = (at + 1) & (waiting->capacity - 1)) {
        struct queue *queue = &waiting->queues[at];
        if (!queue->is_used || (queue->from == from && queue->to == to && queue->tag == tag))
            return queue;
    }
}

static void grow(struct waiting *waiting)
{
    struct waiting larger = {.capacity = waiting->capacity * 2};
    larger.queues = memory_get(larger.capacity * sizeof *larger.queues);
    for (size_t i = 0; i < waiting->capacity; i++)
        if (waiting->queues[i].is_used)
            *find(&larger, waiting->queues[i].from, waiting->queues[i].to, waiting->queues[i].tag) =
                waiting->queues[i];
    free(waiting->queues);
    waiting->queues = larger.queues;
    waiting->capacity = larger.capacity;
}

bool waiting_meet(struct waiting *waiting, int32_t from, int32_t to, int32_t tag, const struct offer *offer,
                  struct offer *other)
{
    if (waiting->count * 2 > waiting->capacity)
        grow(waiting);
    struct queue *queue = find(waiting, from, to, tag);
    if (!queue->is_used) {
        *queue = (struct queue){.from = from, .to = to, .tag = tag, .is_used = true};
        waiting->count++;
    }
    struct queued *all = waiting->queued.data;
    if (queue->first && all[queue->first - 1].offer.is_receive != offer->is_receive) {
        uint32_t taken = queue->first;
        *other = all[taken - 1].offer;
        queue->first = all[taken - 1].next;
        queue->last = queue->first ? queue->last : 0;
        all[taken - 1].next = waiting->free;
        waiting->free = taken;
        return true;
    }
    uint32_t place = waiting->free;
    if (place) {
        waiting->free = all[place - 1].next;
    } else {
        array_add(&waiting->queued);
        all = waiting->queued.data;
        place = (uint32_t)waiting->queued.count;
    }
    all[place - 1] = (struct queued){.offer = *offer};
    if (queue->last)
        all[queue->last - 1].next = place;
    else
        queue->first = place;
    queue->last = place;
    return false;
}

size_t waiting_count(const struct waiting *waiting)
{
    return waiting->queued.count;
}

bool waiting_left(const struct waiting *waiting, int32_t *from, int32_t *to, struct offer *offer)
{
    for (size_t i = 0; i < waiting->capacity; i++)
        if (waiting->queues[i].first) {
            *from = waiting->queues[i].from;
            *to = waiting->queues[i].to;
            *offer = ARRAY_AT(struct queued, &waiting->queued, waiting->queues[i].first - 1)->offer;
            return true;
        }
    return false;
}
