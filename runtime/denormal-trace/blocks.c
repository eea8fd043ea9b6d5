/* Heap blocks and the arrays they belong to.

   A block gets its number at its first event, not when it is allocated: most blocks never meet a denormal,
   and by then a variable leads to it (naming.c looks for one).  If none does, the block gets its own record,
   and naming is tried again each time its events double.  A name found later also applies to earlier counts:
   the record is renamed, or becomes the same as the variable's record.  A block that ends without a name
   becomes the same as all other nameless blocks from its place of allocation.

   Blocks of the same variable share a record when they follow each other, or when they come from the same
   place of allocation; two that live at the same time and come from different places are two arrays, so that
   pointers which a program swaps do not make one array of two. */
#include "arrays.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_oset.h"
#include "pub_tool_xarray.h"

/* A stack whose blocks stayed nameless so often gets no more private records, and is looked at only when the
   number of its blocks doubles: programs that allocate in their inner loops must not pay for a search each
   time. */
enum { MOST_PRIVATE = 8, MOST_VAIN_SEARCHES = 64 };

OSet *blocks;

static Word compare_block(const void *key, const void *element)
{
    Addr address = *(const Addr *)key;
    const struct block *block = element;
    if (address < block->start)
        return -1;
    return address >= block->start + (block->bytes ? block->bytes : 1);
}

struct block *block_at(Addr address)
{
    return VG_(OSetGen_LookupWithCmp)(blocks, &address, compare_block);
}

struct place_of_allocation { /* by number of the stack */
    UInt array;              /* of its nameless blocks; 0: none yet */
    UInt private_count, vain_searches, asked;
};
static XArray *places_of_allocation;

static struct place_of_allocation *place_of(UInt stack)
{
    static const struct place_of_allocation none;
    while (VG_(sizeXA)(places_of_allocation) <= (Word)stack)
        VG_(addToXA)(places_of_allocation, &none);
    return VG_(indexXA)(places_of_allocation, stack);
}

/* The record of a variable that leads to a block: see the top. */
static UInt record_for(UInt data, const struct block *block)
{
    Bool is_of_rows =
        list.data[data - 1].how == 'q' || list.data[data - 1].how == 't'; /* all are one array */
    for (UInt number = list.data[data - 1].first_array; number;
         number = array_plain(number)->next_same_name) {
        struct array *array = array_of(number);
        if (array->live_blocks == 0 || array->stack == block->stack || is_of_rows)
            return number;
    }
    return 0;
}

Bool array_name_is_taken(UInt data, const struct block *block)
{
    return list.data[data - 1].first_array && !record_for(data, block);
}

static void take_dimensions(struct array *array, const struct name_found *found)
{
    if (!found->dimension_count)
        return;
    array->rank = found->dimension_count;
    for (UInt i = 0; i < found->dimension_count; i++)
        array->dimensions[i] = found->dimensions[i];
}

static void name_array(UInt number, const struct name_found *found, Addr start, ULong bytes)
{
    struct array *array = array_of(number);
    array_describe(array, found->data, found->kind, start, bytes, found->function);
    take_dimensions(array, found);
    array->is_private = False;
    array_add_name(array_resolve(number), found->data);
}

/* Part of the block only: a member of a structure that lies in it. */
static Bool is_part(const struct name_found *found, const struct block *block, ULong *bytes)
{
    const struct list_data *facts = &list.data[found->data - 1];
    *bytes = array_list_bytes(facts);
    return facts->how == 'a' && *bytes && *bytes < block->bytes && found->start >= block->start &&
           found->start + *bytes <= block->start + block->bytes;
}

static void add_part(struct block *block, const struct name_found *found, ULong bytes)
{
    UInt number = record_for(found->data, block);
    if (!number) {
        number = array_new();
        if (array_plain(number)->is_rest)
            return;
        name_array(number, found, found->start, bytes);
        array_plain(number)->stack = block->stack;
    }
    struct array *array = array_of(number);
    array->lives++;
    array->live_blocks++;
    array->address = found->start;
    array->is_changed = True;
    struct part *part = VG_(malloc)("trace.part", sizeof *part);
    *part = (struct part){block->parts, found->start, found->start + bytes, number};
    block->parts = part;
}

/* A variable that leads to several arrays at a time names none of them: they are identified by their
   allocation.  A parameter does so with the second, others with more: programs swap pointers. */
enum { MOST_OF_A_NAME = 4 };

static Bool is_taken_often(UInt data)
{
    Bool is_parameter = list.variables[list.data[data - 1].variable].kind == ARRAY_LIST_PARAMETER;
    UInt count = 0, most = is_parameter ? 1 : MOST_OF_A_NAME, number = list.data[data - 1].first_array;
    for (; number && count < most; number = array_plain(number)->next_same_name)
        count++;
    return count == most;
}

