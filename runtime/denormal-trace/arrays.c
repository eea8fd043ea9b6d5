/* Which array an address belongs to, and what is counted for each.

   An address belongs to one of three things, and they are asked in this order: a heap block (blocks.c), a
   variable at a fixed address of a module that is mapped (fixed.c), or a variable on the stack of the thread
   that runs (stack_arrays.c).  The last answers are remembered, because events come in crowds.

   An array is a record with a number.  Several numbers may turn out to be the same array, when the variable
   of a block is found late: one record takes over the other's counts, and the other's number becomes an alias
   of it (same_as). */
#include "arrays.h"
#include "log.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_threadstate.h"

static struct array **arrays; /* by number */
static UInt array_count_made, array_room;

UInt arrays_made(void)
{
    return array_count_made;
}

struct array *array_plain(UInt number)
{
    return number == 0 || number > array_count_made ? NULL : arrays[number];
}

UInt array_resolve(UInt number)
{
    if (number == 0 || number > array_count_made)
        return 0;
    while (arrays[number]->same_as)
        number = arrays[number]->same_as;
    return number;
}

struct array *array_of(UInt number)
{
    return array_plain(array_resolve(number));
}

/* The last number is for all arrays that have none of their own: a block without a name or a place. */
UInt array_new(void)
{
    if (array_count_made == MOST_ARRAYS - 1) {
        limit_add("arrays beyond the tracer's limit, counted together", 1);
        return array_count_made;
    }
    if (array_count_made + 1 >= array_room) {
        array_room = array_room ? 2 * array_room : 256;
        arrays = VG_(realloc)("trace.arrays", arrays, array_room * sizeof *arrays);
    }
    struct array *array = VG_(calloc)("trace.arrays", 1, sizeof *array);
    array->is_changed = True;
    array->kind = TRACE_ARRAY_BLOCK;
    arrays[++array_count_made] = array;
    array->is_rest = array_count_made == MOST_ARRAYS - 1;
    return array_count_made;
}

/* A map's cell holds an element; of large arrays several elements share one. */
enum { MOST_CELLS_BITS = 22 };

static void choose_cells(struct array *array, UInt access_bytes)
{
    UInt bytes = array->element_bytes;
    if (bytes == 0 || (bytes & (bytes - 1)) != 0 || bytes > 64)
        bytes = array->value_bytes ? array->value_bytes : access_bytes;
    array->cell_shift = 0;
    while (1U << array->cell_shift < bytes)
        array->cell_shift++;
    while (array->bytes >> array->cell_shift >> MOST_CELLS_BITS)
        array->cell_shift++;
}

static void merge_maps(struct array *from, struct array *to)
{
    while (from->maps) {
        struct map *map = from->maps;
        from->maps = map->next;
        Bool is_kept = from->cell_shift == to->cell_shift || !to->cell_shift;
        if (!is_kept)
            limit_add("maps that could not be merged, because a block was used as two kinds of array", 1);
        maps_merge(to, map, is_kept);
    }
}

/* One array becomes the same as another; what was counted goes along. */
void array_join(UInt number, UInt other)
{
    number = array_resolve(number);
    other = array_resolve(other);
    if (number == other || !number || !other)
        return;
    struct array *from = arrays[number], *to = arrays[other];
    if (!to->cell_shift)
        to->cell_shift = from->cell_shift;
    for (UInt i = 0; i < access_COUNT; i++) {
        to->counts[i] += from->counts[i];
        from->counts[i] = 0;
    }
    merge_maps(from, to);
    array_parts_join(from, to);
    to->lives += from->lives;
    to->live_blocks += from->live_blocks;
    to->is_counted |= from->is_counted;
    if (from->bytes > to->bytes)
        to->bytes = from->bytes;
    to->is_changed = from->is_changed = True;
    from->same_as = other;
}

/* Variables. */
void array_describe(struct array *array, UInt data, UInt kind, Addr address, ULong bytes, Addr function)
{
    const struct list_data *facts = &list.data[data - 1];
    array->data = data;
    array->kind = kind;
    array->address = address;
    array->function = function;
    if (bytes > array->bytes)
        array->bytes = bytes;
    array->element_bytes = facts->element_bytes;
    array->value_bytes = facts->value_bytes;
    array->rank = facts->rank;
    for (UInt i = 0; i < facts->rank; i++)
        array->dimensions[i] = facts->dimensions[i];
    array->is_changed = True;
}

void array_add_name(UInt number, UInt data)
{
    UInt *link = &list.data[data - 1].first_array;
    UInt ordinal = 1;
    for (; *link; link = &arrays[*link]->next_same_name)
        ordinal++;
    *link = number;
    arrays[number]->ordinal = ordinal;
    arrays[number]->next_same_name = 0;
}

void array_drop_name(UInt number)
{
    struct array *array = arrays[number];
    if (!array->data)
        return;
    for (UInt *link = &list.data[array->data - 1].first_array; *link; link = &arrays[*link]->next_same_name)
        if (*link == number) {
            *link = array->next_same_name;
            break;
        }
    array->data = 0;
}

UInt array_of_variable(UInt data, Addr address, ULong bytes, UInt kind, Addr function)
{
    UInt number = list.data[data - 1].first_array;
    if (number) {
        struct array *array = array_of(number);
        if (array->address != address) {
            array->address = address;
            array->lives++;
        }
        if (bytes > array->bytes)
            array->bytes = bytes;
        array->is_changed = True;
        return number;
    }
    number = array_new();
    if (arrays[number]->is_rest)
        return number;
    array_describe(arrays[number], data, kind, address, bytes, function);
    arrays[number]->lives = 1;
    array_add_name(number, data);
    return number;
}

