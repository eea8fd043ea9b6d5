/* All ranks begin at 0 and go on in the order of their clocks until each has ended, or none can. */
#include "plan/modelling/events/events.h"

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WALKER_BYTES = 512 }; /* about */

static bool refuse_memory(const struct events *events)
{
    return error_set(
        events->error, NULL,
        "%d ranks by events take more than %.1f GB, half of the memory here: model fewer ranks, or leave "
        "out --events, and formulas answer",
        events->rank_count, (double)events->budget / 1e9);
}

static bool begin(struct events *events, const struct language_model *model, uint64_t seed)
{
    size_t count = (size_t)events->rank_count;
    events->model = model;
    events->has_any = activity_receives_from_any(model);
    events->cause_count = activity_cause_count(model);
    events->cause_count += !events->cause_count;
    events->own_bytes = count * (sizeof *events->ranks + WALKER_BYTES +
                                 events->cause_count * evaluated_KINDS * sizeof *events->seconds);
    if (events->own_bytes > events->budget) {
        refuse_memory(events);
        events->rank_count = 0; /* none was begun */
        return false;
    }
    events->ranks = memory_get(count * sizeof *events->ranks);
    events->order.turns = ARRAY_OF(struct event_turn);
    events->seconds = memory_get(count * events->cause_count * evaluated_KINDS * sizeof *events->seconds);
    event_match_begin(&events->match);
    for (int32_t i = 0; i < events->rank_count; i++) {
        events->ranks[i] = (struct event_rank){.walker = walker_begin(model, i, events->rank_count, seed),
                                               .parts = ARRAY_OF(struct activity),
                                               .requests = ARRAY_OF(struct event_request),
                                               .random = (seed + 1) * 0xd1342543de82ef95 + (uint64_t)i};
        event_order_add(&events->order, 0, i, 0);
    }
    return true;
}

static void end(struct events *events)
{
    for (int32_t i = 0; i < events->rank_count; i++) {
        walker_end(events->ranks[i].walker);
        array_free(&events->ranks[i].parts);
        array_free(&events->ranks[i].requests);
        array_free(&events->ranks[i].mail);
    }
    event_match_end(&events->match);
    event_flows_end(events);
    free(events->ranks);
    array_free(&events->order.turns);
    free(events->seconds);
}

static void add_words(struct array *text, const char *words)
{
    if (*words)
        memcpy(array_add_many(text, strlen(words)), words, strlen(words));
}

static char *words_of_wait(const struct event_rank *rank, int32_t number)
{
    const struct activity *activity = &rank->activity;
    const char *pattern = activity_pattern_words(rank->within);
    if (pattern)
        return memory_format("rank %d waits for the others in %s (line %u)", number, pattern, activity->line);
    if (rank->state == event_RECEIVING && activity->partner == ACTIVITY_ANY)
        return memory_format("rank %d receives from any rank (line %u)", number, activity->line);
    return rank->state == event_WAITING
               ? memory_format("rank %d waits for a request (line %u)", number, activity->line)
               : memory_format("rank %d %s rank %d (line %u)", number,
                               rank->state == event_SENDING ? "sends to" : "receives from", activity->partner,
                               activity->line);
}

/* Nobody can go on: the first few who wait, and for what. */
static bool tell_deadlock(const struct events *events, const struct language_model *model)
{
    enum { SHOWN = 4 };
    struct array text = ARRAY_OF(char);
    char *where = NULL;
    int32_t stuck = 0;
    for (int32_t i = 0; i < events->rank_count; i++) {
        const struct event_rank *rank = &events->ranks[i];
        if (rank->state == event_ENDED || stuck++ >= SHOWN)
            continue;
        if (!where)
            where = memory_format("%s:%u", activity_cause(model, rank->activity.cause)->file,
                                  rank->activity.line);
        char *words = words_of_wait(rank, i);
        add_words(&text, stuck > 1 ? "; " : "");
        add_words(&text, words);
        free(words);
    }
    add_words(&text, stuck > SHOWN ? "; …" : "");
    *(char *)array_add(&text) = 0;
    error_set(events->error, where, "deadlock: %d of %d ranks wait for ever: %s", stuck, events->rank_count,
              (const char *)text.data);
    array_free(&text);
    free(where);
    return false;
}

