/* The semantics of PEPA, for one state: moves of the groups, and how cooperation and hiding change them.

   A node has a list of moves.  At a cooperation over L the moves of both sides with an action outside L stay
   as they are.  For an action in L each move of the left is paired with each of the right.  With r1 of an
   apparent rate R1 on the left, and r2 of R2 on the right, the pair has the rate r1/R1 * r2/R2 * min(R1, R2);
   where one side is passive its weights take the place of the rates in the quotient, and the other side's
   apparent rate is the minimum; where both are, the result is passive.  One side's apparent rate cannot be a
   sum of rates and of passive weights: PEPA does not define it, and we say so.

   Copies of a group move one at a time, at the rate of one times the number that can; but for actions of
   their own set all of them move together: the distribution of where the copies of a local state go is
   multinomial. */
#include "plan/modelling/pepa/derive.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_MOVES = 4000000, MOST_TOGETHER = 2000 };

struct pepa_share { /* an action of a cooperation's set */
    uint32_t first[2];
    double sum[2]; /* apparent rate; negative: passive */
};

static bool too_many(const struct pepa_deriving *deriving, struct error *error)
{
    return error_set(error, deriving->structure->model->path,
                     "a state with more than %d transitions: fewer replicas, or --fluid", MOST_MOVES);
}

static void append(struct pepa_deriving *deriving, uint32_t node, uint32_t move)
{
    PEPA_MOVE(deriving, move)->next = pepa_NONE;
    if (deriving->heads[node] == pepa_NONE)
        deriving->heads[node] = move;
    else
        PEPA_MOVE(deriving, deriving->tails[node])->next = move;
    deriving->tails[node] = move;
}

static bool mixed(const struct pepa_deriving *deriving, pepa_label label, const int32_t *slots,
                  struct error *error)
{
    char *name = pepa_label_text(deriving->structure->model, label),
         *state = pepa_slots_text(deriving->structure, slots);
    error_set(error, deriving->structure->model->path,
              "%s is active and passive on the same side of a cooperation, so that its apparent rate is not "
              "defined, in the state %.300s",
              name, state);
    free(name);
    free(state);
    return false;
}

static bool is_in_set(const struct pepa_structure *structure, uint32_t set, uint32_t count, pepa_label label)
{
    if (label % 2)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (*ARRAY_AT(uint32_t, &structure->sets, set + i) == label / 2)
            return true;
    return false;
}

static void add_change(struct pepa_deriving *deriving, uint32_t slot, int32_t by)
{
    struct pepa_change *change = array_push(&deriving->changes);
    *change = (struct pepa_change){slot, by};
}

/* One copy in local state `from` takes a step; `copies` are there. */
static void add_step(struct pepa_deriving *deriving, uint32_t node, const struct pepa_group *group,
                     uint32_t from, double copies, const struct pepa_step *step)
{
    struct pepa_move *move = array_push(&deriving->moves);
    *move =
        (struct pepa_move){.label = step->label,
                           .rate = copies * (step->rate.is_passive ? -step->rate.value : step->rate.value),
                           .first_change = (uint32_t)deriving->changes.count};
    if (step->target != from && group->count == 1)
        add_change(deriving, group->slot, (int32_t)step->target - (int32_t)from);
    else if (step->target != from) {
        add_change(deriving, group->slot + from, -1);
        add_change(deriving, group->slot + step->target, 1);
    }
    PEPA_MOVE(deriving, deriving->moves.count - 1)->change_count =
        (uint32_t)deriving->changes.count - move->first_change;
    append(deriving, node, (uint32_t)deriving->moves.count - 1);
}

/* All copies of a group take a step of one action together. */
struct together {
    struct pepa_deriving *deriving;
    const struct pepa_group *group;
    const struct pepa_automaton *automaton;
    const int32_t *slots;
    pepa_label label;
    uint32_t node;
    double pace; /* the slowest copy's apparent rate; negative: passive */
    struct array changes;
    struct error *error;
};

static const struct pepa_step *steps_of(const struct together *together, uint32_t state, uint32_t *count)
{
    const struct pepa_local_state *local =
        ARRAY_AT(struct pepa_local_state, &together->automaton->states, state);
    *count = local->step_count;
    return ARRAY_AT(struct pepa_step, &together->automaton->steps, local->first_step);
}

