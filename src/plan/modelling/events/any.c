/* Receives from any rank: the message that arrives first is taken, as MPI does it with MPI_ANY_SOURCE.

   Ranks run a little ahead of the others here, so a message that is known may be overtaken by one of a rank that
   has not come so far. But no rank will send anything before the next turn of all: what is there by then is
   taken, in the order of arrival (equal ones in the order in which they were sent). Else the receiver waits until
   the first message that it knows is there, and looks again; one that arrives before that calls it earlier.

   Of a rendezvous the request counts.  Messages of one sender stay in order: match.c gives the oldest. */
#include "plan/modelling/events/events.h"

#include <math.h>
#include <string.h>

static void call(struct events *events, int32_t number, double time)
{
    struct event_rank *rank = &events->ranks[number];
    if (!(time < rank->turn))
        return;
    rank->turn = time;
    event_order_add(&events->order, time, number, ++rank->ticket);
}

static bool waits_for(const struct event_rank *rank, int32_t tag)
{
    return rank->state == event_RECEIVING && rank->activity.kind == activity_RECEIVE &&
           rank->activity.partner == ACTIVITY_ANY && rank->activity.tag == tag;
}

/* In the order of their times, equal ones as they were sent; those without a time last. */
static void put(struct event_rank *rank, struct event_mail mail)
{
    if (rank->first_mail && rank->first_mail * 2 >= rank->mail.count) { /* room of what was taken */
        struct event_mail *all = rank->mail.data;
        rank->mail.count -= rank->first_mail;
        memmove(all, all + rank->first_mail, rank->mail.count * sizeof *all);
        rank->first_mail = 0;
    }
    size_t place = rank->mail.count;
    array_push(&rank->mail);
    struct event_mail *all = rank->mail.data;
    for (; place > rank->first_mail && !isnan(mail.time) && !(all[place - 1].time <= mail.time); place--)
        all[place] = all[place - 1];
    all[place] = mail;
}

static void take_out(struct event_rank *rank, size_t place)
{
    struct event_mail *all = rank->mail.data;
    if (place == rank->first_mail) {
        rank->first_mail++;
        return;
    }
    memmove(all + place, all + place + 1, (rank->mail.count - place - 1) * sizeof *all);
    rank->mail.count--;
}

void event_any_sent(struct events *events, const struct event_side *send, int32_t receiver, int32_t tag,
                    double there)
{
    struct event_rank *rank = &events->ranks[receiver];
    if (!events->has_any || tag >= ACTIVITY_OWN_NUMBERS)
        return;
    if (!rank->mail.width)
        rank->mail = ARRAY_OF(struct event_mail);
    put(rank, (struct event_mail){.time = there, .flow = send->flight, .sender = send->rank, .tag = tag});
    if (waits_for(rank, tag) && !isnan(there))
        call(events, receiver, there);
}

void event_any_arrived(struct events *events, int32_t flow, int32_t receiver, double time)
{
    struct event_rank *rank = &events->ranks[receiver];
    for (size_t i = rank->mail.count; events->has_any && i-- > rank->first_mail;) {
        struct event_mail mail = *ARRAY_AT(struct event_mail, &rank->mail, i);
        if (!isnan(mail.time))
            return; /* those without a time are the last */
        if (mail.flow != flow + 1)
            continue;
        mail.time = time;
        take_out(rank, i);
        put(rank, mail);
        if (waits_for(rank, mail.tag))
            call(events, receiver, time);
        return;
    }
}

void event_any_taken(struct events *events, int32_t receiver, int32_t sender, int32_t tag)
{
    struct event_rank *rank = &events->ranks[receiver];
    for (size_t i = rank->first_mail; events->has_any && i < rank->mail.count; i++) {
        const struct event_mail *mail = ARRAY_AT(struct event_mail, &rank->mail, i);
        if (mail->sender == sender && mail->tag == tag) {
            take_out(rank, i);
            return;
        }
    }
}

static const struct event_mail *first_of(const struct event_rank *rank, int32_t tag)
{
    for (size_t i = rank->first_mail; i < rank->mail.count; i++) {
        const struct event_mail *mail = ARRAY_AT(struct event_mail, &rank->mail, i);
        if (mail->tag == tag)
            return isnan(mail->time) ? NULL : mail;
    }
    return NULL;
}

bool event_any_choose(struct events *events, int32_t number, const struct activity *receive, int32_t *sender)
{
    struct event_rank *rank = &events->ranks[number];
    const struct event_mail *first = first_of(rank, receive->tag);
    double until = events->order.turns.count ? event_order_first(&events->order)->time : INFINITY;
    if (events->flows) /* of those under way none is there yet */
        until = fmin(until, events->now);
    rank->turn = INFINITY;
    rank->state = event_READY;
    rank->activity = *receive;
    if (first && first->time <= until) {
        *sender = first->sender;
        return true;
    }
    rank->state = event_RECEIVING;
    rank->has_activity = true;
    if (first)
        call(events, number, first->time);
    return false;
}
