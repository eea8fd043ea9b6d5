/* See equivalence.h.  Partition refinement: all states begin in one class (or one for each colour), and a class is split where its
   states differ in how fast they do an action into some class.  After a split only what leads into the new classes can differ
   anew, and the largest piece keeps the name of the old class, so that a state gets a new name a few times only.

   What a state does is compared by two hashes of 64 bits each. Sums of rates count as equal to 36 bits, because the same rates
   are added up in different ways: a class can be split without need by that, and never the other way round. */
#include "plan/modelling/pepa/equivalence.h"
#include "base/interrupt.h"
#include "base/progress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct flow { /* a transition, seen from where it starts */
    uint64_t label;
    uint32_t class;
    double rate;
};
struct mark { /* a state that may differ from its class, and what it does */
    uint32_t state, class;
    uint64_t does[2];
};
struct refining {
    const struct pepa_transitions *all;
    uint32_t *class_of, *sizes, *heads; /* heads: of each class a state of it; */
    uint32_t *after, *before;           /* of each state the next one of its class; pepa_NONE ends the list */
    uint32_t count;                     /* classes */
    uint64_t *back_rows;
    uint32_t *back;     /* where each state is reached from */
    struct array marks; /* of struct mark */
    struct array moved; /* of uint32_t: states whose class got a new name */
    uint8_t *is_marked;
    struct array flows; /* of struct flow */
};

static void find_back(struct refining *refining)
{
    const struct pepa_transitions *all = refining->all;
    uint64_t *next = memory_get(((size_t)all->count + 2) * sizeof *next);
    for (uint64_t k = 0; k < all->rows[all->count]; k++)
        next[all->targets[k] + 1]++;
    for (uint32_t i = 0; i < all->count; i++)
        next[i + 1] += next[i];
    refining->back_rows = memory_get(((size_t)all->count + 1) * sizeof *next);
    memcpy(refining->back_rows, next, ((size_t)all->count + 1) * sizeof *next);
    refining->back = memory_get((all->rows[all->count] + 1) * sizeof *refining->back);
    for (uint32_t i = 0; i < all->count; i++)
        for (uint64_t k = all->rows[i]; k < all->rows[i + 1]; k++)
            refining->back[next[all->targets[k]]++] = i;
    free(next);
}

static int by_label_and_class(const void *one, const void *other)
{
    const struct flow *a = one, *b = other;
    if (a->label != b->label)
        return a->label < b->label ? -1 : 1;
    if (a->class != b->class)
        return a->class < b->class ? -1 : 1;
    return (a->rate > b->rate) - (a->rate < b->rate);
}

static uint64_t rounded(double rate)
{
    int exponent;
    uint64_t digits = (uint64_t)llround(ldexp(frexp(fabs(rate), &exponent), 36));
    return digits << 12 ^ (uint64_t)(exponent + 2048);
}

static void look(struct refining *refining, struct mark *mark)
{
    const struct pepa_transitions *all = refining->all;
    refining->flows.count = 0;
    for (uint64_t k = all->rows[mark->state]; k < all->rows[mark->state + 1]; k++)
        *(struct flow *)array_push(&refining->flows) = (struct flow){
            all->labels[k] * 2 + (all->rates[k] < 0), refining->class_of[all->targets[k]], all->rates[k]};
    struct flow *flows = refining->flows.data;
    size_t count = refining->flows.count;
    if (count > 1)
        qsort(flows, count, sizeof *flows, by_label_and_class);
    mark->does[0] = 1, mark->does[1] = 0x9E3779B97F4A7C15;
    for (size_t i = 0, end; i < count; i = end) {
        double sum = 0;
        for (end = i; end < count && flows[end].label == flows[i].label && flows[end].class == flows[i].class;
             end++)
            sum += flows[end].rate;
        for (unsigned h = 0; h < 2; h++)
            mark->does[h] =
                hash_mix(hash_mix(hash_mix(mark->does[h], flows[i].label + h), flows[i].class), rounded(sum));
    }
}

static int by_class_and_deed(const void *one, const void *other)
{
    const struct mark *a = one, *b = other;
    if (a->class != b->class)
        return a->class < b->class ? -1 : 1;
    for (unsigned h = 0; h < 2; h++)
        if (a->does[h] != b->does[h])
            return a->does[h] < b->does[h] ? -1 : 1;
    return (a->state > b->state) - (a->state < b->state);
}

static bool does_the_same(const struct mark *a, const struct mark *b)
{
    return a->does[0] == b->does[0] && a->does[1] == b->does[1];
}

static size_t end_of_alike(const struct mark *marks, size_t from, size_t end)
{
    size_t at = from + 1;
    while (at < end && does_the_same(&marks[at], &marks[from]))
        at++;
    return at;
}

static void put(struct refining *refining, uint32_t state, uint32_t class)
{
    uint32_t head = refining->heads[class];
    refining->class_of[state] = class;
    refining->sizes[class]++;
    refining->after[state] = head;
    refining->before[state] = pepa_NONE;
    if (head != pepa_NONE)
        refining->before[head] = state;
    refining->heads[class] = state;
}

static void move(struct refining *refining, uint32_t state, uint32_t to)
{
    uint32_t from = refining->class_of[state], next = refining->after[state],
             previous = refining->before[state];
    refining->sizes[from]--;
    if (previous == pepa_NONE)
        refining->heads[from] = next;
    else
        refining->after[previous] = next;
    if (next != pepa_NONE)
        refining->before[next] = previous;
    put(refining, state, to);
    *(uint32_t *)array_push(&refining->moved) = state;
}