static double local_rate(const struct together *together, uint32_t state, bool *is_mixed)
{
    uint32_t count;
    const struct pepa_step *steps = steps_of(together, state, &count);
    double sum = 0;
    for (uint32_t i = 0; i < count; i++)
        if (steps[i].label == together->label) {
            double rate = steps[i].rate.is_passive ? -steps[i].rate.value : steps[i].rate.value;
            *is_mixed |= sum * rate < 0;
            sum += rate;
        }
    return sum;
}

static bool go_on(struct together *together, uint32_t state, uint32_t step, int32_t left, double chance)
{
    struct pepa_deriving *deriving = together->deriving;
    if (deriving->moves.count > MOST_MOVES)
        return too_many(deriving, together->error);
    while (state < together->automaton->states.count && !left) {
        state++;
        step = 0;
        left = state < together->automaton->states.count ? together->slots[together->group->slot + state] : 0;
    }
    if (state == together->automaton->states.count) {
        struct pepa_move *move = array_push(&deriving->moves);
        *move = (struct pepa_move){.label = together->label,
                                   .rate = together->pace * chance,
                                   .first_change = (uint32_t)deriving->changes.count,
                                   .change_count = (uint32_t)together->changes.count};
        if (together->changes.count)
            memcpy(array_push_many(&deriving->changes, together->changes.count), together->changes.data,
                   together->changes.count * sizeof(struct pepa_change));
        append(deriving, together->node, (uint32_t)deriving->moves.count - 1);
        return true;
    }
    uint32_t count, slot = together->group->slot;
    const struct pepa_step *steps = steps_of(together, state, &count);
    bool is_mixed = false;
    double sum = local_rate(together, state, &is_mixed);
    while (step < count && steps[step].label != together->label)
        step++;
    if (step == count)
        return true; /* copies are left over: not a way to split them */
    double share = (steps[step].rate.is_passive ? -steps[step].rate.value : steps[step].rate.value) / sum;
    bool is_last = true;
    for (uint32_t i = step + 1; i < count; i++)
        is_last &= steps[i].label != together->label;
    double ways = 1;
    for (int32_t moved = 0; moved <= left;
         moved++) { /* the binomials of one step after the other are multinomial */
        if (moved)
            ways *= share * (left - moved + 1) / moved;
        if (is_last && moved < left)
            continue;
        size_t before = together->changes.count;
        if (moved && steps[step].target != state) {
            *(struct pepa_change *)array_add(&together->changes) = (struct pepa_change){slot + state, -moved};
            *(struct pepa_change *)array_add(&together->changes) =
                (struct pepa_change){slot + steps[step].target, moved};
        }
        if (!go_on(together, state, step + 1, left - moved, chance * ways))
            return false;
        together->changes.count = before;
    }
    return true;
}

static bool move_together(struct pepa_deriving *deriving, uint32_t node, const struct pepa_group *group,
                          const int32_t *slots, uint32_t action, struct error *error)
{
    struct together together = {.deriving = deriving,
                                .group = group,
                                .automaton = PEPA_AUTOMATON(deriving->structure, group->automaton),
                                .slots = slots,
                                .label = 2 * action,
                                .node = node,
                                .changes = ARRAY_OF(struct pepa_change),
                                .error = error};
    double active = INFINITY, passive = INFINITY;
    bool is_mixed = false, has_all = true;
    if (together.automaton->states.count > MOST_TOGETHER)
        return error_set(error, deriving->structure->model->path,
                         "replicas that cooperate with each other may have %d local states at most",
                         MOST_TOGETHER);
    for (uint32_t i = 0; i < together.automaton->states.count && has_all; i++) {
        if (!slots[group->slot + i])
            continue;
        double rate = local_rate(&together, i, &is_mixed);
        has_all = rate != 0;
        active = rate > 0 && rate < active ? rate : active;
        passive = rate < 0 && -rate < passive ? -rate : passive;
    }
    if (!has_all)
        return true;
    if (is_mixed)
        return mixed(deriving, together.label, slots, error);
    together.pace = isinf(active) ? -passive : active;
    bool is_fine = go_on(&together, 0, 0, slots[group->slot], 1);
    array_free(&together.changes);
    return is_fine;
}

