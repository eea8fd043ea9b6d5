/* How many probes were put into which file, and how: what the plan wanted, and what the runtime did.

   The runtime reports numbers for each file, not places.  It may put in fewer jumps than planned (code that
   was not as in the file) or traps instead of jumps (no memory within reach), and never anything better. */
#include "run/probe/recording/rows.h"

#include <stdlib.h>

enum { REASONS = probe_reason_NOT_LOADED + 1, WAYS = probe_way_NONE + 1 };

struct placing {
    uint64_t count[WAYS][REASONS];
    uint32_t instruction[WAYS][REASONS]; /* one of them */
};

static enum probe_reason reason_of(uint8_t refusal)
{
    static const uint8_t reasons[] = {
        [PROBE_NOT_REFUSED] = probe_reason_NONE,
        [PROBE_REFUSED_SMALL] = probe_reason_SMALL,
        [PROBE_REFUSED_UNKNOWN_JUMPS] = probe_reason_UNKNOWN_JUMPS,
        [PROBE_REFUSED_FAR] = probe_reason_FAR,
        [PROBE_REFUSED_NOT_MOVABLE] = probe_reason_NOT_MOVABLE,
        [PROBE_REFUSED_EXCLUSIVE] = probe_reason_EXCLUSIVE,
        [PROBE_REFUSED_NO_CODE] = probe_reason_NO_CODE,
        [PROBE_REFUSED_NO_PLACE] = probe_reason_NO_PLACE,
        [PROBE_REFUSED_NO_VALUE] = probe_reason_NO_VALUE,
    };
    return refusal < sizeof reasons ? reasons[refusal] : probe_reason_NO_PLACE;
}

static void count_place(struct placing *placing, enum probe_way way, enum probe_reason reason,
                        uint32_t instruction)
{
    if (!placing->count[way][reason]++)
        placing->instruction[way][reason] = instruction;
}

/* Moves up to `count` places to another way and reason; returns how many were left. */
static uint64_t move(struct placing *placing, uint64_t count, enum probe_way from, enum probe_reason why,
                     enum probe_way to, enum probe_reason reason)
{
    uint64_t moved = count < placing->count[from][why] ? count : placing->count[from][why];
    if (moved && !placing->count[to][reason])
        placing->instruction[to][reason] = placing->instruction[from][why];
    placing->count[from][why] -= moved;
    placing->count[to][reason] += moved;
    return count - moved;
}

static uint32_t instruction_of(const struct probe_plan *plan, const struct probe_window *window)
{
    for (unsigned i = 0; i < window->moved_count; i++)
        if (window->moved[i].point_count)
            return ARRAY_AT(struct probe_point, &plan->windows.points, window->moved[i].first_point)
                ->instruction;
    return 0;
}

static void count_planned(struct placing *placing, const struct probe_plan *plan,
                          const struct probe_made_module *module)
{
    for (uint32_t i = 0; i < module->window_count; i++) {
        const struct probe_window *window =
            ARRAY_AT(struct probe_window, &plan->windows.windows, module->first_window + i);
        uint32_t instruction = instruction_of(plan, window);
        if (!instruction) /* it gives room to the jump of another */
            continue;
        if (window->way == PROBE_BY_JUMP)
            count_place(placing, probe_way_JUMP, probe_reason_NONE, instruction);
        else
            count_place(placing, probe_way_TRAP, reason_of(window->refusal), instruction);
    }
}

/* All that was planned was not done, for one reason. */
static void move_all(struct placing *placing, enum probe_reason reason)
{
    for (unsigned way = 0; way < probe_way_NONE; way++)
        for (unsigned why = 0; why < REASONS; why++)
            move(placing, UINT64_MAX, way, why, probe_way_NONE, reason);
}

static uint64_t least(uint64_t left, uint64_t right)
{
    return left < right ? left : right;
}

static void apply(struct placing *placing, const struct probe_module *module)
{
    uint64_t traps = 0;
    for (unsigned why = 0; why < REASONS; why++)
        traps += placing->count[probe_way_TRAP][why];
    if (!module)
        move_all(placing, probe_reason_NOT_LOADED);
    else if (module->placing == PROBE_OTHER_BUILD)
        move_all(placing, probe_reason_OTHER_BUILD);
    else if ((module->placing == PROBE_NO_ROOM || module->placing == PROBE_NOT_WRITABLE) && !module->jumps &&
             !module->traps)
        move_all(placing, probe_reason_NO_MEMORY);
    if (!module)
        return;
    if (module->traps > traps) /* instead of jumps */
        move(placing, module->traps - traps, probe_way_JUMP, probe_reason_NONE, probe_way_TRAP,
             probe_reason_FAR);
    uint64_t jumps = placing->count[probe_way_JUMP][probe_reason_NONE];
    uint64_t without_jump = least(module->left_out, jumps - least(jumps, module->jumps));
    move(placing, without_jump, probe_way_JUMP, probe_reason_NONE, probe_way_NONE, probe_reason_OTHER_BYTES);
    uint64_t left = module->left_out - without_jump;
    enum probe_reason reason =
        module->placing == PROBE_NO_TRAPS ? probe_reason_NO_TRAPS : probe_reason_OTHER_BYTES;
    for (unsigned why = 0; why < REASONS; why++)
        left = move(placing, left, probe_way_TRAP, why, probe_way_NONE, reason);
}

static const struct probe_module *loaded(const struct recorded *recorded, size_t module)
{
    for (size_t i = 0; i < recorded->modules.count; i++) {
        const struct probe_module *it = ARRAY_AT(struct probe_module, &recorded->modules, i);
        if (it->module == module)
            return it;
    }
    return NULL;
}

static void add_rows(struct recorded_rows *rows, uint32_t program, const struct placing *placing)
{
    for (unsigned way = 0; way < WAYS; way++)
        for (unsigned reason = 0; reason < REASONS; reason++)
            if (placing->count[way][reason])
                *(struct probe_placement *)model_add(&rows->model->probe_placements) =
                    (struct probe_placement){.run = rows->run,
                                             .program = program,
                                             .way = (uint8_t)way,
                                             .reason = (uint8_t)reason,
                                             .count = placing->count[way][reason],
                                             .instruction = placing->instruction[way][reason]};
}

void recorded_add_placements(struct recorded_rows *rows)
{
    const struct probe_plan *plan = rows->plan;
    uint32_t programs = (uint32_t)rows->model->programs.count;
    struct placing *placings = memory_get(programs * sizeof *placings);
    for (size_t i = 0; i < plan->modules.count; i++) {
        const struct probe_made_module *module = ARRAY_AT(struct probe_made_module, &plan->modules, i);
        count_planned(&placings[module->program], plan, module);
        apply(&placings[module->program], loaded(rows->recorded, i));
    }
    for (size_t i = 0; i < plan->refused.count; i++) {
        const struct probe_refused *refused = ARRAY_AT(struct probe_refused, &plan->refused, i);
        const struct probe_subject *subject =
            ARRAY_AT(struct probe_subject, &plan->subjects, refused->subject);
        count_place(&placings[subject->program], probe_way_NONE, reason_of(refused->refusal),
                    refused->instruction);
    }
    for (uint32_t program = 1; program < programs; program++)
        add_rows(rows, program, &placings[program]);
    free(placings);
}
