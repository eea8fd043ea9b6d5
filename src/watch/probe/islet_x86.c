/* Islets of x86-64: actions (islet_x86_actions.c) and moved instructions (islet_x86_moves.c) in the order of
   the window, a jump back, and after it what is needed rarely (asides).

   Asides refer to each other's places by 4 bytes that are connected when the aside is written.  Literals
   (addresses of the runtime) are shared by all islets of the module and follow the last one. */
#include "watch/probe/islet_x86.h"

#include <string.h>

enum { ALIGNMENT = 16, NO_OPERATION = 0x90 };

void x86_add_fix(struct x86_islet *islet, uint32_t at, enum probe_fix_kind kind, int addend, uint64_t target)
{
    *(struct probe_plan_fix *)array_push(&islet->islets->fixes) = (struct probe_plan_fix){
        .at = at, .kind = (uint16_t)kind, .addend = (int16_t)addend, .target = target};
}

struct x86_aside *x86_add_aside(struct x86_islet *islet, enum x86_aside_kind kind, uint32_t at)
{
    struct x86_aside *aside = array_add(&islet->asides);
    aside->kind = (uint8_t)kind;
    aside->at = at;
    return aside;
}

/* Points with an action: one that only says how a branch goes has none. */
struct x86_places x86_points(const struct x86_islet *islet, const struct watch_moved *moved, uint8_t where)
{
    const struct watch_point *points =
        ARRAY_AT(struct watch_point, &islet->windows->points, moved->first_point);
    struct x86_places found = {0};
    for (uint32_t i = 0; i < moved->point_count; i++) {
        if (points[i].where != where || points[i].is_past_entry)
            continue;
        if (!found.count)
            found.points = &points[i];
        found.count++;
    }
    return found;
}

void x86_lead_to_target(struct x86_islet *islet, uint32_t at, const struct watch_moved *moved)
{
    if (moved->past_entry)
        *(struct watch_pending *)array_push(&islet->islets->pending) =
            (struct watch_pending){.at = at, .window = moved->past_entry - 1, .target = moved->target};
    else
        x86_add_fix(islet, at, PROBE_FIX_RELATIVE32, 0, moved->target);
}

static void call_runtime(struct x86_islet *islet, enum probe_entry entry)
{
    enum { CALL = 2 };
    uint32_t at = x86_with_relative(islet->code, (struct x86_opcode){.code = 0xff}, CALL);
    *(struct watch_literal *)array_push(&islet->islets->literals) =
        (struct watch_literal){.at = at, .kind = PROBE_FIX_RUNTIME64, .target = entry};
}

/* The slots of the group and the red zone lie in the 128 bytes below rsp. */
static void call_below(struct x86_islet *islet, enum probe_entry entry)
{
    enum { RED_ZONE = 128 };
    x86_with_memory(islet->code, x86_lea, X86_RSP, x86_at(X86_RSP, -RED_ZONE));
    call_runtime(islet, entry);
    x86_with_memory(islet->code, x86_lea, X86_RSP, x86_at(X86_RSP, RED_ZONE));
}

static void put_aside(struct x86_islet *islet, struct x86_aside aside)
{
    struct array *code = islet->code;
    x86_connect(code, aside.at, (uint32_t)code->count);
    switch (aside.kind) {
    case X86_ASIDE_FULL:
        call_below(islet, PROBE_ENTRY_FULL);
        break;
    case X86_ASIDE_TALLY:
        x86_move_constant32(code, X86_RCX, (uint32_t)aside.value);
        call_below(islet, PROBE_ENTRY_TALLY);
        break;
    case X86_ASIDE_TAKEN: {
        struct x86_places places = x86_points(islet, aside.moved, WATCH_TAKEN);
        x86_act(islet, places.points, places.count);
        x86_lead_to_target(islet, x86_jump(code), aside.moved);
        return;
    }
    case X86_ASIDE_CONSTANT:
        x86_word64(code, aside.value);
        return;
    }
    x86_connect(code, x86_jump(code), aside.back);
}

