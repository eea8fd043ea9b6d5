/* The fluid approximation (Hillston 2005): populations are real numbers, and change at the rates of their
   activities. As many equations as there are local states, whether there are ten copies or a million; the
   means of the Markov chain are approached as populations grow.

   Going up the tree each node gets its apparent rate of each label: groups sum over their local states,
   cooperation takes the minimum for its set.  Going down each node gets the rate at which it really happens:
   in a cooperation both sides do it at the node's rate, else a side's part is its share of the apparent rate.
   What a group gets is shared by its local states.

   T is faster than any rate as long as somebody is there to do it.  With less than one copy there
   (populations are real numbers) we take that fraction of the active side's rate: the same as PEPA's at every
   whole number, and continuous between. */
#include "base/interrupt.h"
#include "base/progress.h"
#include "plan/modelling/pepa/pepa.h"
#include "plan/modelling/pepa/stiff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST_TABLE = 4000000 };

struct pace {
    double active;
    double weight;   /* passive */
    double presence; /* copies that can do it passively */
};

struct fluid {
    const struct pepa_structure *structure;
    size_t labels, unknowns;
    uint32_t *first;    /* of each group: its first unknown */
    struct pace *paces; /* of each node and label */
    double *done;       /* of each node and label: how often it happens */
};

static struct pace *paces_of(const struct fluid *fluid, uint32_t node)
{
    return fluid->paces + node * fluid->labels;
}

static void pace_group(const struct fluid *fluid, uint32_t index, const struct pepa_group *group,
                       const double *x)
{
    const struct pepa_automaton *automaton = PEPA_AUTOMATON(fluid->structure, group->automaton);
    struct pace *paces = paces_of(fluid, index);
    for (uint32_t s = 0; s < automaton->states.count; s++) {
        const struct pepa_local_state *state = ARRAY_AT(struct pepa_local_state, &automaton->states, s);
        double here = fmax(0, x[s]);
        for (uint32_t k = 0; k < state->step_count; k++) {
            const struct pepa_step *step =
                ARRAY_AT(struct pepa_step, &automaton->steps, state->first_step + k);
            struct pace *pace = &paces[step->label];
            if (!step->rate.is_passive) {
                pace->active += here * step->rate.value;
                continue;
            }
            bool is_first = true; /* a state is present once, however many passive steps it has */
            for (uint32_t e = 0; e < k; e++) {
                const struct pepa_step *earlier =
                    ARRAY_AT(struct pepa_step, &automaton->steps, state->first_step + e);
                is_first &= earlier->label != step->label;
            }
            pace->weight += here * step->rate.value;
            pace->presence += is_first ? here : 0;
        }
    }
}

static struct pace meet(struct pace left, struct pace right)
{
    if (left.presence > 0 && right.presence > 0)
        return (struct pace){0, fmin(left.weight, right.weight), fmin(left.presence, right.presence)};
    if (left.presence > 0)
        return (struct pace){right.active * fmin(1, left.presence), 0, 0};
    if (right.presence > 0)
        return (struct pace){left.active * fmin(1, right.presence), 0, 0};
    return (struct pace){fmin(left.active, right.active), 0, 0};
}

static void go_up(const struct fluid *fluid, const double *x)
{
    const struct pepa_structure *structure = fluid->structure;
    memset(fluid->paces, 0, structure->nodes.count * fluid->labels * sizeof *fluid->paces);
    for (uint32_t i = 0; i < structure->nodes.count; i++) {
        const struct pepa_node *node = ARRAY_AT(struct pepa_node, &structure->nodes, i);
        struct pace *paces = paces_of(fluid, i);
        if (node->kind == pepa_NAME) {
            pace_group(fluid, i, PEPA_GROUP(structure, node->group), x + fluid->first[node->group]);
            continue;
        }
        const struct pace *left = paces_of(fluid, node->left);
        if (node->kind == pepa_HIDING) {
            memcpy(paces, left, fluid->labels * sizeof *paces);
            for (uint32_t k = 0; k < node->set_count; k++) {
                uint32_t label = 2 * *ARRAY_AT(uint32_t, &structure->sets, node->set + k);
                paces[label + 1].active += paces[label].active;
                paces[label + 1].weight += paces[label].weight;
                paces[label + 1].presence += paces[label].presence;
                paces[label] = (struct pace){0};
            }
            continue;
        }
        const struct pace *right = paces_of(fluid, node->right);
        for (size_t k = 0; k < fluid->labels; k++)
            paces[k] = (struct pace){left[k].active + right[k].active, left[k].weight + right[k].weight,
                                     left[k].presence + right[k].presence};
        for (uint32_t k = 0; k < node->set_count; k++) {
            uint32_t label = 2 * *ARRAY_AT(uint32_t, &structure->sets, node->set + k);
            paces[label] = meet(left[label], right[label]);
        }
    }
}