static Bool is_vague(const struct name_found *found, const struct block *block)
{
    struct list_data *data = &list.data[found->data - 1];
    if (record_for(found->data, block) || !is_taken_often(found->data))
        return False;
    data->is_vague = True;
    while (data->first_array) {
        UInt number = data->first_array;
        struct array *array = array_plain(number);
        struct place_of_allocation *place = place_of(array->stack);
        array_drop_name(number);
        array->kind = TRACE_ARRAY_BLOCK;
        array->is_changed = True;
        array->is_private = array->live_blocks > 0;
        if (!array->is_private && place->array)
            array_join(number, place->array);
        else if (!array->is_private)
            place->array = number;
    }
    return True;
}

/* Nothing else was counted in it: it can be renamed, or become part of another. */
static Bool is_of_one_block(const struct array *array)
{
    return array && !array->is_rest && array->live_blocks == 1 && array->lives == 1;
}

/* A variable was found for a block. */
static void take_name(struct block *block, const struct name_found *found)
{
    ULong bytes;
    if (is_vague(found, block))
        return;
    if (is_part(found, block, &bytes)) {
        add_part(block, found, bytes);
        return;
    }
    block->rank = found->rank;
    block->data_start = found->start;
    UInt number = record_for(found->data, block);
    struct array *own = array_of(block->array);
    if (own && number && array_resolve(number) == array_resolve(block->array))
        return;
    if (number) {
        struct array *array = array_of(number);
        if (is_of_one_block(own)) {
            array_drop_name(array_resolve(block->array));
            array_join(block->array, number);
        } else {
            if (own)
                own->live_blocks--;
            array->lives++;
            array->live_blocks++;
        }
        array->address = found->start;
        if (block->bytes > array->bytes)
            array->bytes = block->bytes;
        take_dimensions(array, found);
        array->is_changed = True;
        block->array = number;
        return;
    }
    if (is_of_one_block(own)) {
        array_drop_name(array_resolve(block->array));
    } else {
        UInt other = array_new();
        if (array_plain(other)->is_rest)
            return;
        if (own)
            own->live_blocks--;
        block->array = other;
        array_plain(block->array)->lives++;
        array_plain(block->array)->live_blocks++;
        array_plain(block->array)->stack = block->stack;
    }
    name_array(block->array, found, found->start, block->bytes);
}

void block_search_name(struct block *block, Addr address)
{
    struct name_found found;
    struct place_of_allocation *place = place_of(block->stack);
    if (place->vain_searches >= MOST_VAIN_SEARCHES) {
        place->asked++;
        if (place->asked & (place->asked - 1))
            return;
    }
    naming_find(block, address, &found);
    if (found.data && found.rank > block->rank)
        take_name(block, &found);
    else if (!found.data && !block->array)
        place->vain_searches++;
}

/* The first event in a block that no variable leads to. */
void block_stay_nameless(struct block *block)
{
    struct place_of_allocation *place = place_of(block->stack);
    UInt number = place->array;
    Bool is_private = place->private_count < MOST_PRIVATE;
    if (!number || is_private) {
        number = array_new();
        struct array *made = array_plain(number);
        if (!made->is_rest) {
            made->stack = block->stack;
            made->is_private = is_private;
            place->private_count += is_private;
            if (!is_private)
                place->array = number;
        }
    }
    struct array *array = array_of(number);
    array->lives++;
    array->live_blocks++;
    array->address = block->start;
    if (block->bytes > array->bytes)
        array->bytes = block->bytes;
    array->is_changed = True;
    block->array = number;
}

void block_event(struct block *block, Addr address)
{
    block->events++;
    if (block->events < block->next_try)
        return;
    block->next_try = block->events * 2;
    if (block->rank < BEST_NAME)
        block_search_name(block, address);
}

void block_end_life(UInt number)
{
    struct array *array = array_of(number);
    if (array && array->live_blocks)
        array->live_blocks--;
}

/* A nameless block joins the others of its place of allocation. */
void block_settle(struct block *block)
{
    struct array *array = array_of(block->array);
    struct place_of_allocation *place = place_of(block->stack);
    if (!array || !array->is_private)
        return;
    array->is_private = False;
    if (place->array)
        array_join(block->array, place->array);
    else
        place->array = array_resolve(block->array);
}

void arrays_settle(void)
{
    struct block *block;
    VG_(OSetGen_ResetIter)(blocks);
    while ((block = VG_(OSetGen_Next)(blocks)))
        block_settle(block);
}

void blocks_initialise(void)
{
    blocks = VG_(OSetGen_Create)(0, compare_block, VG_(malloc), "trace.blocks", VG_(free));
    places_of_allocation =
        VG_(newXA)(VG_(malloc), "trace.places", VG_(free), sizeof(struct place_of_allocation));
}