static bool move_group(struct pepa_deriving *deriving, uint32_t node, const struct pepa_group *group,
                       const int32_t *slots, struct error *error)
{
    const struct pepa_structure *structure = deriving->structure;
    const struct pepa_automaton *automaton = PEPA_AUTOMATON(structure, group->automaton);
    bool is_single = group->count == 1;
    uint32_t first = is_single ? (uint32_t)slots[group->slot] : 0,
             last = is_single ? first + 1 : (uint32_t)automaton->states.count;
    for (uint32_t i = first; i < last; i++) {
        int32_t copies = is_single ? 1 : slots[group->slot + i];
        const struct pepa_local_state *state = ARRAY_AT(struct pepa_local_state, &automaton->states, i);
        for (uint32_t k = 0; copies && k < state->step_count; k++) {
            const struct pepa_step *step =
                ARRAY_AT(struct pepa_step, &automaton->steps, state->first_step + k);
            if (is_single || !group->set_count ||
                !is_in_set(structure, group->set, group->set_count, step->label))
                add_step(deriving, node, group, i, copies, step);
        }
    }
    for (uint32_t i = 0; !is_single && i < group->set_count; i++)
        if (!move_together(deriving, node, group, slots,
                           *ARRAY_AT(uint32_t, &structure->sets, group->set + i), error))
            return false;
    return true;
}

/* Takes the moves of one side apart: those of the set go to their shares, the rest to the node. */
static bool sort_side(struct pepa_deriving *deriving, uint32_t node, uint32_t child, unsigned side,
                      const int32_t *slots, struct error *error)
{
    for (uint32_t move = deriving->heads[child], next; move != pepa_NONE; move = next) {
        struct pepa_move *found = PEPA_MOVE(deriving, move);
        uint32_t share = found->label % 2 ? 0 : deriving->share_of[found->label / 2];
        next = found->next;
        if (!share) {
            append(deriving, node, move);
            continue;
        }
        struct pepa_share *at = &deriving->shares[share - 1];
        if (at->sum[side] * found->rate < 0)
            return mixed(deriving, found->label, slots, error);
        at->sum[side] += found->rate;
        found->next = at->first[side];
        at->first[side] = move;
    }
    return true;
}

static bool pair(struct pepa_deriving *deriving, uint32_t node, const struct pepa_share *share,
                 struct error *error)
{
    double left_sum = share->sum[0], right_sum = share->sum[1], pace;
    if (left_sum < 0 && right_sum < 0)
        pace = fmax(left_sum, right_sum); /* both negative: the smaller weight */
    else
        pace = left_sum < 0 ? right_sum : right_sum < 0 ? left_sum : fmin(left_sum, right_sum);
    for (uint32_t one = share->first[0]; one != pepa_NONE; one = PEPA_MOVE(deriving, one)->next)
        for (uint32_t other = share->first[1]; other != pepa_NONE; other = PEPA_MOVE(deriving, other)->next) {
            if (deriving->moves.count > MOST_MOVES)
                return too_many(deriving, error);
            struct pepa_move left = *PEPA_MOVE(deriving, one), right = *PEPA_MOVE(deriving, other);
            uint32_t first = (uint32_t)deriving->changes.count;
            struct pepa_change *changes =
                array_push_many(&deriving->changes, left.change_count + right.change_count);
            if (left.change_count)
                memcpy(changes, ARRAY_AT(struct pepa_change, &deriving->changes, left.first_change),
                       left.change_count * sizeof *changes);
            if (right.change_count)
                memcpy(changes + left.change_count,
                       ARRAY_AT(struct pepa_change, &deriving->changes, right.first_change),
                       right.change_count * sizeof *changes);
            struct pepa_move *move = array_push(&deriving->moves);
            *move = (struct pepa_move){.label = left.label,
                                       .rate = left.rate / left_sum * (right.rate / right_sum) * pace,
                                       .first_change = first,
                                       .change_count = left.change_count + right.change_count};
            append(deriving, node, (uint32_t)deriving->moves.count - 1);
        }
    return true;
}