/* A side's part of what a node does. */
static double part(double done, struct pace side, struct pace all)
{
    double whole = all.active > 0 ? all.active : all.weight, own = all.active > 0 ? side.active : side.weight;
    return whole > 0 ? done * own / whole : 0;
}

static void go_down(const struct fluid *fluid)
{
    const struct pepa_structure *structure = fluid->structure;
    uint32_t root = (uint32_t)structure->nodes.count - 1;
    for (size_t k = 0; k < fluid->labels; k++)
        fluid->done[root * fluid->labels + k] = paces_of(fluid, root)[k].active;
    for (uint32_t i = root + 1; i-- > 0;) {
        const struct pepa_node *node = ARRAY_AT(struct pepa_node, &structure->nodes, i);
        const double *done = fluid->done + i * fluid->labels;
        if (node->kind == pepa_NAME)
            continue;
        double *left = fluid->done + node->left * fluid->labels;
        const struct pace *all = paces_of(fluid, i), *of_left = paces_of(fluid, node->left);
        if (node->kind == pepa_HIDING) {
            memcpy(left, done, fluid->labels * sizeof *left);
            for (uint32_t k = 0; k < node->set_count; k++) {
                uint32_t label = 2 * *ARRAY_AT(uint32_t, &structure->sets, node->set + k);
                left[label] = part(done[label + 1], of_left[label], all[label + 1]);
                left[label + 1] = part(done[label + 1], of_left[label + 1], all[label + 1]);
            }
            continue;
        }
        double *right = fluid->done + node->right * fluid->labels;
        const struct pace *of_right = paces_of(fluid, node->right);
        for (size_t k = 0; k < fluid->labels; k++) {
            left[k] = part(done[k], of_left[k], all[k]);
            right[k] = part(done[k], of_right[k], all[k]);
        }
        for (uint32_t k = 0; k < node->set_count; k++) {
            uint32_t label = 2 * *ARRAY_AT(uint32_t, &structure->sets, node->set + k);
            left[label] = right[label] = done[label];
        }
    }
}

static void slope_of(void *context, const double *x, double *slope)
{
    const struct fluid *fluid = context;
    const struct pepa_structure *structure = fluid->structure;
    memset(slope, 0, fluid->unknowns * sizeof *slope);
    go_up(fluid, x);
    go_down(fluid);
    for (uint32_t i = 0; i < structure->nodes.count; i++) {
        const struct pepa_node *node = ARRAY_AT(struct pepa_node, &structure->nodes, i);
        if (node->kind != pepa_NAME)
            continue;
        const struct pepa_group *group = PEPA_GROUP(structure, node->group);
        const struct pepa_automaton *automaton = PEPA_AUTOMATON(structure, group->automaton);
        uint32_t first = fluid->first[node->group];
        const struct pace *paces = paces_of(fluid, i);
        for (uint32_t s = 0; s < automaton->states.count; s++) {
            const struct pepa_local_state *state = ARRAY_AT(struct pepa_local_state, &automaton->states, s);
            double here = fmax(0, x[first + s]);
            for (uint32_t k = 0; k < state->step_count; k++) {
                const struct pepa_step *step =
                    ARRAY_AT(struct pepa_step, &automaton->steps, state->first_step + k);
                double all = step->rate.is_passive ? paces[step->label].weight : paces[step->label].active;
                double flow =
                    all > 0 ? fluid->done[i * fluid->labels + step->label] * here * step->rate.value / all
                            : 0;
                slope[first + s] -= flow;
                slope[first + step->target] += flow;
            }
        }
    }
}

/* One side of a cooperation must be active or passive, everywhere, and nothing passive may be left at the
 * top. */
static bool check(const struct fluid *fluid, struct error *error)
{
    const struct pepa_structure *structure = fluid->structure;
    double *x = memory_get(fluid->unknowns * sizeof *x);
    bool is_fine = true;
    for (size_t i = 0; i < fluid->unknowns; i++)
        x[i] = 1;
    go_up(fluid, x);
    for (uint32_t i = 0; is_fine && i < structure->nodes.count; i++)
        for (size_t k = 0; is_fine && k < fluid->labels; k++) {
            struct pace pace = paces_of(fluid, i)[k];
            bool is_mixed = pace.active > 0 && pace.presence > 0;
            if (!is_mixed && !(pace.presence > 0 && i + 1 == structure->nodes.count))
                continue;
            char *name = pepa_label_text(structure->model, (pepa_label)k);
            is_fine =
                error_set(error, structure->model->path,
                          is_mixed ? "--fluid: %s is active in some local states and passive in others on "
                                     "the same side of a cooperation"
                                   : "the model is incomplete: %s is passive, and no component gives it a "
                                     "rate",
                          name);
            free(name);
        }
    for (size_t i = 0; is_fine && i < structure->groups.count; i++)
        if (PEPA_GROUP(structure, i)->set_count && PEPA_GROUP(structure, i)->count > 1)
            is_fine =
                error_set(error, structure->model->path,
                          "--fluid: replicas that cooperate with each other have no fluid approximation");
    free(x);
    return is_fine;
}