void array_has_open_size(UInt number)
{
    array_of(number)->is_size_open = True;
}

/* The last answers. */
enum { REMEMBERED = 4 };
struct answer {
    Addr start, end, data_start;
    UInt array;
    struct block *block;
};
static struct answer answers[REMEMBERED];
static UInt oldest_answer;

void arrays_forget_answers(void)
{
    VG_(memset)(answers, 0, sizeof answers);
}

static const struct answer *remember(struct answer answer)
{
    struct answer *slot = &answers[oldest_answer];
    oldest_answer = (oldest_answer + 1) % REMEMBERED;
    *slot = answer;
    return slot;
}

/* A part of it where the user divides the array. */
static const struct answer *divided(struct answer answer, Addr address)
{
    static struct answer once;
    Addr start = answer.data_start, end = answer.end;
    UInt part = array_part_at(answer.array, answer.data_start, address, &start, &end);
    if (end == answer.end && part == answer.array)
        return remember(answer);
    if (part != answer.array)
        return remember((struct answer){start, end, start, part, answer.block});
    once = answer;
    return &once;
}

static const struct answer *answer_of_block(struct block *block, Addr address)
{
    block_event(block, address);
    for (struct part *part = block->parts; part; part = part->next)
        if (address - part->start < part->end - part->start)
            return divided((struct answer){part->start, part->end, part->start, part->array, NULL}, address);
    if (!block->array)
        block_stay_nameless(block);
    struct answer answer = {block->start, block->start + block->bytes, block->data_start, block->array,
                            block};
    if (!block->parts)
        return divided(answer, address);
    static struct answer once; /* parts may follow: not remembered */
    once = answer;
    return &once;
}

static const struct answer *answer_at(Addr address)
{
    static struct answer of_stack;
    for (UInt i = 0; i < REMEMBERED; i++)
        if (address - answers[i].start < answers[i].end - answers[i].start) {
            struct block *block = answers[i].block;
            if (block && ++block->events >= block->next_try) {
                answers[i].start = answers[i].end = 0;
                block->events--;
                return answer_of_block(block, address);
            }
            return &answers[i];
        }
    struct block *block = block_at(address);
    if (block)
        return answer_of_block(block, address);
    arrays_refresh();
    Addr end, start;
    UInt array = fixed_array_at(address, &start, &end);
    if (array)
        return divided((struct answer){start, end, start, array, NULL}, address);
    array = stack_array_at(VG_(get_running_tid)(), address, &start);
    if (!array)
        return NULL;
    end = start + array_of(array)->bytes;
    array = array_part_at(array, start, address, &start, &end);
    of_stack = (struct answer){start, 0, start, array, NULL};
    return &of_stack;
}

UInt array_at(Addr address)
{
    const struct answer *answer = answer_at(address);
    return answer ? answer->array : 0;
}

/* Of structures it cannot be told where in them a number lies. */
UInt array_element_bytes(UInt number)
{
    const struct array *array = array_of(number);
    if (!array ||
        (array->element_bytes != array->value_bytes && array->element_bytes != 2 * array->value_bytes))
        return 0;
    return array->value_bytes;
}

static Addr start_of(UInt number, Addr address)
{
    for (UInt i = 0; i < REMEMBERED; i++)
        if (address - answers[i].start < answers[i].end - answers[i].start)
            return answers[i].data_start;
    const struct array *array = array_of(number);
    return array->address;
}

UInt array_element_at(UInt number, Addr address, UInt bytes)
{
    return array_of(number) ? (address - start_of(number, address)) / bytes : 0;
}

Bool array_is_logged(UInt number)
{
    const struct array *array = array_of(number);
    return array && array->data && VG_(strcmp)(list.data[array->data - 1].name, settings.log_array) == 0;
}

void array_count(UInt number, Addr address, UInt bytes, enum access access)
{
    struct array *array = array_of(number);
    if (!array)
        return;
    array->counts[access]++;
    array->is_counted = True;
    if (access == access_INTEGER_LOAD || access == access_INTEGER_STORE)
        return;
    if (!array->cell_shift)
        choose_cells(array, bytes);
    UInt kind = access == access_LOAD || access == access_MOVE_LOAD ? TRACE_MAP_LOADS : TRACE_MAP_STORES;
    map_count(array, kind, 0, address - start_of(number, address));
}

/* Several values of a vector at once: lane i is one where bit i is set. */
void array_count_lanes(UInt number, Addr address, UInt bytes, UInt lanes, enum access access)
{
    struct array *array = array_of(number);
    if (!array || !lanes)
        return;
    array->counts[access] += __builtin_popcount(lanes);
    array->is_counted = True;
    if (!array->cell_shift)
        choose_cells(array, bytes);
    UInt kind = access == access_LOAD || access == access_MOVE_LOAD ? TRACE_MAP_LOADS : TRACE_MAP_STORES;
    map_count_lanes(array, kind, 0, address - start_of(number, address), bytes, lanes);
}

void array_count_origin(UInt destination, Addr address, UInt bytes, UInt source)
{
    struct array *array = array_of(destination);
    if (!array || !source)
        return;
    if (!array->cell_shift)
        choose_cells(array, bytes);
    array->is_counted = True;
    map_count(array, TRACE_MAP_ORIGIN, array_resolve(source), address - start_of(destination, address));
}

void arrays_forget_counts(void)
{
    for (UInt i = 1; i <= array_count_made; i++) {
        VG_(memset)(arrays[i]->counts, 0, sizeof arrays[i]->counts);
        maps_clear(arrays[i]);
        arrays[i]->is_counted = False;
        arrays[i]->is_changed = True;
    }
}
