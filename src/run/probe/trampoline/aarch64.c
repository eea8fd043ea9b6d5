/* Trampolines of AArch64.

   A trampoline is a straight way: actions before an instruction, the instruction, actions after it, and a
   branch back after the window.  After that stand its detours.  The code of a module starts with two stubs
   that call the runtime, so that a detour only saves x30 and calls a stub; there are no other literals:
   addresses of the module are made by adrp, whose reach of 4 GB contains every place that a branch can have
   come from.

   A window of more than one instruction may be given, too. */
#include "run/probe/trampoline/aarch64.h"

void aarch64_put(struct arm_writer *writer, uint32_t word)
{
    uint8_t *bytes = array_push_many(&writer->trampolines->code, 4);
    for (int i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(word >> 8 * i);
}

void aarch64_put_fixed(struct arm_writer *writer, uint32_t word, enum probe_fix_kind kind, uint64_t target)
{
    *(struct probe_plan_fix *)array_push(&writer->trampolines->fixes) =
        (struct probe_plan_fix){.at = arm_here(writer), .kind = (uint16_t)kind, .target = target};
    aarch64_put(writer, word);
}

void aarch64_put_branch(struct arm_writer *writer, uint32_t to)
{
    aarch64_put(writer, arm_branch((int32_t)(to - arm_here(writer))));
}

void aarch64_put_call(struct arm_writer *writer, uint32_t to)
{
    aarch64_put(writer, arm_call((int32_t)(to - arm_here(writer))));
}

void aarch64_put_branch_out(struct arm_writer *writer, uint64_t target)
{
    aarch64_put_fixed(writer, arm_branch(0), PROBE_FIX_BRANCH26, target);
}

void aarch64_put_place(struct arm_writer *writer, unsigned to, uint64_t target)
{
    aarch64_put_fixed(writer, arm_page(to), PROBE_FIX_PAGE21, target);
    if (target & 0xfff)
        aarch64_put(writer, arm_add_immediate(to, to, target & 0xfff, false));
}

void aarch64_put_constant(struct arm_writer *writer, unsigned to, uint64_t value)
{
    unsigned zeros = 0, ones = 0;
    for (unsigned place = 0; place < 4; place++) {
        zeros += (value >> 16 * place & 0xffff) == 0;
        ones += (value >> 16 * place & 0xffff) == 0xffff;
    }
    bool is_inverted = ones > zeros;
    uint32_t usual = is_inverted ? 0xffff : 0;
    bool is_first = true;
    for (unsigned place = 0; place < 4; place++) {
        uint32_t sixteen = value >> 16 * place & 0xffff;
        bool is_last_chance = place == 3 && is_first;
        if (sixteen == usual && !is_last_chance)
            continue;
        if (!is_first)
            aarch64_put(writer, arm_movk(to, sixteen, place));
        else
            aarch64_put(writer,
                        is_inverted ? arm_movn(to, sixteen ^ 0xffff, place) : arm_movz(to, sixteen, place));
        is_first = false;
    }
}

static bool set_distance(struct probe_trampolines *trampolines, uint32_t at, int64_t distance)
{
    uint8_t *bytes = ARRAY_AT(uint8_t, &trampolines->code, at);
    uint32_t word = bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
    if (!aarch64_set_distance(&word, distance))
        return false;
    for (int i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(word >> 8 * i);
    return true;
}

bool aarch64_aim_here(struct arm_writer *writer, uint32_t at)
{
    return set_distance(writer->trampolines, at, (int64_t)arm_here(writer) - at);
}

static void put_literal(struct arm_writer *writer, enum probe_entry entry)
{
    aarch64_put_fixed(writer, 0, PROBE_FIX_RUNTIME64, entry);
    aarch64_put(writer, 0);
}

static void put_load_literal(struct arm_writer *writer, unsigned to, uint32_t literal)
{
    aarch64_put(writer, arm_load_literal(to, (int32_t)(literal - arm_here(writer))));
}

static void put_stubs(struct arm_writer *writer)
{
    put_literal(writer, PROBE_ENTRY_FULL);
    put_literal(writer, PROBE_ENTRY_TALLY);

    aarch64_put(writer, arm_push_pair(ARM_X16, ARM_X17, 32));
    aarch64_put(writer, arm_store(ARM_X30, ARM_SP, 16));
    put_load_literal(writer, ARM_X16, 0);
    aarch64_put(writer, arm_call_register(ARM_X16));
    aarch64_put(writer, arm_load(ARM_X30, ARM_SP, 16));
    aarch64_put(writer, arm_pop_pair(ARM_X16, ARM_X17, 32));
    aarch64_put(writer, ARM_RET_X30);

    aarch64_put(writer, arm_push(ARM_X30, 16));
    put_load_literal(writer, ARM_X30, 8);
    aarch64_put(writer, arm_call_register(ARM_X30));
    aarch64_put(writer, arm_pop(ARM_X30, 16));
    aarch64_put(writer, ARM_RET_X30);
}

/* The points of a moved instruction, by place.  Entry actions are the first of those before it. */
struct places {
    uint32_t first[4], count[4];
};
enum { PLACE_ENTRY, PLACE_BEFORE, PLACE_AFTER, PLACE_TAKEN };

static struct places places_of(const struct arm_writer *writer, const struct probe_moved *moved)
{
    struct places places = {{0}, {0}};
    for (uint32_t i = 0; i < moved->point_count; i++) {
        uint32_t number = moved->first_point + i;
        const struct probe_point *point =
            ARRAY_AT(const struct probe_point, &writer->windows->points, number);
        if (point->is_past_entry)
            continue;
        unsigned place = point->where == PROBE_AFTER   ? PLACE_AFTER
                         : point->where == PROBE_TAKEN ? PLACE_TAKEN
                         : point->is_entry             ? PLACE_ENTRY
                                                       : PLACE_BEFORE;
        if (!places.count[place])
            places.first[place] = number;
        places.count[place]++;
    }
    return places;
}

static void put_place(struct arm_writer *writer, const struct places *places, unsigned place, uint32_t kept)
{
    if (places->count[place])
        aarch64_put_actions(writer, places->first[place], places->count[place], kept);
}

/* Registers that the instruction or one of its actions needs: free ones among them are not to be used by the
   other actions. */
static uint32_t registers_kept(const struct arm_writer *writer, const struct probe_moved *moved)
{
    uint32_t kept = aarch64_registers_read(aarch64_moved_word(moved));
    for (uint32_t i = 0; i < moved->point_count; i++)
        kept |= aarch64_action_registers(
            &ARRAY_AT(const struct probe_point, &writer->windows->points, moved->first_point + i)->action);
    return kept;
}

/* Registers that are free while the instruction is executed, as its points say. */
static uint32_t free_at(const struct arm_writer *writer, const struct probe_moved *moved)
{
    uint32_t free = moved->point_count ? UINT32_MAX : 0;
    for (uint32_t i = 0; i < moved->point_count; i++)
        free &= ARRAY_AT(const struct probe_point, &writer->windows->points, moved->first_point + i)
                    ->free.general;
    return free & ~registers_kept(writer, moved);
}

static void put_taken(struct arm_writer *writer, const struct probe_moved *moved)
{
    uint64_t target = aarch64_target(aarch64_moved_word(moved), moved->address);
    if (!moved->past_entry) {
        aarch64_put_branch_out(writer, target);
        return;
    }
    *(struct probe_pending *)array_push(&writer->trampolines->pending) =
        (struct probe_pending){.at = arm_here(writer), .window = moved->past_entry - 1, .target = target};
    aarch64_put(writer, arm_branch(0));
}

/* A branch backwards is taken more often than not: the way that is taken goes straight on. */
static bool is_likely(const struct probe_moved *moved)
{
    uint32_t word = aarch64_moved_word(moved);
    return aarch64_inverted(word) && aarch64_target(word, moved->address) <= moved->address;
}

/* false: the way never comes to what is behind the instruction. */
static bool put_instruction(struct arm_writer *writer, const struct probe_moved *moved, bool is_first)
{
    struct places places = places_of(writer, moved);
    uint32_t kept = registers_kept(writer, moved);
    enum arm_form form = arm_form(aarch64_moved_word(moved));
    put_place(writer, &places, PLACE_ENTRY, kept);
    if (is_first)
        *ARRAY_AT(uint32_t, &writer->trampolines->past_entries, writer->trampolines->past_entries.count - 1) =
            arm_here(writer);
    put_place(writer, &places, PLACE_BEFORE, kept);
    if (is_likely(moved)) {
        uint32_t from = arm_here(writer);
        aarch64_put(writer, aarch64_inverted(aarch64_moved_word(moved)));
        put_place(writer, &places, PLACE_TAKEN, kept);
        put_taken(writer, moved);
        aarch64_aim_here(writer, from);
        put_place(writer, &places, PLACE_AFTER, kept);
        return true;
    }
    if (form == ARM_CONDITIONAL)
        *(struct arm_detour *)array_add(writer->detours) =
            (struct arm_detour){.kind = ARM_DETOUR_TAKEN, .from = arm_here(writer), .moved = moved};
    else
        put_place(writer, &places, PLACE_TAKEN, kept);
    aarch64_put_moved(writer, moved, free_at(writer, moved));
    if (form == ARM_JUMP)
        put_taken(writer, moved);
    if (form == ARM_JUMP || form == ARM_CALL || form == ARM_LEAVING)
        return false;
    put_place(writer, &places, PLACE_AFTER, kept);
    return true;
}

static bool put_detours(struct arm_writer *writer)
{
    bool reaches = true;
    for (size_t i = 0; i < writer->detours->count; i++) {
        struct arm_detour detour = *ARRAY_AT(struct arm_detour, writer->detours, i);
        reaches &= aarch64_aim_here(writer, detour.from);
        if (detour.kind == ARM_DETOUR_TAKEN) {
            struct places places = places_of(writer, detour.moved);
            put_place(writer, &places, PLACE_TAKEN, registers_kept(writer, detour.moved));
            put_taken(writer, detour.moved);
        } else if (detour.kind == ARM_DETOUR_OCCUPIED)
            aarch64_put_occupied(writer, &detour);
        else if (detour.kind == ARM_DETOUR_FULL)
            aarch64_put_full(writer, &detour);
        else
            aarch64_put_tally(writer, &detour);
    }
    return reaches;
}

static bool can_move(const struct probe_moved *moved)
{
    return moved->size == 4 && arm_form(aarch64_moved_word(moved)) != ARM_REFUSED;
}

/* Nothing comes back from a call to the trampoline, so there is no "after" there; nor is there a way that is
   taken without a branch. */
static bool can_encode(const struct arm_writer *writer, const struct probe_window *window)
{
    for (unsigned i = 0; i < window->moved_count; i++) {
        const struct probe_moved *moved = &window->moved[i];
        if (!can_move(moved))
            return false;
        enum arm_form form = arm_form(aarch64_moved_word(moved));
        bool is_leaving = form == ARM_CALL || form == ARM_LEAVING || form == ARM_JUMP;
        struct places places = places_of(writer, moved);
        if (places.count[is_leaving ? PLACE_AFTER : PLACE_TAKEN] && form != ARM_CONDITIONAL)
            return false;
    }
    return window->moved_count != 0;
}

static bool encode(struct probe_trampolines *trampolines, const struct probe_windows *windows,
                   const struct probe_window *window)
{
    struct array detours = ARRAY_OF(struct arm_detour);
    struct arm_writer writer = {.trampolines = trampolines, .windows = windows, .detours = &detours};
    struct probe_trampolines before = *trampolines;
    if (!can_encode(&writer, window))
        return false;
    if (!trampolines->code.count)
        put_stubs(&writer);
    probe_trampolines_begin(trampolines, windows, window);
    bool goes_on = true;
    for (unsigned i = 0; i < window->moved_count; i++)
        goes_on = put_instruction(&writer, &window->moved[i], i == 0);
    const struct probe_moved *last = &window->moved[window->moved_count - 1];
    if (goes_on)
        aarch64_put_branch_out(&writer, last->address + last->size);
    bool reaches = put_detours(&writer);
    array_free(&detours);
    if (!reaches) {
        trampolines->code.count = before.code.count;
        trampolines->fixes.count = before.fixes.count;
        trampolines->starts.count = before.starts.count;
        trampolines->past_entries.count = before.past_entries.count;
        trampolines->pending.count = before.pending.count;
    }
    return reaches;
}

static void finish(struct probe_trampolines *trampolines)
{
    for (size_t i = 0; i < trampolines->pending.count; i++) {
        const struct probe_pending *pending = ARRAY_AT(const struct probe_pending, &trampolines->pending, i);
        uint32_t window = pending->window - trampolines->first_window;
        uint32_t to = window < trampolines->past_entries.count
                          ? *ARRAY_AT(uint32_t, &trampolines->past_entries, window)
                          : NO_TRAMPOLINE;
        if (to != NO_TRAMPOLINE)
            set_distance(trampolines, pending->at, (int64_t)to - pending->at);
        else
            *(struct probe_plan_fix *)array_push(&trampolines->fixes) = (struct probe_plan_fix){
                .at = pending->at, .kind = PROBE_FIX_BRANCH26, .target = pending->target};
    }
    trampolines->pending.count = 0;
}

const struct trampoline_encoder aarch64_trampolines = {
    .isa = isa_AARCH64, .jump_bytes = 4, .encode = encode, .finish = finish, .can_move = can_move};
