/* The analytic evaluator: clocks of ranks that wait for one another. crowd.h has the idea. */
#include "plan/modelling/evaluate/crowd.h"

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/progress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Adds to what a rank spent on a cause. */
static double *crowd_spent(struct crowd *crowd, uint32_t cause, enum evaluated_kind kind)
{
    size_t ranks = (size_t)crowd->count, row = evaluated_KINDS * ranks;
    if (!crowd->row_of[cause]) {
        size_t used = crowd->used.count;
        *(uint32_t *)array_push(&crowd->used) = cause;
        crowd->spent = memory_grow(crowd->spent, used * row * sizeof *crowd->spent,
                                   (used + 1) * row * sizeof *crowd->spent);
        crowd->row_of[cause] = (uint32_t)crowd->used.count;
    }
    return crowd->spent + (crowd->row_of[cause] - 1) * row + (size_t)kind * ranks;
}

static void spend(struct crowd *crowd, int32_t rank, uint32_t cause, enum evaluated_kind kind, double seconds)
{
    if (seconds > 0)
        crowd_spent(crowd, cause, kind)[rank] += seconds;
}

static void wake(struct crowd *crowd, int32_t rank)
{
    crowd->ranks[rank].state = rank_READY;
    *(int32_t *)array_push(&crowd->ready) = rank;
}

static const struct network_region *region_of(const struct crowd *crowd, int32_t from, int32_t to,
                                              double bytes)
{
    return network_region(crowd->network, network_between(crowd->network, from, to), bytes);
}

static struct request *request_of(struct rank *rank, int32_t number)
{
    for (size_t i = rank->requests.count; i-- > 0;)
        if (ARRAY_AT(struct request, &rank->requests, i)->number == number)
            return ARRAY_AT(struct request, &rank->requests, i);
    return NULL;
}

/* Tells one side of a message when it is done with it: now, or when it asks. */
static void settle(struct crowd *crowd, const struct offer *offer, double when, double busy)
{
    struct rank *rank = &crowd->ranks[offer->rank];
    struct request *request = offer->request >= 0 ? request_of(rank, offer->request) : NULL;
    if (request) {
        request->is_done = true;
        request->when = when;
        request->busy = busy;
    } else {
        rank->done = when;
    }
    if (rank->state == rank_BLOCKED && (rank->waits.kind == activity_WAIT) == (request != NULL))
        wake(crowd, offer->rank);
}

/* Both sides are there.  An eager sender is not told: it went on. */
static void meet(struct crowd *crowd, const struct offer *send, const struct offer *receive)
{
    double bytes = send->bytes, left;
    const struct network_region *region = region_of(crowd, send->rank, receive->rank, bytes);
    if (region->is_rendezvous) {
        left = network_agreed(region, bytes, send->begun, receive->begun);
        settle(crowd, send, fmax(left, send->begun + network_send_busy(region, bytes)), 0);
    } else {
        left = network_left(region, bytes, send->begun);
    }
    if (receive->request < 0)
        walker_told(crowd->ranks[receive->rank].walker, send->rank, send->value);
    settle(crowd, receive, network_arrival(region, bytes, left), network_receive_busy(region, bytes));
    crowd->messages++;
}

static void block(struct crowd *crowd, int32_t rank, const struct activity *activity)
{
    crowd->ranks[rank].state = rank_BLOCKED;
    crowd->ranks[rank].waits = *activity;
    crowd->ranks[rank].begun = crowd->clocks[rank];
}

static void begin_request(struct rank *rank, int32_t number, bool is_receive)
{
    *(struct request *)array_push(&rank->requests) =
        (struct request){.number = number, .is_receive = is_receive};
}

/* Ends a blocking receive, or a send that needed a receiver. */
static void end_blocking(struct crowd *crowd, int32_t rank, const struct activity *activity, bool is_receive)
{
    struct rank *own = &crowd->ranks[rank];
    double now = crowd->clocks[rank];
    int32_t from = is_receive ? activity->partner : rank, to = is_receive ? rank : activity->partner;
    const struct network_region *region = region_of(crowd, from, to, activity->bytes);
    double end = fmax(now, own->done);
    double busy = is_receive ? network_receive_busy(region, activity->bytes)
                             : fmin(region->send_per_byte * activity->bytes, end - now);
    spend(crowd, rank, activity->cause, evaluated_WAIT, is_receive ? end - now : end - busy - now);
    spend(crowd, rank, activity->cause, evaluated_SEND, busy);
    crowd->clocks[rank] = is_receive ? end + busy : end;
    own->done = NAN;
}

