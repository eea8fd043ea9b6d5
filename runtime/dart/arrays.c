/* Which array an address belongs to, and what is counted for each.

   An address belongs to one of three things, and they are asked in this order: a heap block (malloc and its
   relatives are replaced, so every block is known by its place of allocation), a variable at a fixed address
   of a module that is mapped, or a variable on the stack of the thread that runs.  The last answers are
   remembered, because events come in crowds.

   A heap block gets its number at its first event, not when it is allocated: most blocks never meet a
   denormal, and by then a variable leads to it (naming.c looks for one).  Where none does, the block gets a
   record of its own, and naming is tried again each time its events double.  A name that is found then stays
   with what was counted before: the record is renamed, or becomes the same as the variable's record, and its
   number goes on standing for it (same_as).  A block that ends without a name becomes the same as all other
   nameless blocks from its place of allocation.

   Blocks of the same variable share a record when they follow each other, or when they come from the same
   place of allocation; two that live at the same time and come from different places are two arrays, so that
   pointers which a program swaps do not make one array of two. */
#include "arrays.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_debuginfo.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_machine.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_oset.h"
#include "pub_tool_replacemalloc.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_tooliface.h"
#include "pub_tool_xarray.h"

/* A stack whose blocks stayed nameless so often gets no more private records, and is looked at only when the
   number of its blocks doubles: programs that allocate in their inner loops must not pay for a search each
   time. */
enum { MOST_PRIVATE = 8, MOST_VAIN_SEARCHES = 64 };

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

static UInt new_array(void)
{
    if (array_count_made + 1 == MOST_ARRAYS) {
        limit_add("more arrays than are told apart: the last ones share one", 1);
        return array_count_made;
    }
    if (array_count_made + 1 >= array_room) {
        array_room = array_room ? 2 * array_room : 256;
        arrays = VG_(realloc)("dart.arrays", arrays, array_room * sizeof *arrays);
    }
    struct array *array = VG_(calloc)("dart.arrays", 1, sizeof *array);
    array->is_changed = True;
    arrays[++array_count_made] = array;
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
            limit_add("maps that could not be joined, because a block was taken for two kinds of array", 1);
        maps_merge(to, map, is_kept);
    }
}

/* One array becomes the same as another; what was counted goes along. */
static void join(UInt number, UInt other)
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
    to->lives += from->lives;
    to->live_blocks += from->live_blocks;
    to->is_counted |= from->is_counted;
    if (from->bytes > to->bytes)
        to->bytes = from->bytes;
    to->is_changed = from->is_changed = True;
    from->same_as = other;
}

/* Variables. */
static void describe(struct array *array, UInt data, UInt kind, Addr address, ULong bytes, Addr function)
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

static void add_name(UInt number, UInt data)
{
    UInt *link = &list.data[data - 1].first_array;
    UInt ordinal = 1;
    for (; *link; link = &arrays[*link]->next_same_name)
        ordinal++;
    *link = number;
    arrays[number]->ordinal = ordinal;
    arrays[number]->next_same_name = 0;
}

static void drop_name(UInt number)
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
    number = new_array();
    if (arrays[number]->data)
        return number;
    describe(arrays[number], data, kind, address, bytes, function);
    arrays[number]->lives = 1;
    add_name(number, data);
    return number;
}

void array_has_open_size(UInt number)
{
    array_of(number)->is_size_open = True;
}

/* Fixed addresses: sorted by where they begin. */
struct region {
    Addr start, end;
    UInt data, array;
};
static struct region *regions;
static UInt region_count;
static Bool modules_are_stale = True;

static Int compare_regions(const void *left, const void *right)
{
    const struct region *a = left, *b = right;
    return a->start != b->start ? (a->start < b->start ? -1 : 1) : a->end > b->end ? -1 : a->end < b->end;
}

static UInt fixed_kind(HChar kind)
{
    return kind == ARRAY_LIST_COMMON   ? TRACE_ARRAY_COMMON
           : kind == ARRAY_LIST_GLOBAL ? TRACE_ARRAY_GLOBAL
                                       : TRACE_ARRAY_STATIC;
}

