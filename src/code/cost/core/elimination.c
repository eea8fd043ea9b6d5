/* Which moves are eliminated when there are many of them.

   An eliminated move gives a physical register a second name. The core has a few slots for registers with
   several names, and a slot is free again only when names were overwritten: all names for general registers
   (on Ivy Bridge, and for vector registers, all but one are enough, in a cycle without elimination). The
   eliminations of the last cycles are not counted yet, so the core holds back as many slots. A move that
   finds no slot is executed like any other instruction (Abel and Reineke, uiCA, found by measurement).

   So this file simulates the names of registers in the renamer over a number of iterations and counts how
   often each move is eliminated. The renamer takes what the front end delivers: a slow front end leaves more
   cycles between moves, and more free slots. */
#include "code/cost/core/front_end.h"

#include <math.h>

enum { WARM_UP = 4, COUNTED = 12, MOST_DELAY = 4, DEFAULT_DELAY = 2 };

/* One kind of registers. */
struct slots {
    unsigned count;            /* ANY_NUMBER: without limit */
    bool frees_with_last_name; /* else with the last but one */
    unsigned taken;            /* registers of several names */
    unsigned eliminated;       /* in this cycle */
    unsigned eliminated_before[MOST_DELAY], taken_before[MOST_DELAY];
};

struct renamer {
    uint16_t register_of[MOST_RESOURCES]; /* number of the physical one; 0: not seen yet */
    /* By physical register. */
    uint16_t names[MOST_RESOURCES + 1];
    uint8_t slot_of[MOST_RESOURCES + 1]; /* 0 none, else 1 + the kind */
    uint16_t unused[MOST_RESOURCES + 1];
    unsigned unused_count, count;
    unsigned delay;
    struct slots slots[2]; /* general, vector */
};

/* The register of a resource, a new one if it has none. Each has at least one name, so there are never more
   registers than resources. */
static uint16_t physical(struct renamer *renamer, uint16_t resource)
{
    uint16_t *place = &renamer->register_of[resource];
    if (!*place) {
        *place =
            renamer->unused_count ? renamer->unused[--renamer->unused_count] : (uint16_t)++renamer->count;
        renamer->names[*place] = 1;
    }
    return *place;
}

static void lose_name(struct renamer *renamer, uint16_t resource)
{
    uint16_t old = physical(renamer, resource);
    renamer->register_of[resource] = 0;
    if (--renamer->names[old])
        return;
    if (renamer->slot_of[old])
        renamer->slots[renamer->slot_of[old] - 1].taken--;
    renamer->slot_of[old] = 0;
    renamer->unused[renamer->unused_count++] = old;
}

static void write_new(struct renamer *renamer, uint16_t resource)
{
    lose_name(renamer, resource);
    physical(renamer, resource);
}

static bool has_free_slot(const struct slots *slots, unsigned delay)
{
    if (slots->count == ANY_NUMBER)
        return true;
    unsigned used = slots->eliminated + slots->taken_before[delay - 1];
    for (unsigned i = 0; i + 1 < delay; i++)
        used += slots->eliminated_before[i];
    return used < slots->count;
}

static void eliminate(struct renamer *renamer, unsigned kind, uint16_t from, uint16_t to)
{
    uint16_t source = physical(renamer, from);
    if (physical(renamer, to) != source) {
        lose_name(renamer, to);
        renamer->register_of[to] = source;
        renamer->names[source]++;
    }
    if (!renamer->slot_of[source]) {
        renamer->slot_of[source] = (uint8_t)(kind + 1);
        renamer->slots[kind].taken++;
    }
    renamer->slots[kind].eliminated++;
}

/* Slots of registers with one name left. */
static void free_last_names(struct renamer *renamer, unsigned kind)
{
    for (unsigned i = 1; i <= renamer->count && renamer->slots[kind].taken; i++) {
        if (renamer->slot_of[i] != kind + 1 || renamer->names[i] > 1)
            continue;
        renamer->slot_of[i] = 0;
        renamer->slots[kind].taken--;
    }
}

static void end_cycle(struct renamer *renamer)
{
    for (unsigned kind = 0; kind < 2; kind++) {
        struct slots *slots = &renamer->slots[kind];
        if (!slots->frees_with_last_name && !slots->eliminated)
            free_last_names(renamer, kind);
        for (unsigned i = MOST_DELAY - 1; i > 0; i--) {
            slots->eliminated_before[i] = slots->eliminated_before[i - 1];
            slots->taken_before[i] = slots->taken_before[i - 1];
        }
        slots->eliminated_before[0] = slots->eliminated;
        slots->taken_before[0] = slots->taken;
        slots->eliminated = 0;
    }
}

/* Whether the item is eliminated this time. */
static bool rename_item(struct renamer *renamer, const struct cost_item *item)
{
    const struct machine_cost *cost = item->cost;
    unsigned kind = cost->is_vector_move;
    if (item->is_eliminated && cost->flow_count && cost->write_count &&
        has_free_slot(&renamer->slots[kind], renamer->delay)) {
        eliminate(renamer, kind, cost->flows[0].from, cost->flows[0].to);
        return true;
    }
    for (unsigned i = 0; i < cost->write_count; i++)
        write_new(renamer, cost->writes[i]);
    return false;
}