/* A send or a receive begins; false: it has to wait for the other side. */
static bool begin_message(struct crowd *crowd, int32_t rank, const struct activity *activity)
{
    struct rank *own = &crowd->ranks[rank];
    bool is_receive = activity->kind == activity_RECEIVE || activity->kind == activity_IRECEIVE;
    bool is_blocking = activity->kind == activity_RECEIVE || activity->kind == activity_SEND;
    int32_t from = is_receive ? activity->partner : rank, to = is_receive ? rank : activity->partner;
    const struct network_region *region = region_of(crowd, from, to, activity->bytes);
    struct offer offer = {.rank = rank,
                          .request = is_blocking ? -1 : activity->request,
                          .begun = crowd->clocks[rank],
                          .bytes = activity->bytes,
                          .value = activity->value,
                          .cause = activity->cause,
                          .line = activity->line,
                          .is_receive = is_receive},
                 other;
    own->done = NAN;
    if (!is_blocking)
        begin_request(own, activity->request, is_receive);
    if (!is_receive) {
        double busy = network_send_busy(region, activity->bytes);
        spend(crowd, rank, activity->cause, evaluated_SEND, busy);
        crowd->clocks[rank] += busy;
        if (!region->is_rendezvous && !is_blocking)
            settle(crowd, &offer, crowd->clocks[rank], 0);
    }
    if (waiting_meet(crowd->waiting, from, to, activity->tag, &offer, &other))
        meet(crowd, is_receive ? &other : &offer, is_receive ? &offer : &other);
    if (!is_blocking || (!is_receive && !region->is_rendezvous))
        return true;
    if (isnan(own->done)) {
        block(crowd, rank, activity);
        return false;
    }
    end_blocking(crowd, rank, activity, is_receive);
    return true;
}

/* Waits for one request, or for all in their order; false: one of them is not done. */
static bool wait_for(struct crowd *crowd, int32_t rank, const struct activity *activity, struct error *error)
{
    struct rank *own = &crowd->ranks[rank];
    bool has_met = activity->request < 0;
    for (size_t i = 0; i < own->requests.count;) {
        struct request *request = ARRAY_AT(struct request, &own->requests, i);
        if (activity->request >= 0 && request->number != activity->request) {
            i++;
            continue;
        }
        has_met = true;
        if (!request->is_done) {
            block(crowd, rank, activity);
            return false;
        }
        double now = crowd->clocks[rank], end = fmax(now, request->when);
        spend(crowd, rank, activity->cause, evaluated_WAIT, end - now);
        spend(crowd, rank, activity->cause, evaluated_SEND, request->is_receive ? request->busy : 0);
        crowd->clocks[rank] = end + (request->is_receive ? request->busy : 0);
        memmove(request, request + 1, (own->requests.count - i - 1) * sizeof *request);
        own->requests.count--;
        if (activity->request >= 0)
            return true;
    }
    if (!has_met)
        error_set(error, NULL, "%s:%u: rank %d waits for request %d, which was not begun",
                  activity_cause(crowd->model, activity->cause)->file, activity->line, rank,
                  activity->request);
    return has_met;
}

static void use_disc(struct crowd *crowd, int32_t rank, const struct activity *activity)
{
    double now = crowd->clocks[rank], begin = now;
    if (crowd->network->is_disc_shared) {
        begin = fmax(now, crowd->disc_free);
        crowd->disc_free = begin + network_disc_seconds(crowd->network, activity->bytes);
    }
    double end = begin + network_disc_seconds(crowd->network, activity->bytes);
    spend(crowd, rank, activity->cause, evaluated_DISC, end - now);
    crowd->clocks[rank] = end;
}

static bool is_pattern(const struct activity *activity)
{
    return activity->kind >= activity_BARRIER && activity->kind <= activity_WAVEFRONT;
}

static void compute(struct crowd *crowd, int32_t rank, const struct activity *activity)
{
    enum evaluated_kind kind = evaluated_kind_of(crowd->model, activity->cause);
    bool is_slower = kind == evaluated_COMPUTE && crowd->speeds;
    double seconds = activity->seconds / (is_slower ? crowd->speeds[rank] : 1);
    spend(crowd, rank, activity->cause, kind, seconds);
    crowd->clocks[rank] += seconds;
}