static void join(struct pepa_deriving *deriving, uint32_t node, uint32_t left, uint32_t right)
{
    deriving->heads[node] = deriving->heads[left];
    deriving->tails[node] = deriving->tails[left];
    if (deriving->heads[right] == pepa_NONE)
        return;
    if (deriving->heads[node] == pepa_NONE)
        deriving->heads[node] = deriving->heads[right];
    else
        PEPA_MOVE(deriving, deriving->tails[node])->next = deriving->heads[right];
    deriving->tails[node] = deriving->tails[right];
}

static bool cooperate(struct pepa_deriving *deriving, uint32_t index, const struct pepa_node *node,
                      const int32_t *slots, struct error *error)
{
    const uint32_t *set = ARRAY_AT(uint32_t, &deriving->structure->sets, node->set);
    if (!node->set_count) {
        join(deriving, index, node->left, node->right);
        return true;
    }
    for (uint32_t i = 0; i < node->set_count; i++) {
        deriving->shares[i] = (struct pepa_share){{pepa_NONE, pepa_NONE}, {0, 0}};
        deriving->share_of[set[i]] = i + 1;
    }
    bool is_fine = sort_side(deriving, index, node->left, 0, slots, error) &&
                   sort_side(deriving, index, node->right, 1, slots, error);
    for (uint32_t i = 0; i < node->set_count; i++) {
        deriving->share_of[set[i]] = 0;
        const struct pepa_share *share = &deriving->shares[i];
        if (is_fine && share->first[0] != pepa_NONE && share->first[1] != pepa_NONE)
            is_fine = pair(deriving, index, share, error);
    }
    return is_fine;
}

static void hide(struct pepa_deriving *deriving, uint32_t index, const struct pepa_node *node)
{
    deriving->heads[index] = deriving->heads[node->left];
    deriving->tails[index] = deriving->tails[node->left];
    for (uint32_t move = deriving->heads[index]; move != pepa_NONE; move = PEPA_MOVE(deriving, move)->next)
        if (is_in_set(deriving->structure, node->set, node->set_count, PEPA_MOVE(deriving, move)->label))
            PEPA_MOVE(deriving, move)->label |= 1;
}

bool pepa_derive(struct pepa_deriving *deriving, const int32_t *slots, uint32_t *first, struct error *error)
{
    const struct array *nodes = &deriving->structure->nodes;
    deriving->moves.count = deriving->changes.count = 0;
    for (uint32_t i = 0; i < nodes->count; i++) {
        const struct pepa_node *node = ARRAY_AT(struct pepa_node, nodes, i);
        bool is_fine = true;
        deriving->heads[i] = deriving->tails[i] = pepa_NONE;
        if (node->kind == pepa_NAME)
            is_fine = move_group(deriving, i, PEPA_GROUP(deriving->structure, node->group), slots, error);
        else if (node->kind == pepa_HIDING)
            hide(deriving, i, node);
        else
            is_fine = cooperate(deriving, i, node, slots, error);
        if (!is_fine)
            return false;
    }
    *first = deriving->heads[nodes->count - 1];
    return true;
}

void pepa_deriving_begin(struct pepa_deriving *deriving, const struct pepa_structure *structure)
{
    size_t nodes = structure->nodes.count, actions = structure->model->actions.count;
    *deriving = (struct pepa_deriving){.structure = structure,
                                       .moves = ARRAY_OF(struct pepa_move),
                                       .changes = ARRAY_OF(struct pepa_change),
                                       .heads = memory_get(nodes * sizeof(uint32_t)),
                                       .tails = memory_get(nodes * sizeof(uint32_t)),
                                       .shares = memory_get((actions + 1) * sizeof(struct pepa_share)),
                                       .share_of = memory_get((actions + 1) * sizeof(uint32_t))};
}

void pepa_deriving_end(struct pepa_deriving *deriving)
{
    array_free(&deriving->moves);
    array_free(&deriving->changes);
    free(deriving->heads);
    free(deriving->tails);
    free(deriving->shares);
    free(deriving->share_of);
}