/* Slots of the renamer that a cycle fills: its width, or what is delivered. */
struct pace {
    double a_cycle, left;
};

/* After a few cycles without a move the state stays the same, however long the instruction before took. */
static void pass_cycles(struct renamer *renamer, struct pace *pace, double cycles)
{
    for (unsigned i = 0; i < cycles && i < MOST_DELAY + 2; i++)
        end_cycle(renamer);
    pace->left += cycles * pace->a_cycle;
}

static void count_eliminations(const struct cost_block *block, struct renamer *renamer, struct pace pace,
                               uint8_t *counts)
{
    for (unsigned round = 0; round < WARM_UP + COUNTED; round++)
        for (unsigned i = 0; i < block->count; i++) {
            const struct cost_item *item = &block->items[i];
            if (item->is_absorbed)
                continue;
            unsigned slots = item->cost->fused + item->synchronises;
            double wanted = slots < pace.a_cycle ? slots : 1;
            if (pace.left < wanted)
                pass_cycles(renamer, &pace, ceil((wanted - pace.left) / pace.a_cycle));
            pace.left -= slots;
            if (rename_item(renamer, item) && round >= WARM_UP)
                counts[i]++;
        }
}

/* A move that is sometimes executed uses its ports in that share of the iterations. A chain through the move
   waits only in those iterations, so the move counts as eliminated unless it never is. */
static void share_ports(struct cost_item *item, unsigned eliminated, struct cost_scratch *scratch)
{
    item->is_eliminated = eliminated;
    item->port_count = item->cost->port_count;
    struct form_ports *ports = arena_get(&scratch->arena, item->port_count * sizeof *ports);
    for (unsigned i = 0; i < item->port_count; i++) {
        ports[i] = item->cost->ports[i];
        ports[i].times *= (float)(COUNTED - eliminated) / COUNTED;
    }
    item->ports = ports;
}

/* µops of an iteration that only these ports take, all moves executed. */
static double load_of(const struct cost_block *block, uint32_t ports)
{
    double load = 0;
    for (unsigned i = 0; i < block->count; i++) {
        const struct cost_item *item = &block->items[i];
        const struct form_ports *uops = item->is_eliminated ? item->cost->ports : item->ports;
        unsigned count = item->is_eliminated ? item->cost->port_count : item->port_count;
        for (unsigned k = 0; k < count; k++)
            if (!(uops[k].ports & ~ports))
                load += (double)uops[k].times;
    }
    return load;
}

/* Whether it matters which moves are executed. It does not if their ports could take all of them in the
   cycles that are needed anyway. Nor can a single move in an iteration of two cycles or more miss a slot: it
   holds at most two, for its last two turns, and was eliminated only once in the cycles before. */
static bool matters(const struct cost_block *block, double cycles)
{
    const struct machine_core *core = &block->machine->core;
    unsigned moves[2] = {0}, slots[2] = {core->eliminates_general, core->eliminates_vector};
    uint32_t busy = 0, idle = 0;
    for (unsigned i = 0; i < block->count; i++) {
        const struct cost_item *item = &block->items[i];
        unsigned kind = item->cost->is_vector_move;
        if (!item->is_eliminated || slots[kind] == ANY_NUMBER || !item->cost->port_count)
            continue;
        moves[kind]++;
        uint32_t ports = item->cost->ports[0].ports;
        if (ports == busy || ports == idle)
            continue;
        if (load_of(block, ports) > __builtin_popcount(ports) * cycles)
            busy = ports;
        else
            idle = ports;
    }
    unsigned most = cycles >= 2 ? 1 : 0;
    return busy && (moves[0] > most || moves[1] > most);
}

void cost_eliminate(struct cost_block *block, struct cost_scratch *scratch, double delivered)
{
    const struct machine_core *core = &block->machine->core;
    if (!core->issue || !block->issued)
        return;
    double cycles = fmax(delivered, (double)block->issued / core->issue);
    if (!matters(block, cycles))
        return;
    struct renamer *renamer = arena_get(&scratch->arena, sizeof *renamer);
    renamer->delay = core->elimination_delay ? core->elimination_delay : DEFAULT_DELAY;
    if (renamer->delay > MOST_DELAY)
        renamer->delay = MOST_DELAY;
    renamer->slots[0] = (struct slots){.count = core->eliminates_general,
                                       .frees_with_last_name = core->keeps_elimination_slots};
    renamer->slots[1] = (struct slots){.count = core->eliminates_vector};
    uint8_t *counts = arena_get(&scratch->arena, block->count);
    /* Slower than this, every slot is free again. */
    double a_cycle = fmax(block->issued / cycles, 0.25);
    count_eliminations(block, renamer, (struct pace){.a_cycle = a_cycle}, counts);
    for (unsigned i = 0; i < block->count; i++)
        if (block->items[i].is_eliminated && counts[i] < COUNTED)
            share_ports(&block->items[i], counts[i], scratch);
}