static void compute_all(struct crowd *crowd, const struct activity *activity)
{
    enum evaluated_kind kind = evaluated_kind_of(crowd->model, activity->cause);
    double *spent = crowd_spent(crowd, activity->cause, kind);
    bool is_slower = kind == evaluated_COMPUTE && crowd->speeds;
    for (int32_t rank = 0; rank < crowd->count; rank++) {
        double seconds = is_slower ? activity->seconds / crowd->speeds[rank] : activity->seconds;
        spent[rank] += seconds;
        crowd->clocks[rank] += seconds;
    }
}

/* All ranks are there: their clocks move. */
static void apply(struct crowd *crowd, const struct activity *activity)
{
    size_t size = (size_t)crowd->count * sizeof *crowd->clocks;
    memcpy(crowd->room[3], crowd->clocks, size);
    memset(crowd->busy, 0, size);
    pattern_apply(crowd, activity);
    double *send = crowd_spent(crowd, activity->cause, evaluated_SEND);
    double tile =
        activity->kind == activity_WAVEFRONT ? activity->tiles * (activity->before + activity->seconds) : 0;
    double *wait = send + crowd->count * (evaluated_WAIT - evaluated_SEND);
    double *computed = send - crowd->count * (evaluated_SEND - evaluated_COMPUTE);
    for (int32_t rank = 0; rank < crowd->count; rank++) {
        double seconds = crowd->speeds ? tile / crowd->speeds[rank] : tile;
        double left = crowd->clocks[rank] - crowd->room[3][rank] - seconds - crowd->busy[rank];
        send[rank] += crowd->busy[rank];
        computed[rank] += seconds;
        wait[rank] += left > 0 ? left : 0;
    }
}

static bool same_pattern(const struct activity *left, const struct activity *right)
{
    return left->kind == right->kind && left->partner == right->partner && left->columns == right->columns &&
           left->rows == right->rows && left->corner == right->corner && left->tiles == right->tiles &&
           left->bytes == right->bytes && left->other_bytes == right->other_bytes &&
           left->seconds == right->seconds && left->before == right->before;
}

/* A rank comes to a pattern; the last one to come moves all. */
static bool gather(struct crowd *crowd, int32_t rank, const struct activity *activity, struct error *error)
{
    struct rank *own = &crowd->ranks[rank];
    own->state = rank_GATHERED;
    own->waits = *activity;
    if (++crowd->gathered < crowd->count)
        return true;
    for (int32_t i = 0; i < crowd->count; i++)
        if (!same_pattern(&crowd->ranks[i].waits, activity)) {
            const struct activity *other = &crowd->ranks[i].waits;
            return error_set(error, NULL,
                             "%s:%u: rank %d is in %s here, rank %d in %s at %s:%u%s; all ranks must "
                             "come to the same pattern with the same values",
                             activity_cause(crowd->model, activity->cause)->file, activity->line, rank,
                             activity_pattern_words(activity->kind), i, activity_pattern_words(other->kind),
                             activity_cause(crowd->model, other->cause)->file, other->line,
                             activity->kind == other->kind ? " with other values" : "");
        }
    crowd->gathered = 0;
    apply(crowd, activity);
    for (int32_t i = crowd->count; i-- > 0;)
        wake(crowd, i);
    return true;
}

static bool next_activity(struct crowd *crowd, int32_t rank, struct activity *activity, struct error *error)
{
    struct rank *own = &crowd->ranks[rank];
    if (own->next_part < own->parts.count) {
        *activity = *ARRAY_AT(struct activity, &own->parts, own->next_part++);
        return true;
    }
    if (!walker_next(own->walker, activity, error))
        return false;
    crowd->activities++;
    if (crowd->expands && is_pattern(activity)) {
        own->parts.count = own->next_part = 0;
        activity_expand(activity, rank, crowd->count, &own->parts);
        return next_activity(crowd, rank, activity, error);
    }
    return true;
}

/* What it waited for is there. */
static bool resume(struct crowd *crowd, int32_t rank, struct error *error)
{
    struct rank *own = &crowd->ranks[rank];
    struct activity was = own->waits;
    own->waits = (struct activity){0};
    if (was.kind == activity_WAIT)
        return wait_for(crowd, rank, &was, error);
    if (was.kind == activity_SEND || was.kind == activity_RECEIVE)
        end_blocking(crowd, rank, &was, was.kind == activity_RECEIVE);
    return true;
}