static void mark_pages(Addr start, SizeT bytes)
{
    SizeT pages = bytes >> PAGE_BITS;
    if (pages > PAGE_ENTRIES)
        pages = PAGE_ENTRIES;
    for (SizeT page = 0; page <= pages + 1; page++) {
        Addr address = start + (page << PAGE_BITS);
        if (address >> PAGE_BITS > (start + (bytes ? bytes - 1 : 0)) >> PAGE_BITS)
            break;
        pages_of_interest[(address >> PAGE_BITS) & (PAGE_ENTRIES - 1)] |= PAGE_HAS_ARRAY;
    }
}

static void find_modules(void)
{
    for (UInt i = 0; i < list.module_count; i++)
        list.modules[i].is_loaded = False;
    for (const DebugInfo *info = VG_(next_DebugInfo)(NULL); info; info = VG_(next_DebugInfo)(info))
        for (UInt i = 0; i < list.module_count; i++) {
            struct list_module *module = &list.modules[i];
            const HChar *path = VG_(DebugInfo_get_filename)(info);
            if (module->is_loaded || !path || VG_(strcmp)(path, module->path) != 0)
                continue;
            module->is_loaded = True;
            module->bias = VG_(DebugInfo_get_text_bias)(info);
        }
}

static void add_region(const struct list_variable *variable, const struct list_place *place, UInt data)
{
    const struct list_data *facts = &list.data[data];
    ULong bytes = array_list_bytes(facts);
    if (place->how != 'a' || facts->how != 'a' || facts->indirect >= 0 || bytes == 0)
        return;
    Addr start = (Addr)place->value + (Addr)list.modules[variable->module].bias + facts->offset;
    regions[region_count++] = (struct region){start, start + bytes, data + 1, 0};
    mark_pages(start, bytes);
}

static void refresh_modules(void)
{
    modules_are_stale = False;
    find_modules();
    if (!regions)
        regions = VG_(malloc)("dart.regions", (list.data_count + 1) * sizeof *regions);
    region_count = 0;
    UInt last = list.variable_count;
    for (UInt i = 0; i < list.fixed_count; i++) {
        const struct list_variable *variable = &list.variables[list.fixed[i]];
        if (list.fixed[i] == last || !list.modules[variable->module].is_loaded)
            continue;
        last = list.fixed[i];
        for (UInt d = 0; d < variable->data_count; d++)
            add_region(variable, &list.places[variable->first_place], variable->first_data + d);
    }
    VG_(ssort)(regions, region_count, sizeof *regions, compare_regions);
}

void arrays_refresh(void)
{
    if (modules_are_stale)
        refresh_modules();
}

