/* The two schedules share the scoreboard: for every full register, the cycle in which its value is ready. */
#include "code/cost/macs/schedule.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { IN_ORDER_ITERATIONS = 4, OUT_OF_ORDER_ITERATIONS = 8 };
static const char files[3] = "rfp";
static const unsigned rotating_start[3] = {32, 32, 16}, rotating_end[3] = {128, 128, 64};

static void name_registers(struct scheduler *scheduler)
{
    const struct model *model = scheduler->model;
    for (uint32_t id = 1; id < model->registers.count; id++) {
        const struct register_ *row = model_register(model, id);
        const char *name = model_text(model, row->name);
        const char *file =
            name && row->isa == scheduler->machine->isa && name[0] ? memchr(files, name[0], 3) : NULL;
        char *end = NULL;
        unsigned long number = file ? strtoul(name + 1, &end, 10) : 0;
        if (!file || end == name + 1 || *end || number > 127)
            continue;
        scheduler->file[id] = (uint8_t)*file;
        scheduler->number[id] = (uint8_t)number;
        scheduler->physical[file - files][number] = id;
    }
}

void schedule_begin(struct scheduler *scheduler, const struct model *model, const struct machine *machine)
{
    size_t count = model->registers.count + 1;
    *scheduler = (struct scheduler){.model = model, .machine = machine};
    scheduler->ready = memory_get(count * sizeof *scheduler->ready);
    scheduler->loaded = memory_get(count * sizeof *scheduler->loaded);
    scheduler->before = memory_get(count * sizeof *scheduler->before);
    scheduler->file = memory_get(count);
    scheduler->number = memory_get(count);
    if (machine->bundles)
        name_registers(scheduler);
}

void schedule_end(struct scheduler *scheduler)
{
    free(scheduler->ready);
    free(scheduler->loaded);
    free(scheduler->before);
    free(scheduler->file);
    free(scheduler->number);
}

static void clear(struct scheduler *scheduler)
{
    size_t size = (scheduler->model->registers.count + 1) * sizeof *scheduler->ready;
    memset(scheduler->ready, 0, size);
    memset(scheduler->loaded, 0, size);
}

/* Flags count one by one, the instruction pointer not at all, others whole. */
uint32_t schedule_register(const struct scheduler *scheduler, const struct register_use *use)
{
    const struct model *model = scheduler->model;
    if (use->register_ >= model->registers.count)
        return 0;
    const struct register_ *row = model_register(model, use->register_);
    uint32_t id = row->kind == register_kind_POINTER ? 0
                  : row->kind == register_kind_FLAGS ? use->register_
                                                     : row->full;
    return id < model->registers.count ? id : 0;
}

/* Whether an instruction waits for the old value of a register. The upper part of a vector register that SSE
   leaves unchanged is renamed separately, unless a scalar operation merges into it. */
static bool is_awaited(const struct scheduler *scheduler, const struct macs_operation *operation,
                       const struct register_use *use)
{
    if (use->access == access_READ || use->access == access_BOTH || use->is_conditional)
        return true;
    unsigned kind = model_register(scheduler->model, use->register_)->kind;
    return use->keeps_rest &&
           (kind == register_kind_GENERAL || (kind == register_kind_VECTOR && operation->merges));
}

struct issue {
    struct scheduler *scheduler;
    unsigned rotating, turns; /* rotating general registers; how often they have rotated */
    double cycle, stalls;     /* the cycle being filled: its earliest time */
    double earliest;          /* when the registers that it reads are ready */
    struct schedule_cycle in; /* what is in it */
    unsigned bundles;
    int first_template;
    bool first_has_noop_branch;
};

uint32_t schedule_renamed(const struct scheduler *scheduler, unsigned rotating, unsigned turns, uint32_t id)
{
    const char *file = scheduler->file[id] ? memchr(files, scheduler->file[id], 3) : NULL;
    if (!file || !turns)
        return id;
    unsigned kind = (unsigned)(file - files), start = rotating_start[kind];
    unsigned end = kind == 0 ? start + rotating : rotating_end[kind];
    unsigned number = scheduler->number[id];
    if (number < start || number >= end || end > 128)
        return id;
    unsigned size = end - start;
    uint32_t other = scheduler->physical[kind][start + (number - start + size - turns % size) % size];
    return other ? other : id;
}