/* Whether there is a network, or a disc, for what a rank does. */
static bool is_possible(const struct crowd *crowd, const struct activity *activity, struct error *error)
{
    bool is_disc = activity->kind == activity_READ || activity->kind == activity_WRITE;
    if (activity->kind <= activity_COMPUTE || (crowd->network && (!is_disc || crowd->network->has_disc)))
        return true;
    char *where = memory_format("%s:%u", activity_cause(crowd->model, activity->cause)->file, activity->line);
    error_set(error, where,
              is_disc ? "reading and writing needs a network file with a section [disc]"
                      : "messages need a network");
    free(where);
    return false;
}

/* Who is served first depends on clocks, and here ranks go forward in any order. */
static bool refuse_any(const struct crowd *crowd, const struct activity *activity, struct error *error)
{
    char *where = memory_format("%s:%u", activity_cause(crowd->model, activity->cause)->file, activity->line);
    error_set(error, where, "a receive from any rank takes the order of events: --events");
    free(where);
    return false;
}

/* Until it has to wait. */
static bool go_on(struct crowd *crowd, int32_t rank, struct error *error)
{
    struct rank *own = &crowd->ranks[rank];
    if (!resume(crowd, rank, error) || own->state != rank_READY)
        return !error->set;
    for (;;) {
        struct activity activity;
        if (!next_activity(crowd, rank, &activity, error) || !is_possible(crowd, &activity, error))
            return false;
        if (activity.kind == activity_END) {
            own->state = rank_ENDED;
            walker_end(own->walker);
            own->walker = NULL;
            return true;
        }
        if (activity.kind == activity_COMPUTE) {
            compute(crowd, rank, &activity);
        } else if (is_pattern(&activity)) {
            return gather(crowd, rank, &activity, error);
        } else if (activity.kind == activity_READ || activity.kind == activity_WRITE) {
            use_disc(crowd, rank, &activity);
        } else if (activity.kind == activity_WAIT) {
            if (!wait_for(crowd, rank, &activity, error))
                return !error->set;
        } else if (activity.kind == activity_RECEIVE && activity.partner == ACTIVITY_ANY) {
            return refuse_any(crowd, &activity, error);
        } else if (!begin_message(crowd, rank, &activity)) {
            return true;
        } else if (waiting_count(crowd->waiting) > MOST_WAITING_MESSAGES) {
            return evaluation_too_many_wait(error);
        }
    }
}

/* Whoever asks for many short evaluations tells himself. */
static void tell_progress(const struct crowd *crowd, const char *what, size_t done, size_t total)
{
    if (clock_monotonic_seconds() - crowd->began > 1)
        progress_tell(what, done, total);
}

static bool tell_stop(const struct crowd *crowd, struct error *error)
{
    double latest = 0;
    for (int32_t i = 0; i < crowd->count; i++)
        latest = fmax(latest, crowd->clocks[i]);
    return error_set(error, NULL,
                     "stopped by Ctrl-C before the end: the modelled program was at %.4g s, after %llu "
                     "statements of its ranks",
                     latest, (unsigned long long)crowd->activities);
}

/* All ranks at once: they do the same, and nothing but patterns moves them apart. */
static bool go_alike(struct crowd *crowd, struct error *error, bool *is_left)
{
    for (;;) {
        struct activity activity;
        if (interrupt_came())
            return tell_stop(crowd, error);
        if (!walker_next(crowd->ranks[0].walker, &activity, error) || !is_possible(crowd, &activity, error))
            return false;
        crowd->activities++;
        if (activity.kind == activity_END)
            return true;
        if (crowd->count > 1000 || !(crowd->activities & 0xff))
            tell_progress(crowd, "statements that all ranks have done", (size_t)crowd->activities, 0);
        *is_left = !is_pattern(&activity) && activity.kind != activity_COMPUTE &&
                   activity.kind != activity_READ && activity.kind != activity_WRITE;
        if (*is_left)
            return true;
        if (is_pattern(&activity)) {
            apply(crowd, &activity);
            continue;
        }
        if (activity.kind == activity_COMPUTE)
            compute_all(crowd, &activity);
        for (int32_t rank = 0; rank < crowd->count && activity.kind != activity_COMPUTE; rank++)
            use_disc(crowd, rank, &activity);
    }
}