static struct region *region_at(Addr address)
{
    /* Variables that overlap (views of one COMMON block) are few: looking back a little finds the outer one.
     */
    enum { LOOK_BACK = 8 };
    UInt low = 0, high = region_count;
    while (low < high) {
        UInt middle = low + (high - low) / 2;
        if (regions[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    for (UInt back = 0; back < LOOK_BACK && low > back; back++)
        if (address < regions[low - 1 - back].end)
            return &regions[low - 1 - back];
    return NULL;
}

/* Heap blocks. */
static OSet *blocks;

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

/* A part of a block that is an array of its own: a member of a structure. */
struct part {
    struct part *next;
    Addr start, end;
    UInt array;
};

/* The record of a variable that leads to a block: see the top. */
static UInt record_for(UInt data, const struct block *block)
{
    for (UInt number = list.data[data - 1].first_array; number; number = arrays[number]->next_same_name) {
        struct array *array = array_of(number);
        if (array->live_blocks == 0 || array->stack == block->stack)
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
    describe(array, found->data, found->kind, start, bytes, found->function);
    take_dimensions(array, found);
    array->is_private = False;
    add_name(array_resolve(number), found->data);
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
        number = new_array();
        if (!arrays[number]->data)
            name_array(number, found, found->start, bytes);
        arrays[number]->stack = block->stack;
    }
    struct array *array = array_of(number);
    array->lives++;
    array->live_blocks++;
    array->address = found->start;
    array->is_changed = True;
    struct part *part = VG_(malloc)("dart.part", sizeof *part);
    *part = (struct part){block->parts, found->start, found->start + bytes, number};
    block->parts = part;
}

/* A parameter that leads to several arrays at a time names none of them: they are told by their allocation.
 */
static Bool is_vague(const struct name_found *found, const struct block *block)
{
    struct list_data *data = &list.data[found->data - 1];
    if (list.variables[data->variable].kind != ARRAY_LIST_PARAMETER || !data->first_array ||
        record_for(found->data, block))
        return False;
    data->is_vague = True;
    while (data->first_array) {
        UInt number = data->first_array;
        struct array *array = arrays[number];
        struct place_of_allocation *place = place_of(array->stack);
        drop_name(number);
        array->kind = TRACE_ARRAY_BLOCK;
        array->is_changed = True;
        array->is_private = array->live_blocks > 0;
        if (!array->is_private && place->array)
            join(number, place->array);
        else if (!array->is_private)
            place->array = number;
    }
    return True;
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
        if (own && own->live_blocks == 1 && own->lives == 1) {
            drop_name(array_resolve(block->array));
            join(block->array, number);
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
    if (own && own->live_blocks == 1 && own->lives == 1) {
        drop_name(array_resolve(block->array));
    } else {
        if (own)
            own->live_blocks--;
        block->array = new_array();
        arrays[block->array]->lives++;
        arrays[block->array]->live_blocks++;
        arrays[block->array]->stack = block->stack;
    }
    name_array(block->array, found, found->start, block->bytes);
}

static void search_name(struct block *block, Addr address)
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
static void stay_nameless(struct block *block)
{
    struct place_of_allocation *place = place_of(block->stack);
    UInt number = place->array;
    if (!number || place->private_count < MOST_PRIVATE) {
        number = new_array();
        struct array *array = arrays[number];
        if (array->kind != TRACE_ARRAY_BLOCK && !array->data) {
            array->kind = TRACE_ARRAY_BLOCK;
            array->stack = block->stack;
            array->is_private = True;
            place->private_count++;
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

static void block_event(struct block *block, Addr address)
{
    block->events++;
    if (block->events < block->next_try)
        return;
    block->next_try = block->events * 2;
    if (block->rank < BEST_NAME)
        search_name(block, address);
}

static void end_life(UInt number)
{
    struct array *array = array_of(number);
    if (array && array->live_blocks)
        array->live_blocks--;
}

/* A nameless block joins the others of its place of allocation. */
static void settle(struct block *block)
{
    struct array *array = array_of(block->array);
    struct place_of_allocation *place = place_of(block->stack);
    if (!array || !array->is_private)
        return;
    array->is_private = False;
    if (place->array)
        join(block->array, place->array);
    else
        place->array = array_resolve(block->array);
}

void arrays_settle(void)
{
    struct block *block;
    VG_(OSetGen_ResetIter)(blocks);
    while ((block = VG_(OSetGen_Next)(blocks)))
        settle(block);
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

static void forget_answers(void)
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

static const struct answer *answer_of_block(struct block *block, Addr address)
{
    block_event(block, address);
    for (struct part *part = block->parts; part; part = part->next)
        if (address - part->start < part->end - part->start)
            return remember((struct answer){part->start, part->end, part->start, part->array, NULL});
    if (!block->array)
        stay_nameless(block);
    struct answer answer = {block->start, block->start + block->bytes, block->data_start, block->array,
                            block};
    if (!block->parts)
        return remember(answer);
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
    struct region *region = region_at(address);
    if (region) {
        if (!region->array) {
            const struct list_variable *variable = &list.variables[list.data[region->data - 1].variable];
            region->array = array_of_variable(region->data, region->start, region->end - region->start,
                                              fixed_kind(variable->kind), 0);
        }
        return remember((struct answer){region->start, region->end, region->start, region->array, NULL});
    }
    Addr start;
    UInt array = stack_array_at(VG_(get_running_tid)(), address, &start);
    if (!array)
        return NULL;
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

/* What replaces malloc. */
static void *allocate(ThreadId thread, SizeT bytes, SizeT alignment, Bool is_zeroed)
{
    if ((SSizeT)bytes < 0)
        return NULL;
    void *memory = VG_(cli_malloc)(alignment, bytes);
    if (!memory)
        return NULL;
    if (is_zeroed)
        VG_(memset)(memory, 0, bytes);
    struct block *block = VG_(OSetGen_AllocNode)(blocks, sizeof *block);
    *block = (struct block){.start = (Addr)memory, .bytes = bytes, .stack = stack_here(thread)};
    block->data_start = block->start;
    VG_(OSetGen_Insert)(blocks, block);
    mark_pages(block->start, bytes);
    return memory;
}

static void release(void *memory)
{
    Addr start = (Addr)memory;
    struct block *block = memory ? block_at(start) : NULL;
    if (!block || block->start != start)
        return;
    if (block->array && !array_of(block->array)->data)
        search_name(block, start);
    settle(block);
    end_life(block->array);
    while (block->parts) {
        struct part *part = block->parts;
        block->parts = part->next;
        end_life(part->array);
        VG_(free)(part);
    }
    forget_answers();
    VG_(OSetGen_Remove)(blocks, &start);
    VG_(OSetGen_FreeNode)(blocks, block);
    VG_(cli_free)(memory);
}

static void *tool_malloc(ThreadId thread, SizeT bytes)
{
    return allocate(thread, bytes, VG_(clo_alignment), False);
}

static void *tool_aligned_new(ThreadId thread, SizeT bytes, SizeT alignment)
{
    return allocate(thread, bytes, alignment, False);
}

static void *tool_memalign(ThreadId thread, SizeT alignment, SizeT bytes)
{
    return allocate(thread, bytes, alignment, False);
}

static void *tool_calloc(ThreadId thread, SizeT count, SizeT bytes)
{
    if (bytes && count > (~(SizeT)0 >> 1) / bytes)
        return NULL;
    return allocate(thread, count * bytes, VG_(clo_alignment), True);
}

static void tool_free(ThreadId thread, void *memory)
{
    (void)thread;
    release(memory);
}

static void tool_aligned_delete(ThreadId thread, void *memory, SizeT alignment)
{
    (void)thread;
    (void)alignment;
    release(memory);
}

static void *tool_realloc(ThreadId thread, void *memory, SizeT bytes)
{
    struct block *block = memory ? block_at((Addr)memory) : NULL;
    if (!memory)
        return tool_malloc(thread, bytes);
    if (!block || block->start != (Addr)memory)
        return NULL;
    if (bytes == 0) {
        release(memory);
        return NULL;
    }
    SizeT kept = block->bytes < bytes ? block->bytes : bytes;
    void *moved = tool_malloc(thread, bytes);
    if (!moved)
        return NULL;
    VG_(memcpy)(moved, memory, kept);
    shadow_copy((Addr)memory, (Addr)moved, kept);
    release(memory);
    return moved;
}

static SizeT tool_usable_size(ThreadId thread, void *memory)
{
    (void)thread;
    struct block *block = memory ? block_at((Addr)memory) : NULL;
    return block && block->start == (Addr)memory ? block->bytes : 0;
}

static void mapped(Addr address, SizeT bytes, Bool is_readable, Bool is_writable, Bool is_executable,
                   ULong debug)
{
    (void)address;
    (void)bytes;
    (void)is_readable;
    (void)is_writable;
    (void)debug;
    if (is_executable)
        modules_are_stale = True;
}

static void unmapped(Addr address, SizeT bytes)
{
    (void)address;
    if (bytes >= 1 << PAGE_BITS) {
        modules_are_stale = True;
        forget_answers();
    }
}

void arrays_initialise(void)
{
    blocks = VG_(OSetGen_Create)(0, compare_block, VG_(malloc), "dart.blocks", VG_(free));
    places_of_allocation =
        VG_(newXA)(VG_(malloc), "dart.places", VG_(free), sizeof(struct place_of_allocation));
    VG_(needs_malloc_replacement)
    (tool_malloc, tool_malloc, tool_aligned_new, tool_malloc, tool_aligned_new, tool_memalign, tool_calloc,
     tool_free, tool_free, tool_aligned_delete, tool_free, tool_aligned_delete, tool_realloc,
     tool_usable_size, 0);
    VG_(track_new_mem_mmap)(mapped);
    VG_(track_new_mem_startup)(mapped);
    VG_(track_die_mem_munmap)(unmapped);
}
