/* Trampolines of x86-64: actions (x86_actions.c) and moved instructions (x86_moves.c) in the order of
   the window, a jump back, and after it what is needed rarely (asides).

   Asides refer to each other's places by 4 bytes that are connected when the aside is written.  Literals
   (addresses of the runtime) are shared by all trampolines of the module and follow the last one. */
#include "run/probe/trampoline/x86.h"

#include <string.h>

enum { ALIGNMENT = 16, NO_OPERATION = 0x90 };

void x86_add_fix(struct x86_trampoline *trampoline, uint32_t at, enum probe_fix_kind kind, int addend,
                 uint64_t target)
{
    *(struct probe_plan_fix *)array_push(&trampoline->trampolines->fixes) = (struct probe_plan_fix){
        .at = at, .kind = (uint16_t)kind, .addend = (int16_t)addend, .target = target};
}

struct x86_aside *x86_add_aside(struct x86_trampoline *trampoline, enum x86_aside_kind kind, uint32_t at)
{
    struct x86_aside *aside = array_add(&trampoline->asides);
    aside->kind = (uint8_t)kind;
    aside->at = at;
    return aside;
}

/* Points with an action: one that only says how a branch goes has none. */
struct x86_places x86_points(const struct x86_trampoline *trampoline, const struct probe_moved *moved,
                             uint8_t where)
{
    const struct probe_point *points =
        ARRAY_AT(struct probe_point, &trampoline->windows->points, moved->first_point);
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

void x86_lead_to_target(struct x86_trampoline *trampoline, uint32_t at, const struct probe_moved *moved)
{
    if (moved->past_entry)
        *(struct probe_pending *)array_push(&trampoline->trampolines->pending) =
            (struct probe_pending){.at = at, .window = moved->past_entry - 1, .target = moved->target};
    else
        x86_add_fix(trampoline, at, PROBE_FIX_RELATIVE32, 0, moved->target);
}

static void call_runtime(struct x86_trampoline *trampoline, enum probe_entry entry)
{
    enum { CALL = 2 };
    uint32_t at = x86_with_relative(trampoline->code, (struct x86_opcode){.code = 0xff}, CALL);
    *(struct probe_literal *)array_push(&trampoline->trampolines->literals) =
        (struct probe_literal){.at = at, .kind = PROBE_FIX_RUNTIME64, .target = entry};
}

/* The slots of the group and the red zone lie in the 128 bytes below rsp. */
static void call_below(struct x86_trampoline *trampoline, enum probe_entry entry)
{
    enum { RED_ZONE = 128 };
    x86_with_memory(trampoline->code, x86_lea, X86_RSP, x86_at(X86_RSP, -RED_ZONE));
    call_runtime(trampoline, entry);
    x86_with_memory(trampoline->code, x86_lea, X86_RSP, x86_at(X86_RSP, RED_ZONE));
}

static void put_aside(struct x86_trampoline *trampoline, struct x86_aside aside)
{
    struct array *code = trampoline->code;
    x86_connect(code, aside.at, (uint32_t)code->count);
    switch (aside.kind) {
    case X86_ASIDE_FULL:
        call_below(trampoline, PROBE_ENTRY_FULL);
        break;
    case X86_ASIDE_TALLY:
        x86_move_constant32(code, X86_RCX, (uint32_t)aside.value);
        call_below(trampoline, PROBE_ENTRY_TALLY);
        break;
    case X86_ASIDE_TAKEN: {
        struct x86_places places = x86_points(trampoline, aside.moved, PROBE_TAKEN);
        x86_act(trampoline, places.points, places.count);
        x86_lead_to_target(trampoline, x86_jump(code), aside.moved);
        return;
    }
    case X86_ASIDE_CONSTANT:
        x86_word64(code, aside.value);
        return;
    }
    x86_connect(code, x86_jump(code), aside.back);
}

/* Entry actions come first; a branch past the entry goes after them. */
static void put_before(struct x86_trampoline *trampoline, const struct probe_moved *moved)
{
    struct x86_places places = x86_points(trampoline, moved, PROBE_BEFORE);
    uint32_t entries = 0;
    while (entries < places.count && places.points[entries].is_entry)
        entries++;
    x86_act(trampoline, places.points, entries);
    if (moved == trampoline->window->moved) {
        struct array *past = &trampoline->trampolines->past_entries;
        *ARRAY_AT(uint32_t, past, past->count - 1) = (uint32_t)trampoline->code->count;
    }
    x86_act(trampoline, places.points + entries, places.count - entries);
}

static bool can_encode(const struct probe_windows *windows, const struct probe_window *window)
{
    for (unsigned i = 0; i < window->moved_count; i++) {
        const struct probe_moved *moved = &window->moved[i];
        if (!x86_can_move(moved))
            return false;
        for (uint32_t j = 0; j < moved->point_count; j++) {
            const struct probe_point *point =
                ARRAY_AT(struct probe_point, &windows->points, moved->first_point + j);
            if (!point->is_past_entry && !x86_can_act(&point->action))
                return false;
        }
    }
    return true;
}

static bool encode(struct probe_trampolines *trampolines, const struct probe_windows *windows,
                   const struct probe_window *window)
{
    if (!can_encode(windows, window))
        return false;
    struct x86_trampoline trampoline = {.trampolines = trampolines,
                                        .code = &trampolines->code,
                                        .windows = windows,
                                        .window = window,
                                        .asides = ARRAY_OF(struct x86_aside)};
    while (trampolines->code.count % ALIGNMENT)
        x86_byte(trampoline.code, NO_OPERATION);
    probe_trampolines_begin(trampolines, windows, window);
    for (unsigned i = 0; i < window->moved_count; i++) {
        put_before(&trampoline, &window->moved[i]);
        x86_put_moved(&trampoline, &window->moved[i]);
    }
    const struct probe_moved *last = &window->moved[window->moved_count - 1];
    if (last->flow == flow_NEXT || last->flow == flow_BRANCH || last->flow == flow_SYSTEM)
        x86_add_fix(&trampoline, x86_jump(trampoline.code), PROBE_FIX_RELATIVE32, 0,
                    last->address + last->size);
    for (size_t i = 0; i < trampoline.asides.count; i++)
        put_aside(&trampoline, *ARRAY_AT(struct x86_aside, &trampoline.asides, i));
    array_free(&trampoline.asides);
    return true;
}

static void put_literals(struct probe_trampolines *trampolines)
{
    uint32_t places[PROBE_ENTRIES] = {0};
    for (size_t i = 0; i < trampolines->literals.count; i++) {
        const struct probe_literal *literal = ARRAY_AT(struct probe_literal, &trampolines->literals, i);
        uint32_t *place = &places[literal->target];
        if (!*place) {
            *place = (uint32_t)trampolines->code.count;
            *(struct probe_plan_fix *)array_push(&trampolines->fixes) =
                (struct probe_plan_fix){.at = *place, .kind = literal->kind, .target = literal->target};
            x86_word64(&trampolines->code, 0);
        }
        x86_connect(&trampolines->code, literal->at, *place);
    }
}

static void finish(struct probe_trampolines *trampolines)
{
    while (trampolines->code.count % ALIGNMENT)
        x86_byte(&trampolines->code, NO_OPERATION);
    put_literals(trampolines);
    for (size_t i = 0; i < trampolines->pending.count; i++) {
        const struct probe_pending *pending = ARRAY_AT(struct probe_pending, &trampolines->pending, i);
        uint32_t number = pending->window - trampolines->first_window;
        uint32_t place = number < trampolines->past_entries.count
                             ? *ARRAY_AT(uint32_t, &trampolines->past_entries, number)
                             : NO_TRAMPOLINE;
        if (place != NO_TRAMPOLINE)
            x86_connect(&trampolines->code, pending->at, place);
        else
            *(struct probe_plan_fix *)array_push(&trampolines->fixes) = (struct probe_plan_fix){
                .at = pending->at, .kind = PROBE_FIX_RELATIVE32, .target = pending->target};
    }
}

const struct trampoline_encoder x86_64_trampolines = {.isa = isa_X86_64,
                                                      .jump_bytes = 5,
                                                      .hop_bytes = 2,
                                                      .encode = encode,
                                                      .finish = finish,
                                                      .can_move = x86_can_move};