/* Entry actions come first; a branch past the entry goes after them. */
static void put_before(struct x86_islet *islet, const struct watch_moved *moved)
{
    struct x86_places places = x86_points(islet, moved, WATCH_BEFORE);
    uint32_t entries = 0;
    while (entries < places.count && places.points[entries].is_entry)
        entries++;
    x86_act(islet, places.points, entries);
    if (moved == islet->window->moved) {
        struct array *past = &islet->islets->past_entries;
        *ARRAY_AT(uint32_t, past, past->count - 1) = (uint32_t)islet->code->count;
    }
    x86_act(islet, places.points + entries, places.count - entries);
}

static bool can_encode(const struct watch_windows *windows, const struct watch_window *window)
{
    for (unsigned i = 0; i < window->moved_count; i++) {
        const struct watch_moved *moved = &window->moved[i];
        if (!x86_can_move(moved))
            return false;
        for (uint32_t j = 0; j < moved->point_count; j++) {
            const struct watch_point *point =
                ARRAY_AT(struct watch_point, &windows->points, moved->first_point + j);
            if (!point->is_past_entry && !x86_can_act(&point->action))
                return false;
        }
    }
    return true;
}

static bool encode(struct watch_islets *islets, const struct watch_windows *windows,
                   const struct watch_window *window)
{
    if (!can_encode(windows, window))
        return false;
    struct x86_islet islet = {.islets = islets,
                              .code = &islets->code,
                              .windows = windows,
                              .window = window,
                              .asides = ARRAY_OF(struct x86_aside)};
    while (islets->code.count % ALIGNMENT)
        x86_byte(islet.code, NO_OPERATION);
    watch_islets_begin(islets, windows, window);
    for (unsigned i = 0; i < window->moved_count; i++) {
        put_before(&islet, &window->moved[i]);
        x86_put_moved(&islet, &window->moved[i]);
    }
    const struct watch_moved *last = &window->moved[window->moved_count - 1];
    if (last->flow == flow_NEXT || last->flow == flow_BRANCH || last->flow == flow_SYSTEM)
        x86_add_fix(&islet, x86_jump(islet.code), PROBE_FIX_RELATIVE32, 0, last->address + last->size);
    for (size_t i = 0; i < islet.asides.count; i++)
        put_aside(&islet, *ARRAY_AT(struct x86_aside, &islet.asides, i));
    array_free(&islet.asides);
    return true;
}

static void put_literals(struct watch_islets *islets)
{
    uint32_t places[PROBE_ENTRIES] = {0};
    for (size_t i = 0; i < islets->literals.count; i++) {
        const struct watch_literal *literal = ARRAY_AT(struct watch_literal, &islets->literals, i);
        uint32_t *place = &places[literal->target];
        if (!*place) {
            *place = (uint32_t)islets->code.count;
            *(struct probe_plan_fix *)array_push(&islets->fixes) =
                (struct probe_plan_fix){.at = *place, .kind = literal->kind, .target = literal->target};
            x86_word64(&islets->code, 0);
        }
        x86_connect(&islets->code, literal->at, *place);
    }
}

static void finish(struct watch_islets *islets)
{
    while (islets->code.count % ALIGNMENT)
        x86_byte(&islets->code, NO_OPERATION);
    put_literals(islets);
    for (size_t i = 0; i < islets->pending.count; i++) {
        const struct watch_pending *pending = ARRAY_AT(struct watch_pending, &islets->pending, i);
        uint32_t number = pending->window - islets->first_window;
        uint32_t place = number < islets->past_entries.count
                             ? *ARRAY_AT(uint32_t, &islets->past_entries, number)
                             : NO_ISLET;
        if (place != NO_ISLET)
            x86_connect(&islets->code, pending->at, place);
        else
            *(struct probe_plan_fix *)array_push(&islets->fixes) = (struct probe_plan_fix){
                .at = pending->at, .kind = PROBE_FIX_RELATIVE32, .target = pending->target};
    }
}

const struct islet_encoder x86_64_islets = {.isa = isa_X86_64,
                                            .jump_bytes = 5,
                                            .hop_bytes = 2,
                                            .encode = encode,
                                            .finish = finish,
                                            .can_move = x86_can_move};