static const char *verb_of(enum activity_kind kind)
{
    return kind == activity_SEND      ? "sends to"
           : kind == activity_RECEIVE ? "receives from"
           : kind == activity_WAIT    ? "waits for a request"
                                      : "waits for the others in";
}

/* Nobody can go on: the first few who wait, and for what. */
static bool tell_deadlock(const struct crowd *crowd, struct error *error)
{
    char list[700] = "";
    int32_t stuck = 0, told = 0;
    const char *file = NULL;
    uint32_t line = 0;
    for (int32_t i = 0; i < crowd->count; i++) {
        const struct rank *rank = &crowd->ranks[i];
        if (rank->state == rank_ENDED)
            continue;
        stuck++;
        if (told++ >= 4)
            continue;
        const char *where = activity_cause(crowd->model, rank->waits.cause)->file;
        file = file ? file : where;
        line = line ? line : rank->waits.line;
        bool is_message = rank->waits.kind == activity_SEND || rank->waits.kind == activity_RECEIVE;
        size_t length = strlen(list);
        snprintf(list + length, sizeof list - length, "%srank %d %s", told > 1 ? "; " : "", i,
                 verb_of(rank->waits.kind));
        length = strlen(list);
        if (is_message)
            snprintf(list + length, sizeof list - length, " rank %d", rank->waits.partner);
        else if (activity_pattern_words(rank->waits.kind))
            snprintf(list + length, sizeof list - length, " %s", activity_pattern_words(rank->waits.kind));
        length = strlen(list);
        snprintf(list + length, sizeof list - length, " (line %u)", rank->waits.line);
    }
    char *where = memory_format("%s:%u", file ? file : "", line);
    error_set(error, where, "deadlock: %d of %d ranks wait for ever: %s%s", stuck, crowd->count, list,
              stuck > 4 ? "; …" : "");
    free(where);
    return false;
}

static bool tell_unreceived(const struct crowd *crowd, struct error *error)
{
    int32_t from, to;
    struct offer offer;
    if (!waiting_left(crowd->waiting, &from, &to, &offer))
        return true;
    char *where = memory_format("%s:%u", activity_cause(crowd->model, offer.cause)->file, offer.line);
    error_set(error, where,
              offer.is_receive ? "rank %2$d begins a receive from rank %1$d, but that rank sends nothing more"
                               : "rank %d sends to rank %d, which never receives it",
              from, to);
    free(where);
    return false;
}

static bool go(struct crowd *crowd, struct error *error)
{
    int32_t ended = 0;
    size_t turns = 0;
    while (crowd->ready.count) {
        int32_t rank = *ARRAY_AT(int32_t, &crowd->ready, --crowd->ready.count);
        if (!go_on(crowd, rank, error))
            return false;
        ended += crowd->ranks[rank].state == rank_ENDED;
        if (!(++turns & 0xfff)) {
            tell_progress(crowd, "evaluating ranks", (size_t)ended, (size_t)crowd->count);
            if (interrupt_came())
                return tell_stop(crowd, error);
        }
    }
    return ended == crowd->count ? tell_unreceived(crowd, error) : tell_deadlock(crowd, error);
}

static void find_places(struct crowd *crowd)
{
    const struct network *network = crowd->network;
    size_t count = (size_t)crowd->count;
    if (!network)
        return;
    crowd->of_node = network->cores_per_chip * network->chips_per_node;
    crowd->chips = memory_get(count * sizeof *crowd->chips);
    crowd->nodes = memory_get(count * sizeof *crowd->nodes);
    crowd->speeds = network->speeds.count ? memory_get(count * sizeof *crowd->speeds) : NULL;
    for (int32_t rank = 0; rank < crowd->count; rank++) {
        crowd->chips[rank] = rank / network->cores_per_chip;
        crowd->nodes[rank] = rank / crowd->of_node;
        if (crowd->speeds)
            crowd->speeds[rank] = network_speed(network, rank);
    }
}