static uint32_t new_class(struct refining *refining)
{
    refining->heads[refining->count] = pepa_NONE;
    return refining->count++;
}

/* Whoever of the class is not in its largest piece, and was not marked, leaves. */
static void move_unmarked(struct refining *refining, uint32_t class, const struct mark *kept, size_t count)
{
    uint32_t name = new_class(refining);
    for (size_t i = 0; i < count; i++)
        refining->is_marked[kept[i].state] = 1;
    for (uint32_t state = refining->heads[class], next; state != pepa_NONE; state = next) {
        next = refining->after[state];
        if (!refining->is_marked[state])
            move(refining, state, name);
    }
    for (size_t i = 0; i < count; i++)
        refining->is_marked[kept[i].state] = 0;
}

/* The marks of one class, sorted: all but the largest piece get a name of their own.  States that are not marked are one piece. */
static void split(struct refining *refining, const struct mark *marks, size_t count)
{
    uint32_t class = marks[0].class;
    size_t unmarked = refining->sizes[class] - count, largest = unmarked, keeps = SIZE_MAX, end;
    for (size_t i = 0; i < count; i = end) {
        end = end_of_alike(marks, i, count);
        if (end - i > largest) {
            largest = end - i;
            keeps = i;
        }
    }
    for (size_t i = 0; i < count; i = end) {
        end = end_of_alike(marks, i, count);
        uint32_t name = i == keeps ? class : new_class(refining);
        for (size_t k = i; i != keeps && k < end; k++)
            move(refining, marks[k].state, name);
    }
    if (keeps != SIZE_MAX && unmarked)
        move_unmarked(refining, class, &marks[keeps], largest);
}

static void mark(struct refining *refining, uint32_t state)
{
    if (refining->is_marked[state] || refining->sizes[refining->class_of[state]] < 2)
        return;
    refining->is_marked[state] = 1;
    *(struct mark *)array_push(&refining->marks) = (struct mark){.state = state};
}

static bool refine(struct refining *refining, struct error *error)
{
    uint64_t work = 0;
    for (uint32_t i = 0; i < refining->all->count; i++)
        mark(refining, i);
    while (refining->marks.count) {
        struct mark *marks = refining->marks.data;
        size_t count = refining->marks.count;
        refining->moved.count = 0;
        for (size_t i = 0; i < count; i++) {
            if (!(++work % 65536)) {
                progress_tell("states compared, classes", refining->count, refining->all->count);
                if (interrupt_came())
                    return pepa_stopped(error);
            }
            marks[i].class = refining->class_of[marks[i].state];
            refining->is_marked[marks[i].state] = 0;
            look(refining, &marks[i]);
        }
        qsort(marks, count, sizeof *marks, by_class_and_deed);
        for (size_t i = 0, end; i < count; i = end) {
            for (end = i; end < count && marks[end].class == marks[i].class;)
                end++;
            split(refining, &marks[i], end - i);
        }
        refining->marks.count = 0;
        for (size_t i = 0; i < refining->moved.count; i++) {
            uint32_t state = *ARRAY_AT(uint32_t, &refining->moved, i);
            for (uint64_t k = refining->back_rows[state]; k < refining->back_rows[state + 1]; k++)
                mark(refining, refining->back[k]);
        }
    }
    return true;
}

/* Classes by colours; names in the order in which they are met. */
static void begin(struct refining *refining, const uint32_t *colours)
{
    uint32_t most = 0, *names;
    for (uint32_t i = 0; colours && i < refining->all->count; i++)
        most = colours[i] > most ? colours[i] : most;
    names = memory_get(((size_t)most + 1) * sizeof *names);
    for (uint32_t i = 0; i < refining->all->count; i++) {
        uint32_t *name = &names[colours ? colours[i] : 0];
        if (!*name)
            *name = new_class(refining) + 1;
        put(refining, i, *name - 1);
    }
    free(names);
}

bool pepa_partition_find(const struct pepa_transitions *all, const uint32_t *colours,
                         struct pepa_partition *partition, struct error *error)
{
    struct refining refining = {.all = all,
                                .class_of = memory_get(((size_t)all->count + 1) * sizeof(uint32_t)),
                                .sizes = memory_get(((size_t)all->count + 1) * sizeof(uint32_t)),
                                .heads = memory_get(((size_t)all->count + 1) * sizeof(uint32_t)),
                                .after = memory_get(((size_t)all->count + 1) * sizeof(uint32_t)),
                                .before = memory_get(((size_t)all->count + 1) * sizeof(uint32_t)),
                                .marks = ARRAY_OF(struct mark),
                                .moved = ARRAY_OF(uint32_t),
                                .is_marked = memory_get((size_t)all->count + 1),
                                .flows = ARRAY_OF(struct flow)};
    begin(&refining, colours);
    find_back(&refining);
    bool is_fine = refine(&refining, error);
    uint32_t *names = refining.sizes, given = 0; /* not needed any more */
    memset(names, 0, ((size_t)all->count + 1) * sizeof *names);
    for (uint32_t i = 0; i < all->count; i++) {
        uint32_t *name = &names[refining.class_of[i]];
        if (!*name)
            *name = ++given;
        refining.class_of[i] = *name - 1;
    }
    *partition = (struct pepa_partition){given, refining.class_of};
    free(refining.sizes);
    free(refining.heads);
    free(refining.after);
    free(refining.before);
    free(refining.back_rows);
    free(refining.back);
    free(refining.is_marked);
    array_free(&refining.marks);
    array_free(&refining.moved);
    array_free(&refining.flows);
    return is_fine;
}

void pepa_partition_free(struct pepa_partition *partition)
{
    free(partition->of);
}
