/* Divisions and square roots take longer with hard operands than with easy ones (`easy` and `hard` of the
   machine file).  The figures of a form are those of easy operands in most tables, of hard ones in others; a
   cost for either end takes the form's where it is at that end already, so that a measurement of the form
   itself stands.

   Ordinary floats use all their bits and are hard.  Ordinary integers are small: their quotients have few
   bits, which is what the figures of forms are for. */
#include "code/machine/resolve_parts.h"

#include <math.h>
#include <string.h>

static double time_of(const struct machine_cost *cost)
{
    return fmax((double)cost->divider, (double)cost->throughput); /* NaN: not measured */
}

/* The shortest way from a register to the result: what the form says the operation itself takes. */
static double own_latency(const struct machine_cost *cost)
{
    double least = NAN;
    for (unsigned i = 0; i < cost->flow_count; i++)
        if (cost->flows[i].way == way_REGISTER)
            least = fmin(least, (double)cost->flows[i].latency);
    return least;
}

static double load_latency(const struct cost_instruction *instruction)
{
    double load = resolve_plain_load(instruction->costs, instruction->form->text);
    return isnan(load) ? 0 : load;
}

/* Hard operands: at least so long.  What a form from memory takes from its address counts a load before it. */
static float slower(const struct cost_flow *flow, double latency, double load)
{
    bool is_address = flow->way == way_BASE || flow->way == way_INDEX;
    return (float)fmax((double)flow->latency, is_address ? latency + load : latency);
}

static const struct machine_cost *harder(const struct cost_instruction *instruction,
                                         const struct machine_cost *cost, const struct division_figures *hard)
{
    struct machine_costs *costs = instruction->costs;
    struct machine_cost *copy = arena_get(&costs->rows, sizeof *copy);
    struct cost_flow *flows = arena_get(&costs->rows, (cost->flow_count + 1) * sizeof *flows);
    double load = load_latency(instruction);
    bool differs = hard->busy > time_of(cost);
    *copy = *cost;
    copy->divider = (float)fmax(time_of(cost), hard->busy);
    for (unsigned i = 0; i < cost->flow_count; i++) {
        flows[i] = cost->flows[i];
        flows[i].latency = slower(&cost->flows[i], hard->latency, load);
        differs |= flows[i].latency > cost->flows[i].latency;
    }
    copy->flows = flows;
    return differs ? copy : cost;
}

/* Tables that count the divider's own cycles say less than one operation after the other takes. */
static void hold_for_easy(struct machine_cost *cost, const struct division_figures *easy)
{
    if (time_of(cost) < easy->busy)
        cost->divider = (float)easy->busy;
}

/* Whether the figure of a form is not one of easy operands.  Forms of one kind differ, signed divisions from
   unsigned ones by up to 30 %. */
static bool is_beyond(double figure, double easy, double hard)
{
    static const double SAME_KIND = 1.3;
    return figure >= hard || figure > SAME_KIND * easy;
}

/* Easy operands, where the form has the figures of harder ones. */
static const struct machine_cost *easier(const struct cost_instruction *instruction,
                                         const struct machine_cost *cost,
                                         const struct machine_division *division)
{
    const struct division_figures *easy = &division->of[division_EASY], *hard = &division->of[division_HARD];
    struct machine_costs *costs = instruction->costs;
    bool is_slow = easy->busy < hard->busy && is_beyond(time_of(cost), easy->busy, hard->busy),
         is_late =
             easy->latency < hard->latency && is_beyond(own_latency(cost), easy->latency, hard->latency);
    if (!is_slow && !is_late)
        return cost;
    struct machine_cost *copy = arena_get(&costs->rows, sizeof *copy);
    struct cost_flow *flows = arena_get(&costs->rows, (cost->flow_count + 1) * sizeof *flows);
    double saved = is_late ? own_latency(cost) - easy->latency : 0;
    *copy = *cost;
    if (is_slow) {
        copy->divider = (float)easy->busy;
        copy->throughput = NAN;
    }
    memcpy(flows, cost->flows, cost->flow_count * sizeof *flows);
    for (unsigned i = 0; i < cost->flow_count; i++)
        flows[i].latency = (float)fmax(0, (double)flows[i].latency - saved);
    copy->flows = flows;
    return copy;
}

struct machine_cost *resolve_operands(const struct cost_instruction *instruction, struct machine_cost *cost)
{
    const struct machine_costs *costs = instruction->costs;
    if (!cost->form || !(time_of(cost) > 0))
        return cost;
    const struct machine_division *division = machine_division(costs->machine, instruction->text);
    if (!division || !division->of[division_EASY].source || !division->of[division_HARD].source)
        return cost;
    hold_for_easy(cost, &division->of[division_EASY]);
    const struct machine_cost *easy = easier(instruction, cost, division),
                              *hard = harder(instruction, cost, &division->of[division_HARD]);
    if (easy == hard)
        return cost;
    bool is_integer = division->element == element_INT32 || division->element == element_INT64;
    struct machine_cost *ordinary = arena_get(&instruction->costs->rows, sizeof *ordinary);
    *ordinary = costs->operands == cost_operands_EASY                  ? *easy
                : costs->operands == cost_operands_HARD || !is_integer ? *hard
                                                                       : *cost;
    ordinary->easy = easy;
    ordinary->hard = hard;
    return ordinary;
}
