#include "run/sample/perf_data/order.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 1 << 27 };

void perf_data_order_begin(struct perf_data_order *order,
                           void (*pass)(void *context, const uint8_t *record, size_t size, uint64_t time),
                           void *context)
{
    *order = (struct perf_data_order){.pass = pass,
                                      .context = context,
                                      .waiting = ARRAY_OF(struct perf_data_waiting),
                                      .bytes = ARRAY_OF(uint8_t)};
}

static int by_time(const void *left, const void *right)
{
    const struct perf_data_waiting *a = left, *b = right;
    return a->time != b->time ? (a->time > b->time) - (a->time < b->time) : (a->at > b->at) - (a->at < b->at);
}

static int by_place(const void *left, const void *right)
{
    const struct perf_data_waiting *a = left, *b = right;
    return (a->at > b->at) - (a->at < b->at);
}

/* What goes on later moves to the front, in the order in which it came. */
static void keep(struct perf_data_order *order, size_t gone)
{
    size_t rest = order->waiting.count - gone, end = 0;
    struct perf_data_waiting *waiting = order->waiting.data;
    if (rest) {
        memmove(waiting, waiting + gone, rest * sizeof *waiting);
        qsort(waiting, rest, sizeof *waiting, by_place);
    }
    for (size_t i = 0; i < rest; i++) {
        memmove((uint8_t *)order->bytes.data + end, (uint8_t *)order->bytes.data + waiting[i].at,
                waiting[i].size);
        waiting[i].at = end;
        end += waiting[i].size;
    }
    order->waiting.count = rest;
    order->bytes.count = end;
}

static void pass_until(struct perf_data_order *order, uint64_t limit)
{
    size_t gone = 0;
    struct perf_data_waiting *waiting = order->waiting.data;
    if (!order->waiting.count)
        return;
    qsort(waiting, order->waiting.count, sizeof *waiting, by_time);
    for (; gone < order->waiting.count && waiting[gone].time <= limit; gone++)
        order->pass(order->context, (uint8_t *)order->bytes.data + waiting[gone].at, waiting[gone].size,
                    waiting[gone].time);
    keep(order, gone);
}

void perf_data_order_add(struct perf_data_order *order, const uint8_t *record, size_t size, uint64_t time)
{
    if (!time || time == UINT64_MAX) {
        order->pass(order->context, record, size, 0);
        return;
    }
    if (order->bytes.count + size > MOST_BYTES)
        pass_until(order, UINT64_MAX);
    *(struct perf_data_waiting *)array_push(&order->waiting) =
        (struct perf_data_waiting){time, order->bytes.count, (uint32_t)size};
    memcpy(array_push_many(&order->bytes, size), record, size);
    if (time > order->newest)
        order->newest = time;
}

void perf_data_order_mark(struct perf_data_order *order)
{
    pass_until(order, order->limit);
    order->limit = order->newest;
}

void perf_data_order_end(struct perf_data_order *order)
{
    pass_until(order, UINT64_MAX);
    array_free(&order->waiting);
    array_free(&order->bytes);
}
