/* Sends and receives find each other.  A channel is a sender, a receiver and a tag; at any time it has sides
   of one kind only, oldest first. Channels are hashed with open addressing and go when they are empty, by
   moving later ones back into the hole: base/hash_index.h has no removal. */
#include "plan/modelling/events/events.h"

#include <stdlib.h>
#include <string.h>

struct event_channel {
    int32_t sender, receiver, tag;
    uint32_t first, last; /* sides; 0: the slot is free */
};

void event_match_begin(struct event_match *match)
{
    *match = (struct event_match){.sides = ARRAY_OF(struct event_side), .capacity = 1024};
    match->channels = memory_get(match->capacity * sizeof *match->channels);
    array_add(&match->sides);
}

void event_match_end(struct event_match *match)
{
    array_free(&match->sides);
    free(match->channels);
    *match = (struct event_match){0};
}

static size_t home_of(const struct event_match *match, int32_t sender, int32_t receiver, int32_t tag)
{
    uint64_t mixed = (uint64_t)(uint32_t)sender << 32 | (uint32_t)receiver;
    mixed = (mixed ^ (uint64_t)(uint32_t)tag * 0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9;
    mixed ^= mixed >> 29;
    return (size_t)(mixed * 0x94d049bb133111eb >> 20) & (match->capacity - 1);
}

static struct event_channel *find(const struct event_match *match, int32_t sender, int32_t receiver,
                                  int32_t tag)
{
    size_t slot = home_of(match, sender, receiver, tag);
    for (;; slot = (slot + 1) & (match->capacity - 1)) {
        struct event_channel *channel = &match->channels[slot];
        if (!channel->first ||
            (channel->sender == sender && channel->receiver == receiver && channel->tag == tag))
            return channel;
    }
}

static void grow(struct event_match *match)
{
    struct event_match wider = {.capacity = match->capacity * 2};
    wider.channels = memory_get(wider.capacity * sizeof *wider.channels);
    for (size_t i = 0; i < match->capacity; i++) {
        const struct event_channel *channel = &match->channels[i];
        if (channel->first)
            *find(&wider, channel->sender, channel->receiver, channel->tag) = *channel;
    }
    free(match->channels);
    match->channels = wider.channels;
    match->capacity = wider.capacity;
}

static void remove_channel(struct event_match *match, struct event_channel *channel)
{
    size_t mask = match->capacity - 1, hole = (size_t)(channel - match->channels), slot = hole;
    for (;;) {
        slot = (slot + 1) & mask;
        const struct event_channel *later = &match->channels[slot];
        if (!later->first)
            break;
        size_t home = home_of(match, later->sender, later->receiver, later->tag);
        if (((slot - home) & mask) >= ((slot - hole) & mask)) {
            match->channels[hole] = *later;
            hole = slot;
        }
    }
    match->channels[hole].first = 0;
    match->count--;
}

static uint32_t keep(struct event_match *match, const struct event_side *side)
{
    uint32_t place = match->free_side;
    if (place)
        match->free_side = ARRAY_AT(struct event_side, &match->sides, place)->next;
    else {
        place = (uint32_t)match->sides.count;
        array_push(&match->sides);
    }
    struct event_side *kept = ARRAY_AT(struct event_side, &match->sides, place);
    *kept = *side;
    kept->next = 0;
    return place;
}

bool event_match_meet(struct event_match *match, int32_t sender, int32_t receiver, int32_t tag,
                      const struct event_side *side, struct event_side *other)
{
    struct event_channel *channel = find(match, sender, receiver, tag);
    if (channel->first &&
        ARRAY_AT(struct event_side, &match->sides, channel->first)->is_send != side->is_send) {
        struct event_side *oldest = ARRAY_AT(struct event_side, &match->sides, channel->first);
        uint32_t place = channel->first;
        *other = *oldest;
        channel->first = oldest->next;
        oldest->next = match->free_side;
        match->free_side = place;
        if (!channel->first)
            remove_channel(match, channel);
        return true;
    }
    uint32_t place = keep(match, side);
    if (channel->first) {
        ARRAY_AT(struct event_side, &match->sides, channel->last)->next = place;
        channel->last = place;
        return false;
    }
    *channel = (struct event_channel){sender, receiver, tag, place, place};
    if (++match->count * 2 > match->capacity)
        grow(match);
    return false;
}

bool event_match_left(const struct event_match *match, bool is_send, struct event_side *side, int32_t *sender,
                      int32_t *receiver, int32_t *tag)
{
    bool has_one = false;
    for (size_t i = 0; i < match->capacity; i++) {
        const struct event_channel *channel = &match->channels[i];
        const struct event_side *first = ARRAY_AT(struct event_side, &match->sides, channel->first);
        if (!channel->first || first->is_send != is_send || (has_one && first->rank >= side->rank))
            continue;
        has_one = true;
        *side = *first;
        *sender = channel->sender;
        *receiver = channel->receiver;
        *tag = channel->tag;
    }
    return has_one;
}
