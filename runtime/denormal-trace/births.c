/* Births: an instruction that made a denormal from normal numbers, and its call stack; and call stacks, each
   kept once.

   Unwinding the whole stack for each of millions of births would be slow, so the innermost frames and the
   stack pointer identify it: the same combination is the same birth. */
#include "tags.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_machine.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_stacktrace.h"
#include "pub_tool_threadstate.h"

enum {
    MOST_FRAMES = 16,
    FRAMES_THAT_TELL = 3,
    MOST_BIRTHS = 1 << 16,
    CACHE = 1 << 10,
    FIRST_ENTRIES = 1 << 10
};

struct stack {
    UInt count;
    Addr frames[MOST_FRAMES];
};
struct vote { /* which array most of a birth's denormals are stored in first: a majority, if there is one */
    UInt array;
    ULong lead;
};

static struct stack **stacks; /* number - 1 */
static UInt stack_count, stack_room;
static struct birth *births;
static struct vote *votes;
static UInt birth_count, birth_room;
static UInt *stack_table, *birth_table; /* numbers by hash; 0: free */
static UInt stack_entries, birth_entries;
static UInt outside;

static ULong mix(ULong hash, ULong value)
{
    return ((hash ^ value) * 0x9e3779b97f4a7c15ULL) ^ (hash >> 29);
}

static ULong hash_stack(const Addr *frames, UInt count)
{
    ULong hash = count;
    for (UInt i = 0; i < count; i++)
        hash = mix(hash, frames[i]);
    return hash >> 20;
}

static UInt *table_grow(UInt *table, UInt *entries)
{
    *entries = *entries ? *entries * 2 : FIRST_ENTRIES;
    VG_(free)(table);
    return VG_(calloc)("trace.births", *entries, sizeof *table);
}

static void *list_grow(void *list, UInt *room, SizeT bytes)
{
    *room = *room ? *room * 2 : 64;
    return VG_(realloc)("trace.births", list, *room * bytes);
}

static void stack_enter(UInt number)
{
    const struct stack *stack = stacks[number - 1];
    UInt place = hash_stack(stack->frames, stack->count) & (stack_entries - 1);
    while (stack_table[place])
        place = (place + 1) & (stack_entries - 1);
    stack_table[place] = number;
}

static UInt stack_find(const Addr *frames, UInt count)
{
    for (UInt place = hash_stack(frames, count) & (stack_entries - 1); stack_entries && stack_table[place];
         place = (place + 1) & (stack_entries - 1)) {
        const struct stack *stack = stacks[stack_table[place] - 1];
        if (stack->count == count && VG_(memcmp)(stack->frames, frames, count * sizeof *frames) == 0)
            return stack_table[place];
    }
    return 0;
}

static UInt stack_of(const Addr *frames, UInt count)
{
    UInt number = stack_find(frames, count);
    if (number)
        return number;
    if (stack_count == stack_room)
        stacks = list_grow(stacks, &stack_room, sizeof *stacks);
    struct stack *stack = VG_(calloc)("trace.stack", 1, sizeof *stack);
    stack->count = count;
    VG_(memcpy)(stack->frames, frames, count * sizeof *frames);
    stacks[stack_count++] = stack;
    if (stack_count * 2 > stack_entries) {
        stack_table = table_grow(stack_table, &stack_entries);
        for (UInt i = 1; i < stack_count; i++)
            stack_enter(i);
    }
    stack_enter(stack_count);
    return stack_count;
}

UInt stack_here(ThreadId thread)
{
    Addr frames[MOST_FRAMES];
    UInt count = VG_(get_StackTrace)(thread, frames, MOST_FRAMES, NULL, NULL, 0);
    return stack_of(frames, count);
}

UInt stack_frames(UInt stack, const Addr **frames)
{
    if (stack == 0 || stack > stack_count)
        return 0;
    *frames = stacks[stack - 1]->frames;
    return stacks[stack - 1]->count;
}

static UInt birth_place(Addr address, UInt stack)
{
    return (UInt)(mix(address, stack) >> 20) & (birth_entries - 1);
}

static void birth_enter(UInt number)
{
    UInt place = birth_place(births[number - 1].address, births[number - 1].stack);
    while (birth_table[place])
        place = (place + 1) & (birth_entries - 1);
    birth_table[place] = number;
}

static UInt birth_find(Addr address, UInt stack)
{
    for (UInt place = birth_entries ? birth_place(address, stack) : 0; birth_entries && birth_table[place];
         place = (place + 1) & (birth_entries - 1)) {
        const struct birth *birth = &births[birth_table[place] - 1];
        if (birth->address == address && birth->stack == stack)
            return birth_table[place];
    }
    return 0;
}

static UInt birth_make(Addr address, UInt stack)
{
    UInt number = birth_find(address, stack);
    if (number)
        return number;
    if (birth_count == MOST_BIRTHS) {
        limit_add(
            "births beyond the tracer's limit of places, counted for the last one",
            1);
        return birth_count;
    }
    if (birth_count == birth_room) {
        UInt room = birth_room;
        births = list_grow(births, &birth_room, sizeof *births);
        votes = list_grow(votes, &room, sizeof *votes);
    }
    births[birth_count] = (struct birth){.address = address, .stack = stack};
    votes[birth_count++] = (struct vote){0, 0};
    if (birth_count * 2 > birth_entries) {
        birth_table = table_grow(birth_table, &birth_entries);
        for (UInt i = 1; i < birth_count; i++)
            birth_enter(i);
    }
    birth_enter(birth_count);
    return birth_count;
}

UInt birth_here(Addr instruction)
{
    static struct {
        Addr key[FRAMES_THAT_TELL + 1];
        UInt birth;
    } cache[CACHE];
    ThreadId thread = VG_(get_running_tid)();
    Addr frames[MOST_FRAMES], key[FRAMES_THAT_TELL + 1] = {0};
    VG_(get_StackTrace)(thread, key, FRAMES_THAT_TELL, NULL, NULL, 0);
    key[0] = instruction;
    key[FRAMES_THAT_TELL] = VG_(get_SP)(thread);
    UInt place = hash_stack(key, FRAMES_THAT_TELL + 1) & (CACHE - 1);
    if (VG_(memcmp)(cache[place].key, key, sizeof key) == 0 && cache[place].birth)
        return cache[place].birth;
    UInt count = VG_(get_StackTrace)(thread, frames, MOST_FRAMES, NULL, NULL, 0);
    frames[0] = instruction;
    VG_(memcpy)(cache[place].key, key, sizeof key);
    return cache[place].birth = birth_make(instruction, stack_of(frames, count ? count : 1));
}

UInt birth_outside(void)
{
    if (!outside)
        outside = birth_make(0, 0);
    return outside;
}

struct birth *birth_of(UInt number)
{
    return &births[number - 1];
}

void birth_stored(UInt number, UInt array)
{
    struct vote *vote = &votes[number - 1];
    if (vote->lead == 0)
        vote->array = array;
    vote->lead += vote->array == array ? 1 : -1;
    births[number - 1].first_array = vote->array;
}

void births_each(void (*visit)(UInt number, struct birth *birth, void *context), void *context)
{
    for (UInt i = 0; i < birth_count; i++)
        visit(i + 1, &births[i], context);
}

void births_forget(void)
{
    for (UInt i = 0; i < birth_count; i++)
        births[i].values = births[i].descendants = births[i].removable = 0;
}