bool schedule_place(struct schedule_cycle *cycle, unsigned i, uint32_t *tried)
{
    for (int port = 0; port < MOST_PORTS; port++) {
        uint32_t bit = 1U << port;
        if (!(cycle->now[i]->ports & bit) || *tried & bit)
            continue;
        *tried |= bit;
        unsigned holder = 0;
        while (holder < cycle->count && cycle->port_of[holder] != port)
            holder++;
        if (holder == cycle->count || schedule_place(cycle, holder, tried)) {
            cycle->port_of[i] = (int8_t)port;
            return true;
        }
    }
    return false;
}

static void close_cycle(struct issue *issue)
{
    struct scheduler *scheduler = issue->scheduler;
    if (!issue->in.count && !issue->bundles)
        return;
    double start = fmax(issue->cycle, issue->earliest);
    issue->stalls += start - issue->cycle;
    for (unsigned i = 0; i < issue->in.count; i++) {
        const struct macs_operation *operation = issue->in.now[i];
        for (uint32_t u = 0; u < operation->use_count; u++) {
            const struct register_use *use = model_register_use(scheduler->model, operation->first_use + u);
            uint32_t full = schedule_register(scheduler, use);
            if (use->access == access_READ || !full)
                continue;
            double latency = full == operation->writeback ? 1 : operation->latency;
            uint32_t place = schedule_renamed(scheduler, issue->rotating, issue->turns, full);
            scheduler->ready[place] = start + latency;
            scheduler->loaded[place] = operation->is_integer_load && full != operation->writeback &&
                                               scheduler->machine->load_to_address
                                           ? start + scheduler->machine->load_to_address
                                           : 0;
        }
    }
    issue->cycle = start + 1;
    issue->earliest = 0;
    issue->in.count = issue->bundles = 0;
    issue->first_template = -1;
}

/* Whether a bundle that starts here may join the cycle. */
static bool may_join(const struct issue *issue, const struct schedule_item *item)
{
    const struct machine *machine = issue->scheduler->machine;
    if (!issue->bundles)
        return true;
    if (issue->bundles >= machine->bundles)
        return false;
    if (item->template <0 || issue->first_template < 0)
        return true;
    uint8_t pair = machine->pairs[issue->first_template][item->template];
    return pair & pair_ISSUES && (!(pair & pair_NO_BRANCH) || issue->first_has_noop_branch);
}

static void await_registers(struct issue *issue, const struct macs_operation *operation)
{
    struct scheduler *scheduler = issue->scheduler;
    for (uint32_t u = 0; u < operation->use_count; u++) {
        const struct register_use *use = model_register_use(scheduler->model, operation->first_use + u);
        uint32_t full = schedule_register(scheduler, use);
        if (use->access == access_WRITE || !full)
            continue;
        uint32_t place = schedule_renamed(scheduler, issue->rotating, issue->turns, full);
        issue->earliest = fmax(issue->earliest, scheduler->ready[place]);
        if (use->is_address)
            issue->earliest = fmax(issue->earliest, scheduler->loaded[place]);
    }
}

static void issue_item(struct issue *issue, const struct schedule_item *item)
{
    const struct macs_operation *operation = item->operation;
    if (item->starts_bundle && !may_join(issue, item))
        close_cycle(issue);
    if (issue->in.count == IN_CYCLE_MOST ||
        (!item->starts_bundle && item->template <0 && issue->in.count >= issue->scheduler->machine->width))
        close_cycle(issue);
    if (operation->ports && !operation->is_noop) {
        issue->in.now[issue->in.count] = operation;
        issue->in.port_of[issue->in.count] = -1;
        uint32_t tried = 0;
        if (!schedule_place(&issue->in, issue->in.count, &tried)) {
            close_cycle(issue);
            issue->in.now[0] = operation;
            issue->in.port_of[0] = -1;
            tried = 0;
            schedule_place(&issue->in, 0, &tried);
        }
    } else {
        issue->in.now[issue->in.count] = operation;
        issue->in.port_of[issue->in.count] = -1;
    }
    issue->in.count++;
    if (item->starts_bundle || !issue->bundles) {
        if (!issue->bundles) {
            issue->first_template = item->template;
            issue->first_has_noop_branch = item->has_noop_branch;
        }
        issue->bundles++;
    }
    if (!operation->is_noop)
        await_registers(issue, operation);
    if (item->stops || operation->rotates)
        close_cycle(issue);
    issue->turns += operation->rotates;
}

