/* Parts of arrays that the user gave names: each is an array of its own, with its own counts, maps and origins.

   The list of arrays has them after the data that they belong to.  Whatever memory turns out to bear that name,
   on the heap, on a stack or at a fixed address, is divided: an array has a record for each of its parts, made
   when something happens there first.  What lies in no part stays with the array. */
#include "arrays.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

static UInt record_of_part(struct array *whole, UInt part)
{
    const struct list_data *facts = &list.data[whole->data - 1];
    if (!whole->parts || whole->parts_of != whole->data) {
        if (whole->parts)
            VG_(free)(whole->parts);
        whole->parts = VG_(calloc)("trace.parts", facts->part_count, sizeof *whole->parts);
        whole->parts_of = whole->data;
    }
    if (!whole->parts[part])
        whole->parts[part] = array_new();
    return whole->parts[part];
}

static void describe(UInt number, const struct array *whole, UInt data, Addr start, ULong bytes)
{
    struct array *array = array_of(number);
    if (array->is_rest || (array->data == data && array->bytes >= bytes && array->address == start))
        return;
    array_describe(array, data, whole->kind, start, bytes, whole->function);
    array->ordinal = whole->ordinal;
    array->stack = whole->stack;
    array->lives = whole->lives;
    array->rank = 1;
    array->dimensions[0] = array->bytes / array->element_bytes;
}

UInt array_part_at(UInt number, Addr data_start, Addr address, Addr *start, Addr *end)
{
    struct array *whole = array_of(number);
    if (!whole || !whole->data || !list.data[whole->data - 1].part_count)
        return number;
    Addr limit = *end;
    for (UInt i = 0; i < list.data[whole->data - 1].part_count; i++) {
        UInt row = whole->data + i; /* the part's, after the whole's */
        const struct list_data *part = &list.data[row];
        Addr first = data_start + part->part_offset, last = first + part->part_bytes;
        if (part->part_bytes == 0 || last > limit)
            last = limit;
        if (address < first || address >= last)
            continue;
        UInt made = record_of_part(whole, i);
        describe(made, whole, row + 1, first, last - first);
        *start = first;
        *end = last;
        return made;
    }
    *start = *end = address; /* between parts: nothing to remember */
    return number;
}

void array_parts_join(struct array *from, struct array *to)
{
    if (!from->parts || !from->data || from->parts_of != from->data)
        return;
    for (UInt i = 0; i < list.data[from->data - 1].part_count; i++) {
        if (!from->parts[i])
            continue;
        if (to->data == from->data && to->parts_of == to->data && to->parts && to->parts[i])
            array_join(from->parts[i], to->parts[i]);
        else if (to->data == from->data) {
            record_of_part(to, i); /* makes room */
            array_join(from->parts[i], to->parts[i]);
        }
    }
}

Bool array_holds_integers(UInt number)
{
    const struct array *array = array_of(number);
    return array && array->data && list.data[array->data - 1].holds_integers;
}
