/* Which patches can be taken back while the program runs, once the tally that they serve has seen enough.

   A patch serves one tally alone if all points of its window are that tally's subject's.  All ends of the
   loop have to be such: an end that stays would count with a word that nobody keeps any more.  Where one is
   not, the tally counts on.  Entries and steps may stay: they change nothing that is read. */
#include "run/probe/plan/parts.h"

enum { HOP_JUMP_BYTES = 2 };

static const struct probe_point *point_at(const struct probe_plan *plan, uint32_t number)
{
    return ARRAY_AT(struct probe_point, &plan->windows.points, number);
}

struct served {
    bool is_served, is_alone, has_end;
};

/* What a window does for a subject. */
static struct served served_by(const struct probe_plan *plan, const struct probe_window *window,
                               uint32_t subject)
{
    struct served served = {.is_alone = true};
    for (unsigned i = 0; i < window->moved_count; i++)
        for (uint32_t k = 0; k < window->moved[i].point_count; k++) {
            const struct probe_point *point = point_at(plan, window->moved[i].first_point + k);
            bool is_own = point->subject == subject;
            served.is_served |= is_own;
            served.is_alone &= is_own;
            served.has_end |= is_own && point->action.kind == PROBE_DO_TALLY;
        }
    return served;
}

/* x86: the jump of another window lies in the bytes that this one leaves over. */
static bool hosts_hop(const struct probe_plan *plan, const struct probe_window *host)
{
    for (size_t i = 0; i < plan->windows.windows.count; i++) {
        const struct probe_window *window = ARRAY_AT(struct probe_window, &plan->windows.windows, i);
        uint64_t jump = window->address + HOP_JUMP_BYTES + (uint64_t)(int64_t)window->hop;
        if (window->hop && window->program == host->program && jump < host->address + host->size &&
            jump + PROBE_HOP_BYTES > host->address)
            return true;
    }
    return false;
}

static bool can_be_taken_back(const struct probe_plan *plan, const struct probe_window *window)
{
    return window->way == PROBE_BY_JUMP && window->size <= PROBE_PATCH_BYTES && !hosts_hop(plan, window);
}

static bool have_own_ends(const struct probe_plan *plan, uint32_t subject)
{
    bool has_end = false;
    for (size_t i = 0; i < plan->windows.windows.count; i++) {
        const struct probe_window *window = ARRAY_AT(struct probe_window, &plan->windows.windows, i);
        struct served served = served_by(plan, window, subject);
        has_end |= served.has_end;
        if (served.has_end && (!served.is_alone || !can_be_taken_back(plan, window)))
            return false;
    }
    return has_end;
}

static void switch_windows(struct probe_plan *plan, uint32_t subject, uint32_t tally)
{
    for (size_t i = 0; i < plan->windows.windows.count; i++) {
        struct probe_window *window = ARRAY_AT(struct probe_window, &plan->windows.windows, i);
        struct served served = served_by(plan, window, subject);
        if (!served.is_served || !served.is_alone || !can_be_taken_back(plan, window))
            continue;
        window->switching = served.has_end ? PROBE_SWITCHED_FIRST : PROBE_SWITCHED_LAST;
        window->tally = tally;
    }
}

static void count_on(struct probe_plan *plan, struct probe_plan_tally *tally)
{
    tally->enough_bits = tally->enough_sum_bits = 0;
    for (size_t i = 0; i < plan->windows.points.count; i++) {
        struct probe_point *point = ARRAY_AT(struct probe_point, &plan->windows.points, i);
        if (point->subject == tally->subject)
            point->action.enough_bits = point->action.enough_sum_bits = 0;
    }
}

void probe_plan_switches(struct probe_plan *plan)
{
    for (size_t i = 0; i < plan->tallies.count; i++) {
        struct probe_plan_tally *tally = ARRAY_AT(struct probe_plan_tally, &plan->tallies, i);
        if (!tally->enough_bits && !tally->enough_sum_bits)
            continue;
        if (i < PROBE_MOST_SWITCHED && have_own_ends(plan, tally->subject))
            switch_windows(plan, tally->subject, (uint32_t)i);
        else
            count_on(plan, tally);
    }
}