struct schedule schedule_in_order(struct scheduler *scheduler, const struct schedule_item *items,
                                  size_t count, unsigned rotating)
{
    struct issue issue = {.scheduler = scheduler, .rotating = rotating, .first_template = -1};
    struct schedule schedule = {0};
    double start = 0, stalls = 0;
    clear(scheduler);
    for (unsigned iteration = 0; iteration < IN_ORDER_ITERATIONS; iteration++) {
        if (iteration == IN_ORDER_ITERATIONS / 2) {
            start = issue.cycle;
            stalls = issue.stalls;
        }
        for (size_t i = 0; i < count; i++)
            issue_item(&issue, &items[i]);
        close_cycle(&issue);
    }
    const double counted = IN_ORDER_ITERATIONS - IN_ORDER_ITERATIONS / 2;
    schedule.cycles = (issue.cycle - start) / counted;
    schedule.stalls = (issue.stalls - stalls) / counted;
    for (size_t i = 0; i < count; i++)
        schedule.bundles += items[i].starts_bundle;
    return schedule;
}

/* When the results of an instruction are ready, from when its inputs are. */
static void compute(struct scheduler *scheduler, const struct macs_operation *operation)
{
    const struct model *model = scheduler->model;
    double inputs = 0, addresses = 0, accumulated = 0;
    for (uint32_t u = 0; u < operation->use_count && !operation->is_zero; u++) {
        const struct register_use *use = model_register_use(model, operation->first_use + u);
        uint32_t full = schedule_register(scheduler, use);
        if (!full || !is_awaited(scheduler, operation, use))
            continue;
        double ready = scheduler->ready[full];
        if (full == operation->accumulator)
            accumulated = fmax(accumulated, ready);
        else if (use->is_address)
            addresses = fmax(addresses, ready);
        else
            inputs = fmax(inputs, ready);
    }
    double result = fmax(inputs, addresses + operation->load_latency) + operation->latency;
    if (operation->accumulator)
        result = fmax(result, accumulated + operation->accumulate);
    for (uint32_t u = 0; u < operation->use_count; u++) {
        const struct register_use *use = model_register_use(model, operation->first_use + u);
        uint32_t full = schedule_register(scheduler, use);
        if (use->access == access_READ || !full)
            continue;
        if (full != operation->writeback)
            scheduler->ready[full] = result;
        else if (!operation->keeps_stack_pointer)
            scheduler->ready[full] += 1;
    }
}

/* The rate at which the time of every register grows; the fastest growing one is on the slowest chain. */
static double recurrence_of(struct scheduler *scheduler, const struct schedule_item *items, size_t count)
{
    const struct model *model = scheduler->model;
    size_t registers = model->registers.count;
    double slowest = 0;
    clear(scheduler);
    for (unsigned iteration = 0; iteration < OUT_OF_ORDER_ITERATIONS; iteration++) {
        if (iteration == OUT_OF_ORDER_ITERATIONS / 2)
            memcpy(scheduler->before, scheduler->ready, (registers + 1) * sizeof *scheduler->ready);
        for (size_t i = 0; i < count; i++)
            compute(scheduler, items[i].operation);
    }
    for (uint32_t id = 1; id < registers; id++)
        slowest = fmax(slowest, scheduler->ready[id] - scheduler->before[id]);
    return slowest / (OUT_OF_ORDER_ITERATIONS - OUT_OF_ORDER_ITERATIONS / 2);
}

struct schedule schedule_out_of_order(struct scheduler *scheduler, const struct schedule_item *items,
                                      size_t count)
{
    struct schedule schedule = {0};
    double issued = 0;
    for (size_t i = 0; i < count; i++) {
        const struct macs_operation *operation = items[i].operation;
        bool is_fused = i && operation->is_conditional_branch && items[i - 1].operation->may_fuse;
        issued += !is_fused;
        schedule.divider += operation->counts.busy;
    }
    schedule.issue = issued / scheduler->machine->width;
    schedule.recurrence = recurrence_of(scheduler, items, count);
    schedule.cycles = fmax(fmax(schedule.issue, schedule.recurrence), schedule.divider);
    return schedule;
}