static bool begin(struct fluid *fluid, const struct pepa_structure *structure, struct error *error)
{
    *fluid = (struct fluid){.structure = structure, .labels = 2 * structure->model->actions.count};
    fluid->first = memory_get((structure->groups.count + 1) * sizeof *fluid->first);
    for (size_t i = 0; i < structure->groups.count; i++) {
        fluid->first[i] = (uint32_t)fluid->unknowns;
        fluid->unknowns += PEPA_AUTOMATON(structure, PEPA_GROUP(structure, i)->automaton)->states.count;
    }
    if (fluid->unknowns > STIFF_LARGEST || structure->nodes.count * fluid->labels > LARGEST_TABLE)
        return error_set(error, structure->model->path,
                         "--fluid: %zu local states in all; %d are possible: write P[n] for equal components",
                         fluid->unknowns, STIFF_LARGEST);
    fluid->paces = memory_get(structure->nodes.count * fluid->labels * sizeof *fluid->paces);
    fluid->done = memory_get(structure->nodes.count * fluid->labels * sizeof *fluid->done);
    return check(fluid, error);
}

static void note(const struct fluid *fluid, const double *x, double time, struct pepa_curve *curve)
{
    const struct pepa_structure *structure = fluid->structure;
    struct pepa_measures *measures = array_add(&curve->moments);
    *measures = pepa_measures_new(structure);
    *(double *)array_add(&curve->times) = time;
    go_up(fluid, x);
    go_down(fluid);
    for (size_t k = 0; k < fluid->labels; k++)
        *ARRAY_AT(double, &measures->throughputs, k) =
            fluid->done[(structure->nodes.count - 1) * fluid->labels + k];
    for (size_t i = 0; i < structure->groups.count; i++) {
        const struct pepa_group *group = PEPA_GROUP(structure, i);
        for (uint32_t s = 0; s < PEPA_AUTOMATON(structure, group->automaton)->states.count; s++)
            pepa_measures_populate(structure, group, s, fmax(0, x[fluid->first[i] + s]), measures);
    }
}

/* Until nothing changes any more, with longer and longer intervals. */
static bool settle(struct fluid *fluid, struct stiff *stiff, double *x, struct pepa_curve *curve,
                   struct error *error)
{
    double *slope = memory_get(fluid->unknowns * sizeof *slope), time = 0, interval = 0;
    bool is_fine = true, is_settled = false;
    for (unsigned round = 0; is_fine && !is_settled && round < 400; round++) {
        double flow = 0, change = 0;
        slope_of(fluid, x, slope);
        for (size_t k = 0; k < fluid->labels; k++)
            flow += fluid->done[(fluid->structure->nodes.count - 1) * fluid->labels + k];
        for (size_t i = 0; i < fluid->unknowns; i++)
            change += fabs(slope[i]);
        is_settled = change <= 1e-9 * flow || change < 1e-300;
        if (is_settled)
            break;
        interval = interval > 0 ? interval * 1.3 : 0.1 / flow;
        is_fine = interrupt_came() ? pepa_stopped(error) : stiff_run(stiff, x, time, time + interval, error);
        time += interval;
        progress_tell("until it settles", round, 0);
    }
    free(slope);
    if (is_fine && !is_settled)
        is_fine = error_set(error, fluid->structure->model->path,
                            "--fluid: populations do not settle; --time T shows how they change");
    if (is_fine)
        note(fluid, x, time, curve);
    return is_fine;
}

bool pepa_fluid(const struct pepa_structure *structure, double until, unsigned points,
                struct pepa_curve *curve, struct error *error)
{
    struct fluid fluid;
    *curve = (struct pepa_curve){.times = ARRAY_OF(double),
                                 .moments = ARRAY_OF(struct pepa_measures),
                                 .error = NAN,
                                 .method = "fluid approximation"};
    bool is_fine = begin(&fluid, structure, error);
    double *x = memory_get((fluid.unknowns + 1) * sizeof *x);
    for (size_t i = 0; i < structure->groups.count; i++) {
        x[fluid.first[i]] = PEPA_GROUP(structure, i)->count;
    }
    struct stiff stiff = {
        .function = slope_of, .context = &fluid, .count = fluid.unknowns, .relative = 1e-8, .absolute = 1e-9};
    if (is_fine && !(until > 0))
        is_fine = settle(&fluid, &stiff, x, curve, error);
    for (unsigned i = 0; is_fine && until > 0 && i <= points; i++) {
        note(&fluid, x, until * i / points, curve);
        progress_tell("moments", i, points);
        if (interrupt_came())
            is_fine = pepa_stopped(error);
        else if (i < points)
            is_fine = stiff_run(&stiff, x, until * i / points, until * (i + 1) / points, error);
    }
    curve->steps = stiff.steps;
    stiff_free(&stiff);
    free(x);
    free(fluid.first);
    free(fluid.paces);
    free(fluid.done);
    return is_fine;
}