static bool tell_unreceived(const struct events *events)
{
    struct event_side side;
    int32_t sender, receiver, tag;
    if (event_match_left(&events->match, true, &side, &sender, &receiver, &tag))
        return error_set(events->error, NULL, "line %u: rank %d sends to rank %d, which never receives it",
                         side.line, sender, receiver);
    if (event_match_left(&events->match, false, &side, &sender, &receiver, &tag))
        return error_set(events->error, NULL,
                         "line %u: rank %d begins a receive from rank %d, but that rank sends nothing more",
                         side.line, receiver, sender);
    return true;
}

/* Takes the next turn, or lets flows come to their ends before it. */
static bool take_turn(struct events *events, int32_t *ended)
{
    bool is_turn = true;
    if (events->flows && !event_flows_pass(events, &is_turn))
        return false;
    if (!is_turn)
        return true;
    if (!events->order.turns.count)
        return error_set(events->error, NULL,
                         "messages are under way that never arrive: is a link too slow?");
    struct event_turn turn = event_order_take(&events->order);
    int32_t rank = turn.rank;
    events->now = turn.time;
    if (rank < 0)
        return event_flow_start(events, -1 - rank);
    if (turn.ticket != events->ranks[rank].ticket)
        return true;
    if (!event_rank_go_on(events, rank))
        return false;
    *ended += events->ranks[rank].state == event_ENDED;
    return true;
}

static bool tell_stop(const struct events *events, int32_t ended)
{
    double earliest = events->order.turns.count ? event_order_first(&events->order)->time : 0;
    return error_set(events->error, NULL,
                     "stopped by Ctrl-C before the end: the modelled program was at %.4g s, after %llu "
                     "messages; %d of %d ranks had ended",
                     earliest, (unsigned long long)events->messages, ended, events->rank_count);
}

/* What grows while ranks go on. */
static bool check_memory(const struct events *events)
{
    if (events->match.sides.count > MOST_WAITING_MESSAGES)
        return evaluation_too_many_wait(events->error);
    return events->own_bytes + events->pattern_bytes <= events->budget || refuse_memory(events);
}

static bool go(struct events *events, const struct language_model *model)
{
    int32_t ended = 0;
    bool is_fine = true;
    for (size_t turns = 0; is_fine && (events->order.turns.count || event_flows_under_way(events)); turns++) {
        is_fine = take_turn(events, &ended);
        if (turns & 0xff)
            continue;
        progress_tell("messages", (size_t)events->messages, 0);
        if (interrupt_came())
            is_fine = tell_stop(events, ended);
        is_fine = is_fine && check_memory(events);
    }
    progress_clear();
    return is_fine && (ended == events->rank_count ? tell_unreceived(events) : tell_deadlock(events, model));
}

static void sum_up(const struct events *events, struct evaluation *evaluation)
{
    int32_t count = events->rank_count,
            last = evaluation_last(&events->ranks[0].clock, sizeof *events->ranks, count);
    evaluation->seconds = events->ranks[last].clock;
    evaluation->last_rank = last;
    evaluation->activities = events->activities;
    evaluation->messages = events->messages;
    size_t rows = events->cause_count * evaluated_KINDS;
    for (size_t row = 0; row < rows; row++) {
        double sum = 0, seconds = events->seconds[(size_t)last * rows + row];
        for (int32_t rank = 0; rank < count; rank++)
            sum += events->seconds[(size_t)rank * rows + row];
        evaluation->kinds[row % evaluated_KINDS] += seconds;
        if (sum > 0)
            *(struct evaluated_cause *)array_add(&evaluation->causes) =
                (struct evaluated_cause){.cause = (uint32_t)(row / evaluated_KINDS),
                                         .kind = (enum evaluated_kind)(row % evaluated_KINDS),
                                         .seconds = seconds,
                                         .mean = sum / count};
    }
    evaluation_sort(evaluation);
}

bool evaluate_events(const struct language_model *model, int32_t ranks, const struct network *network,
                     uint64_t seed, struct evaluation *evaluation, struct error *error)
{
    double began = clock_monotonic_seconds();
    struct network shared = {0};
    if (network) {
        shared = network_as_shared(network, ranks);
        network = &shared;
    }
    struct events events = {
        .network = network, .rank_count = ranks, .budget = memory_budget(), .error = error};
    *evaluation = (struct evaluation){.causes = ARRAY_OF(struct evaluated_cause)};
    bool is_fine = begin(&events, model, seed) &&
                   (!network || !network->platform || event_flows_begin(&events)) && go(&events, model);
    if (is_fine)
        sum_up(&events, evaluation);
    end(&events);
    network_free(&shared);
    evaluation->took = clock_monotonic_seconds() - began;
    return is_fine;
}