static void crowd_begin(struct crowd *crowd)
{
    size_t count = (size_t)crowd->count, size = count * sizeof(double);
    int32_t walkers = crowd->is_alike ? 1 : crowd->count;
    crowd->ranks = memory_get((size_t)walkers * sizeof *crowd->ranks);
    crowd->ready = ARRAY_OF(int32_t);
    crowd->used = ARRAY_OF(uint32_t);
    crowd->row_of = memory_get((activity_cause_count(crowd->model) + 1) * sizeof *crowd->row_of);
    crowd->clocks = memory_get(size);
    crowd->busy = memory_get(size);
    for (unsigned i = 0; i < 4; i++)
        crowd->room[i] = memory_get(size);
    find_places(crowd);
    crowd->waiting = waiting_begin();
    for (int32_t i = 0; i < walkers; i++)
        crowd->ranks[i] = (struct rank){.walker = walker_begin(crowd->model, i, crowd->count, 0),
                                        .requests = ARRAY_OF(struct request),
                                        .parts = ARRAY_OF(struct activity),
                                        .done = NAN};
    for (int32_t i = walkers; i-- > 0;)
        *(int32_t *)array_push(&crowd->ready) = i;
}

static void crowd_end(struct crowd *crowd)
{
    for (int32_t i = 0; i < (crowd->is_alike ? 1 : crowd->count); i++) {
        walker_end(crowd->ranks[i].walker);
        array_free(&crowd->ranks[i].requests);
        array_free(&crowd->ranks[i].parts);
    }
    for (unsigned i = 0; i < 4; i++)
        free(crowd->room[i]);
    free(crowd->ranks);
    free(crowd->clocks);
    free(crowd->busy);
    free(crowd->speeds);
    free(crowd->chips);
    free(crowd->nodes);
    free(crowd->kinds);
    free(crowd->spent);
    free(crowd->row_of);
    array_free(&crowd->ready);
    array_free(&crowd->used);
    waiting_end(crowd->waiting);
}

static void sum_up(struct crowd *crowd, struct evaluation *evaluation)
{
    int32_t last = evaluation_last(crowd->clocks, sizeof *crowd->clocks, crowd->count);
    evaluation->seconds = crowd->clocks[last];
    evaluation->last_rank = last;
    evaluation->activities = crowd->activities;
    evaluation->messages = crowd->messages;
    evaluation->causes = ARRAY_OF(struct evaluated_cause);
    for (size_t i = 0; i < crowd->used.count; i++)
        for (unsigned kind = 0; kind < evaluated_KINDS; kind++) {
            uint32_t cause = *ARRAY_AT(uint32_t, &crowd->used, i);
            const double *spent = crowd_spent(crowd, cause, (enum evaluated_kind)kind);
            double sum = 0;
            for (int32_t rank = 0; rank < crowd->count; rank++)
                sum += spent[rank];
            if (sum > 0)
                *(struct evaluated_cause *)array_push(&evaluation->causes) = (struct evaluated_cause){
                    .cause = cause, .kind = kind, .seconds = spent[last], .mean = sum / crowd->count};
            evaluation->kinds[kind] += spent[last];
        }
    evaluation_sort(evaluation);
}

bool evaluate_crowd(const struct language_model *model, int32_t ranks, const struct network *network,
                    bool expands, struct evaluation *evaluation, struct error *error)
{
    double began = clock_monotonic_seconds();
    struct network shared = {0};
    if (network) {
        shared = network_as_shared(network, ranks);
        network = &shared;
    }
    *evaluation = (struct evaluation){.causes = ARRAY_OF(struct evaluated_cause)};
    struct crowd crowd = {.model = model,
                          .network = network,
                          .count = ranks,
                          .expands = expands,
                          .is_alike = walkers_are_alike(model) && !expands,
                          .began = began};
    bool is_left = false;
    crowd_begin(&crowd);
    bool is_fine = crowd.is_alike ? go_alike(&crowd, error, &is_left) : go(&crowd, error);
    if (is_fine && is_left) {
        /* A message to a fixed rank: each rank for itself after all. */
        crowd_end(&crowd);
        crowd = (struct crowd){
            .model = model, .network = network, .count = ranks, .expands = expands, .began = began};
        crowd_begin(&crowd);
        is_fine = go(&crowd, error);
    }
    if (is_fine)
        sum_up(&crowd, evaluation);
    crowd_end(&crowd);
    network_free(&shared);
    evaluation->took = clock_monotonic_seconds() - began;
    return is_fine;
}

bool evaluate_analytic(const struct language_model *model, int32_t ranks, const struct network *network,
                       struct evaluation *evaluation, struct error *error)
{
    return evaluate_crowd(model, ranks, network, false, evaluation, error);
}
