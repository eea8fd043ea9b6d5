/* A rank on its way through the code of a model.

   There is one stack of numbers and one of frames, both on the heap, so that neither a recurrence over 65,536
   ranks nor a hostile model can exhaust the process's own stack. Values that depend on parameters alone are
   computed by whoever needs them first, and kept in the model. */
#include "plan/modelling/language/code.h"
#include "plan/modelling/language/walker_math.h"

#include "base/interrupt.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FRAMES = 4 << 20, MOST_STEPS = 100000000, NO_RANK = -1 };

struct frame {
    struct symbol *symbol;
    uint32_t at;     /* the next instruction */
    uint32_t base;   /* of its slots on the stack */
    int64_t element; /* of the symbol's values that the result becomes; -1: none */
};

struct walker {
    const struct language_model *model;
    int32_t rank, ranks;
    uint32_t size, capacity, frame_count, frame_capacity;
    double *stack;
    struct frame *frames;
    uint64_t seed, drawn, drawn_alike;
    uint32_t steps;
    uint32_t kept; /* frames whose result is kept */
    bool has_failed;
    double received[2]; /* the sender of the last message, the number in it */
};

static bool fail(struct walker *walker, struct place place, struct error *error, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static bool fail(struct walker *walker, struct place place, struct error *error, const char *format, ...)
{
    char text[400], on_rank[40] = "";
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (walker->rank != NO_RANK && walker->ranks > 1)
        snprintf(on_rank, sizeof on_rank, " (on rank %d)", walker->rank);
    char *where = language_where(walker->model, place);
    error_set(error, where, "%s%s", text, on_rank);
    free(where);
    /* What was begun is not known, and must not look like a circle to others. */
    for (uint32_t i = 0; i < walker->frame_count; i++)
        if (walker->frames[i].element >= 0 && walker->frames[i].symbol->states)
            walker->frames[i].symbol->states[walker->frames[i].element] = memo_UNKNOWN;
    walker->has_failed = true;
    return false;
}

static void push(struct walker *walker, double number)
{
    if (walker->size == walker->capacity) {
        uint32_t capacity = walker->capacity ? walker->capacity * 2 : 24;
        walker->stack = memory_grow(walker->stack, walker->capacity * sizeof *walker->stack,
                                    capacity * sizeof *walker->stack);
        walker->capacity = capacity;
    }
    walker->stack[walker->size++] = number;
}

static double pop(struct walker *walker)
{
    return walker->stack[--walker->size];
}

static bool step(struct walker *walker, struct place place, struct error *error)
{
    uint32_t most = walker->model->most_steps ? walker->model->most_steps : MOST_STEPS;
    if (!(++walker->steps & 0xfffff) && interrupt_came())
        return fail(walker, place, error, "stopped by Ctrl-C in this statement");
    if (walker->steps <= most)
        return true;
    return fail(walker, place, error,
                "more than %u million steps: is a loop's bound or a recursion right? (Loops whose iterations "
                "all compute the same cost one step)",
                most / 1000000);
}

/* Arguments are on the stack already, and become the first slots. */
static bool enter(struct walker *walker, struct symbol *symbol, int64_t element, struct place place,
                  struct error *error)
{
    if (walker->frame_count == MOST_FRAMES)
        return fail(walker, place, error, "calls are nested more than %d deep: does a recursion end?",
                    MOST_FRAMES);
    if (!step(walker, place, error))
        return false;
    if (walker->frame_count == walker->frame_capacity) {
        uint32_t capacity = walker->frame_capacity ? walker->frame_capacity * 2 : 4;
        walker->frames = memory_grow(walker->frames, walker->frame_capacity * sizeof *walker->frames,
                                     capacity * sizeof *walker->frames);
        walker->frame_capacity = capacity;
    }
    walker->frames[walker->frame_count++] =
        (struct frame){.symbol = symbol, .base = walker->size - symbol->formal_count, .element = element};
    for (unsigned i = symbol->formal_count; i < symbol->locals; i++)
        push(walker, 0);
    if (element >= 0) {
        symbol->states[element] = memo_BUSY;
        walker->kept++;
    }
    return true;
}

static void leave(struct walker *walker, bool has_value)
{
    struct frame *frame = &walker->frames[--walker->frame_count];
    double value = has_value ? pop(walker) : 0;
    walker->size = frame->base;
    if (frame->element >= 0) {
        frame->symbol->values[frame->element] = value;
        frame->symbol->states[frame->element] = memo_KNOWN;
        walker->kept--;
    }
    if (has_value)
        push(walker, value);
}

static const char *name_of(const struct walker *walker, const struct symbol *symbol)
{
    return language_text(walker->model, symbol->name);
}

static bool need_value(struct walker *walker, struct symbol *symbol, struct place place, struct error *error)
{
    if (symbol->is_given) {
        push(walker, symbol->given);
        return true;
    }
    if (!symbol->body && !symbol->set)
        return fail(walker, place, error, "%s has no value; give it one by --set %s=…",
                    name_of(walker, symbol), name_of(walker, symbol));
    if (!symbol->values) {
        symbol->values = memory_get(sizeof *symbol->values);
        symbol->states = memory_get(1);
        symbol->value_count = 1;
    }
    if (symbol->states[0] == memo_KNOWN) {
        push(walker, symbol->values[0]);
        return true;
    }
    if (symbol->states[0] == memo_BUSY)
        return fail(walker, place, error, "%s depends on itself", name_of(walker, symbol));
    return enter(walker, symbol, 0, place, error);
}

static bool is_whole(double number)
{
    return fabs(number) < 1e15 && fabs(number - nearbyint(number)) < 1e-6;
}

static bool size_vector(struct walker *walker, struct symbol *symbol, struct place place, struct error *error)
{
    double count = 1;
    for (unsigned i = symbol->formal_count; i-- > 0;) {
        double last = pop(walker), first = pop(walker);
        if (!is_whole(first) || !is_whole(last))
            return fail(walker, place, error, "%s: bounds of an index must be whole numbers, not %g .. %g",
                        name_of(walker, symbol), first, last);
        symbol->origin[i] = (int64_t)nearbyint(first);
        symbol->extent[i] = last < first ? 0 : (int64_t)(nearbyint(last) - nearbyint(first)) + 1;
        count *= (double)symbol->extent[i];
    }
    if (count > MOST_ELEMENTS)
        return fail(walker, place, error, "%s has %g elements; at most %d are possible",
                    name_of(walker, symbol), count, MOST_ELEMENTS);
    if (symbol->values) /* by the computation of its own bounds */
        return true;
    symbol->value_count = (size_t)count;
    symbol->values = memory_get(((size_t)count + 1) * sizeof *symbol->values);
    symbol->states = memory_get((size_t)count + 1);
    return true;
}

static bool need_element(struct walker *walker, struct symbol *symbol, struct place place,
                         struct error *error)
{
    int64_t at = 0;
    const double *indices = &walker->stack[walker->size - symbol->formal_count];
    if (!symbol->values)
        return fail(walker, place, error, "%s: its bounds depend on itself", name_of(walker, symbol));
    for (unsigned i = 0; i < symbol->formal_count; i++) {
        if (!is_whole(indices[i]))
            return fail(walker, place, error, "%s: an index must be a whole number, not %g",
                        name_of(walker, symbol), indices[i]);
        int64_t index = (int64_t)nearbyint(indices[i]) - symbol->origin[i];
        if (index < 0 || index >= symbol->extent[i])
            return fail(walker, place, error, "%s: index %u is %g, but goes from %lld to %lld",
                        name_of(walker, symbol), i + 1, indices[i], (long long)symbol->origin[i],
                        (long long)(symbol->origin[i] + symbol->extent[i] - 1));
        at = at * symbol->extent[i] + index;
    }
    if (symbol->states[at] == memo_KNOWN) {
        walker->size -= symbol->formal_count;
        push(walker, symbol->values[at]);
        return true;
    }
    if (symbol->states[at] == memo_BUSY)
        return fail(walker, place, error, "an element of %s depends on itself", name_of(walker, symbol));
    return enter(walker, symbol, at, place, error);
}

static bool arithmetic(struct walker *walker, const struct instruction *one, struct error *error)
{
    double right = pop(walker), left = pop(walker), result = 0;
    switch (one->operation) {
    case op_ADD:
        result = left + right;
        break;
    case op_SUBTRACT:
        result = left - right;
        break;
    case op_MULTIPLY:
        result = left * right;
        break;
    case op_DIVIDE:
    case op_REMAINDER:
        if (right == 0)
            return fail(walker, one->place, error, "division by zero");
        result = one->operation == op_DIVIDE ? left / right : left - right * floor(left / right);
        break;
    case op_LESS:
        result = left < right;
        break;
    case op_LESS_EQUAL:
        result = left <= right;
        break;
    default: /* op_EQUAL */
        result = left == right;
    }
    push(walker, result);
    return true;
}

static bool built_in(struct walker *walker, const struct instruction *one, struct error *error)
{
    unsigned count = (unsigned)one->target;
    const struct language_world *world = &walker->model->world;
    double *arguments = &walker->stack[walker->size - count], result;
    if (one->detail >= built_in_SEND_TIME) {
        if (!world->message)
            return fail(walker, one->place, error, "the time of a message needs a network: --network NAME");
        if (!(arguments[0] >= 0) || !isfinite(arguments[0]))
            return fail(walker, one->place, error, "a message of %g bytes", arguments[0]);
        result = world->message(world->context, (enum language_message)(one->detail - built_in_SEND_TIME),
                                arguments[0]);
    } else {
        const char *problem = NULL;
        result = walker_math((enum built_in)one->detail, arguments, count, &problem);
        if (problem)
            return fail(walker, one->place, error, "%s", problem);
    }
    walker->size -= count;
    push(walker, result);
    return true;
}

/* From the first index in a slot and the last one on the stack to the number of iterations. */
static bool count_iterations(struct walker *walker, const struct instruction *one, double *slots,
                             struct error *error)
{
    double last = pop(walker), first = slots[one->detail], exact = last - first + 1,
           count = floor(exact + 1e-9);
    if (!isfinite(first) || !isfinite(last) || count > 1e15)
        return fail(walker, one->place, error, "a loop from %g to %g has no end", first, last);
    if (one->number == counting_EXACTLY)
        count = exact;
    if (one->number == counting_WHOLE && !is_whole(exact))
        return fail(
            walker, one->place, error,
            "repeat (%g): what is sent, drawn or assigned cannot be repeated a part of a time; floor(…), round(…) or "
            "ceil(…) makes a whole number of it",
            exact);
    slots[one->detail + 1] = count;
    if (count <= 0)
        walker->frames[walker->frame_count - 1].at = (uint32_t)one->target;
    return true;
}

static bool take_chance(struct walker *walker, const struct instruction *one, struct error *error)
{
    double chance = pop(walker);
    bool is_alike = one->operation == op_CHANCE_ALIKE;
    if (!(chance >= 0 && chance <= 1))
        return fail(walker, one->place, error, "a probability is between 0 and 1, not %g", chance);
    bool draws = walker->seed && !walker->kept && chance > 0 && chance < 1;
    if (is_alike && !walker->seed && chance > 0 && chance < 1)
        return fail(walker, one->place, error,
                    "messages, calls and assignments that depend on chance have no expected time; draw them "
                    "by --events --seed N");
    if (draws) {
        uint64_t who = is_alike ? UINT64_MAX : (uint64_t)walker->rank;
        uint64_t number = is_alike ? walker->drawn_alike++ : walker->drawn++;
        chance = walker_random(walker->seed, who, number) < chance;
    }
    push(walker, chance);
    return true;
}

static bool compute(struct walker *walker, const struct instruction *one, struct activity *activity,
                    bool *yields, struct error *error)
{
    double seconds = pop(walker);
    if (!(seconds >= 0) || !isfinite(seconds))
        return fail(walker, one->place, error, "computing cannot take %g s", seconds);
    *yields = seconds > 0;
    *activity = (struct activity){.kind = activity_COMPUTE,
                                  .seconds = seconds,
                                  .cause = (uint32_t)one->target,
                                  .line = one->place.line};
    return true;
}

static bool whole_part(struct walker *walker, const struct instruction *one, double value, double least,
                       double most, const char *what, int32_t *result, struct error *error)
{
    if (!is_whole(value) || value < least - 0.5 || value > most + 0.5)
        return fail(walker, one->place, error, "%s must be a whole number from %.0f to %.0f, not %g", what,
                    least, most, value);
    *result = (int32_t)nearbyint(value);
    return true;
}

static bool check_grid(struct walker *walker, const struct instruction *one, const struct activity *activity,
                       struct error *error)
{
    bool has_grid = activity->kind == activity_HALO || activity->kind == activity_WAVEFRONT;
    if (has_grid && (int64_t)activity->columns * activity->rows != walker->ranks)
        return fail(walker, one->place, error, "a grid of %d × %d ranks, but there are %d", activity->columns,
                    activity->rows, walker->ranks);
    return true;
}

static bool message(struct walker *walker, const struct instruction *one, struct activity *activity,
                    struct error *error)
{
    double values[MESSAGE_PARTS] = {0};
    uint32_t given = (uint32_t)one->number;
    for (unsigned i = MESSAGE_PARTS; i-- > 0;)
        if (given >> i & 1)
            values[i] = pop(walker);
    if (!(given >> part_REQUEST & 1))
        values[part_REQUEST] = -1;
    if (!(given >> part_OTHER_BYTES & 1))
        values[part_OTHER_BYTES] = values[part_BYTES];
    *activity = (struct activity){.kind = one->detail,
                                  .seconds = values[part_SECONDS],
                                  .before = values[part_BEFORE],
                                  .value = values[part_VALUE],
                                  .bytes = values[part_BYTES],
                                  .other_bytes = values[part_OTHER_BYTES],
                                  .cause = (uint32_t)one->target,
                                  .line = one->place.line};
    for (unsigned i = part_BYTES; i <= part_OTHER_BYTES; i++)
        if (!(values[i] >= 0) || values[i] > 1e18)
            return fail(walker, one->place, error, "a message of %g bytes", values[i]);
    for (unsigned i = part_BEFORE; i <= part_SECONDS; i++)
        if (!(values[i] >= 0) || !isfinite(values[i]))
            return fail(walker, one->place, error, "computing cannot take %g s", values[i]);
    bool is_any = one->detail == activity_RECEIVE && !(given >> part_PARTNER & 1);
    double most = ACTIVITY_OWN_NUMBERS - 1, grid = given >> part_COLUMNS & 1 ? 1 : 0;
    if (!isfinite(values[part_VALUE]))
        return fail(walker, one->place, error, "a message carries a number, not %g", values[part_VALUE]);
    if (is_any)
        values[part_PARTNER] = ACTIVITY_ANY;
    return whole_part(walker, one, values[part_PARTNER], is_any ? ACTIVITY_ANY : 0, walker->ranks - 1,
                      "the other rank", &activity->partner, error) &&
           whole_part(walker, one, values[part_TAG], 0, most, "a tag", &activity->tag, error) &&
           whole_part(walker, one, values[part_REQUEST], -1, most, "a request", &activity->request, error) &&
           whole_part(walker, one, values[part_COLUMNS], grid, MOST_RANKS, "the columns of a grid",
                      &activity->columns, error) &&
           whole_part(walker, one, values[part_ROWS], grid, MOST_RANKS, "the rows of a grid", &activity->rows,
                      error) &&
           whole_part(walker, one, values[part_CORNER], 0, 3, "a corner", &activity->corner, error) &&
           whole_part(walker, one, values[part_TILES], 0, most, "the number of tiles", &activity->tiles,
                      error) &&
           check_grid(walker, one, activity, error);
}

static bool loop_cycles(struct walker *walker, const struct instruction *one, struct error *error)
{
    const struct language_loop *loop =
        ARRAY_AT(struct language_loop, &walker->model->loops, (size_t)one->target);
    if (isnan(loop->cycles))
        return fail(walker, one->place, error, "the cycles of %s:%u of %s are not known", loop->source,
                    loop->source_line, loop->program);
    push(walker, loop->cycles);
    return true;
}

static bool rare(struct walker *walker, const struct instruction *one, struct error *error)
{
    switch (one->operation) {
    case op_IS_SIZED:
        if (one->symbol->values)
            walker->frames[walker->frame_count - 1].at = (uint32_t)one->target;
        return true;
    case op_SIZE:
        return size_vector(walker, one->symbol, one->place, error);
    case op_BUILT_IN:
        return built_in(walker, one, error);
    case op_LOOP_CYCLES:
        return loop_cycles(walker, one, error);
    case op_WORLD_CLOCK:
        if (!(walker->model->world.clock > 0))
            return fail(walker, one->place, error,
                        "cycles take a time only with a clock: an entry clock = 2.4 GHz of the hardware, or "
                        "--machine NAME with a clock");
        push(walker, walker->model->world.clock);
        return true;
    default: /* op_CHANCE, op_CHANCE_ALIKE */
        return take_chance(walker, one, error);
    }
}

/* One instruction; *yields: it made an activity. */
static bool carry_out(struct walker *walker, const struct instruction *one, struct activity *activity,
                      bool *yields, struct error *error)
{
    struct frame *frame = &walker->frames[walker->frame_count - 1];
    double *slots = walker->stack + frame->base;
    switch (one->operation) {
    case op_NUMBER:
        push(walker, one->number);
        return true;
    case op_LOCAL:
        push(walker, slots[one->detail]);
        return true;
    case op_STORE:
        slots[one->detail] = pop(walker);
        return true;
    case op_VALUE:
        return need_value(walker, one->symbol, one->place, error);
    case op_ELEMENT:
        return need_element(walker, one->symbol, one->place, error);
    case op_CALL:
        return enter(walker, one->symbol, -1, one->place, error);
    case op_RETURN:
        leave(walker, one->detail);
        return true;
    case op_RANK:
        push(walker, walker->rank);
        return true;
    case op_RANKS:
        push(walker, walker->ranks);
        return walker->ranks || fail(walker, one->place, error, "the number of ranks depends on itself");
    case op_NEGATE:
        walker->stack[walker->size - 1] = -walker->stack[walker->size - 1];
        return true;
    case op_NOT:
        walker->stack[walker->size - 1] = walker->stack[walker->size - 1] == 0;
        return true;
    case op_JUMP:
        frame->at = (uint32_t)one->target;
        return true;
    case op_AGAIN:
        frame->at = (uint32_t)one->target;
        return step(walker, one->place, error);
    case op_RECEIVED:
        push(walker, walker->received[one->detail]);
        return true;
    case op_JUMP_IF_NOT:
        if (pop(walker) == 0)
            frame->at = (uint32_t)one->target;
        return true;
    case op_JUMP_IF_DRAWN:
        if (walker->seed && !walker->kept)
            frame->at = (uint32_t)one->target;
        return true;
    case op_COUNT:
        return count_iterations(walker, one, slots, error);
    case op_NEXT:
        slots[one->detail]++;
        if (--slots[one->detail + 1] > 0)
            frame->at = (uint32_t)one->target;
        return step(walker, one->place, error);
    case op_COMPUTE:
        return compute(walker, one, activity, yields, error);
    case op_MESSAGE:
        *yields = true;
        return message(walker, one, activity, error);
    case op_ADD:
    case op_SUBTRACT:
    case op_MULTIPLY:
    case op_DIVIDE:
    case op_REMAINDER:
    case op_LESS:
    case op_LESS_EQUAL:
    case op_EQUAL:
        return arithmetic(walker, one, error);
    default:
        return rare(walker, one, error);
    }
}

/* Until an activity, or until the first frame is left. */
static bool go_on(struct walker *walker, struct activity *activity, bool *yields, struct error *error)
{
    *yields = false;
    while (walker->frame_count && !*yields) {
        struct frame *frame = &walker->frames[walker->frame_count - 1];
        const struct instruction *one = ARRAY_AT(struct instruction, &frame->symbol->code, frame->at++);
        if (!carry_out(walker, one, activity, yields, error))
            return false;
    }
    return true;
}

struct walker *walker_begin(const struct language_model *model, int32_t rank, int32_t ranks, uint64_t seed)
{
    struct walker *walker = memory_get(sizeof *walker);
    struct error ignored = {0};
    *walker = (struct walker){.model = model, .rank = rank, .ranks = ranks, .seed = seed};
    if (model->application && model->application->compiled == compile_DONE)
        enter(walker, model->application, -1, model->application->place, &ignored);
    return walker;
}

bool walker_next(struct walker *walker, struct activity *activity, struct error *error)
{
    bool yields;
    *activity = (struct activity){.kind = activity_END};
    if (walker->has_failed)
        return error_set(error, NULL, "this rank failed before");
    return go_on(walker, activity, &yields, error);
}

void walker_told(struct walker *walker, int32_t sender, double value)
{
    walker->received[0] = sender;
    walker->received[1] = value;
}

void walker_end(struct walker *walker)
{
    if (walker) {
        free(walker->stack);
        free(walker->frames);
        free(walker);
    }
}

bool walker_value(const struct language_model *model, struct symbol *symbol, double *value,
                  struct error *error)
{
    int32_t ranks = 0;
    if (symbol != model->ranks_symbol) {
        struct error ignored = {0};
        language_ranks(model, &ranks, &ignored);
    }
    struct walker walker = {.model = model, .rank = NO_RANK, .ranks = ranks};
    struct activity activity;
    bool yields, is_fine = need_value(&walker, symbol, symbol->place, error) &&
                           go_on(&walker, &activity, &yields, error);
    *value = is_fine && walker.size ? walker.stack[walker.size - 1] : NAN;
    free(walker.stack);
    free(walker.frames);
    return is_fine;
}

bool activity_receives_from_any(const struct language_model *model)
{
    return model->receives_from_any;
}

bool walkers_are_alike(const struct language_model *model)
{
    return !model->uses_rank;
}
