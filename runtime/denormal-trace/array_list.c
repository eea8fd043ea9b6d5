/* The list of arrays, read from the file that Assay wrote (array_list_file.h).

   The file comes from a friend, but it may be old, cut short or another's: every line is checked, a line that
   is not understood ends the reading with a limit that says so, and what was read until then is used.
   Everything lives in tables that only grow while the list is read; afterwards nothing in them changes but
   where modules are and which arrays bear which name. */
#include "arrays.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_vki.h"

/* Larger lists are cut: the tool's memory must stay bounded. */
enum { MOST_LIST_BYTES = 64 << 20, MOST_ROWS = 1 << 20 };

struct list list;

struct table { /* one of list's, while it grows */
    void **rows;
    UInt *count;
    UInt room;
    SizeT row_bytes;
};
static struct table tables[] = {
    {(void **)&list.modules, &list.module_count, 0, sizeof(struct list_module)},
    {(void **)&list.functions, &list.function_count, 0, sizeof(struct list_function)},
    {(void **)&list.variables, &list.variable_count, 0, sizeof(struct list_variable)},
    {(void **)&list.places, &list.place_count, 0, sizeof(struct list_place)},
    {(void **)&list.data, &list.data_count, 0, sizeof(struct list_data)},
    {(void **)&list.fixed, &list.fixed_count, 0, sizeof(UInt)},
    {(void **)&list.saved, &list.saved_count, 0, sizeof(struct list_saved)},
};
enum { TABLE_MODULES, TABLE_FUNCTIONS, TABLE_VARIABLES, TABLE_PLACES, TABLE_DATA, TABLE_FIXED, TABLE_SAVED };

static void *add_row(UInt which)
{
    struct table *table = &tables[which];
    if (*table->count == MOST_ROWS)
        return NULL;
    if (*table->count == table->room) {
        table->room = table->room ? 2 * table->room : 256;
        *table->rows = VG_(realloc)("trace.list", *table->rows, table->room * table->row_bytes);
    }
    HChar *row = (HChar *)*table->rows + *table->count * table->row_bytes;
    VG_(memset)(row, 0, table->row_bytes);
    ++*table->count;
    return row;
}

/* The rest of a line, word by word. */
static Bool take_number(HChar **at, Bool is_hexadecimal, Long *number)
{
    HChar *end;
    while (**at == ' ')
        ++*at;
    if (**at == 0)
        return False;
    *number = is_hexadecimal ? (Long)VG_(strtoull16)(*at, &end) : VG_(strtoll10)(*at, &end);
    if (end == *at || (*end != ' ' && *end != 0))
        return False;
    *at = end;
    return True;
}

static Bool take_letter(HChar **at, HChar *letter)
{
    while (**at == ' ')
        ++*at;
    if (**at == 0 || ((*at)[1] != ' ' && (*at)[1] != 0))
        return False;
    *letter = **at;
    ++*at;
    return True;
}

static const HChar *rest(HChar *at)
{
    while (*at == ' ')
        at++;
    return at;
}

static Bool read_module(HChar *at)
{
    struct list_module *module = add_row(TABLE_MODULES);
    if (!module)
        return False;
    module->path = VG_(strdup)("trace.list", rest(at));
    module->first_function = list.function_count;
    return True;
}

static Bool read_function(HChar *at)
{
    Long low, high;
    if (!list.module_count || !take_number(&at, True, &low) || !take_number(&at, True, &high))
        return False;
    struct list_function *function = add_row(TABLE_FUNCTIONS);
    if (!function)
        return False;
    *function = (struct list_function){.low = (Addr)low,
                                       .high = (Addr)high,
                                       .module = list.module_count - 1,
                                       .first_variable = list.variable_count,
                                       .first_saved = list.saved_count};
    list.modules[list.module_count - 1].function_count++;
    return True;
}

static Bool read_saved(HChar *at)
{
    struct list_saved saved = {0};
    Long low, high, number, offset;
    if (!list.function_count || !take_number(&at, True, &low) || !take_number(&at, True, &high))
        return False;
    saved.low = (Addr)low;
    saved.high = (Addr)high;
    while (saved.count < ARRAY_LIST_SAVED && take_number(&at, False, &number)) {
        if (!take_number(&at, False, &offset) || number < 0 || number > 63 || offset < -(1 << 30) ||
            offset > 1 << 30)
            return False;
        saved.registers[saved.count] = (UChar)number;
        saved.offsets[saved.count++] = (Int)offset;
    }
    struct list_saved *row = add_row(TABLE_SAVED);
    if (!row)
        return False;
    *row = saved;
    list.functions[list.function_count - 1].saved_count++;
    return True;
}

static Bool read_variable(HChar *at)
{
    Long row;
    HChar kind;
    if (!list.module_count || !list.modules[list.module_count - 1].function_count ||
        !take_number(&at, False, &row) || !take_letter(&at, &kind))
        return False;
    struct list_variable *variable = add_row(TABLE_VARIABLES);
    if (!variable)
        return False;
    *variable = (struct list_variable){.row = (UInt)row,
                                       .function = list.function_count - 1,
                                       .module = list.module_count - 1,
                                       .kind = kind,
                                       .first_place = list.place_count,
                                       .first_data = list.data_count};
    list.functions[list.function_count - 1].variable_count++;
    return True;
}

static Bool read_place(HChar *at)
{
    Long low, high, number, value;
    HChar how;
    if (!list.variable_count || !take_number(&at, True, &low) || !take_number(&at, True, &high) ||
        !take_letter(&at, &how) || !take_number(&at, False, &number) || !take_number(&at, False, &value))
        return False;
    struct list_place *place = add_row(TABLE_PLACES);
    if (!place)
        return False;
    *place = (struct list_place){
        .low = (Addr)low, .high = (Addr)high, .how = how, .dwarf_register = (UInt)number, .value = value};
    list.variables[list.variable_count - 1].place_count++;
    if (how == 'a' || how == 'A') {
        UInt *fixed = add_row(TABLE_FIXED);
        if (fixed)
            *fixed = list.variable_count - 1;
    }
    return True;
}

static Bool read_data(HChar *at)
{
    struct list_data data = {.variable = list.variable_count - 1};
    Long target_bytes, offset, value_bytes, element_bytes, rank;
    if (!list.variable_count || !take_number(&at, False, &data.indirect) ||
        !take_number(&at, False, &target_bytes) || !take_letter(&at, &data.how) ||
        !take_number(&at, False, &offset) || !take_number(&at, False, &value_bytes) ||
        !take_number(&at, False, &element_bytes) || !take_number(&at, False, &rank))
        return False;
    if (offset < 0 || value_bytes < 0 || value_bytes > 16 || element_bytes <= 0 || element_bytes > 1 << 20 ||
        rank < 0 || rank > ARRAY_LIST_DIMENSIONS)
        return False;
    data.target_bytes = (ULong)target_bytes;
    data.offset = (ULong)offset;
    data.value_bytes = (UInt)value_bytes;
    data.element_bytes = (UInt)element_bytes;
    data.rank = (UInt)rank;
    for (UInt i = 0; i < data.rank; i++) {
        Long count;
        if (!take_number(&at, False, &count) || count < 0 || count > 1LL << 40)
            return False;
        data.dimensions[i] = (ULong)count;
    }
    HChar *element = (HChar *)rest(at), *tab = VG_(strchr)(element, '\t');
    if (!tab || !tab[1])
        return False;
    *tab = 0;
    data.element = VG_(strdup)("trace.list", element);
    data.name = VG_(strdup)("trace.list", tab + 1);
    struct list_data *row = add_row(TABLE_DATA);
    if (!row)
        return False;
    *row = data;
    list.variables[list.variable_count - 1].data_count++;
    return True;
}

static Bool read_part(HChar *at)
{
    Long offset, bytes, value_bytes, element_bytes, integers;
    UInt whole = list.data_count;
    while (whole > 0 && list.data[whole - 1].is_part)
        whole--;
    if (!whole || !take_number(&at, False, &offset) || !take_number(&at, False, &bytes) ||
        !take_number(&at, False, &value_bytes) || !take_number(&at, False, &element_bytes) ||
        !take_number(&at, False, &integers))
        return False;
    if (offset < 0 || bytes < 0 || offset > 1LL << 46 || bytes > 1LL << 46 ||
        (value_bytes != 4 && value_bytes != 8) || element_bytes < value_bytes || element_bytes > 16)
        return False;
    HChar *element = (HChar *)rest(at), *tab = VG_(strchr)(element, '\t');
    if (!tab || !tab[1])
        return False;
    *tab = 0;
    struct list_data *row = add_row(TABLE_DATA);
    if (!row)
        return False;
    *row = list.data[whole - 1];
    row->is_part = True;
    row->holds_integers = integers != 0;
    row->part_count = 0;
    row->part_offset = (ULong)offset;
    row->part_bytes = (ULong)bytes;
    row->value_bytes = (UInt)value_bytes;
    row->element_bytes = (UInt)element_bytes;
    row->rank = 0;
    row->element = VG_(strdup)("trace.list", element);
    row->name = VG_(strdup)("trace.list", tab + 1);
    list.data[whole - 1].part_count++;
    list.variables[list.variable_count - 1].data_count++;
    return True;
}

static Bool read_line(HChar *line)
{
    static const struct {
        const HChar *word;
        Bool (*read)(HChar *at);
    } kinds[] = {{"module ", read_module},     {"function ", read_function}, {"saved ", read_saved},
                 {"variable ", read_variable}, {"place ", read_place},       {"data ", read_data},
                 {"part ", read_part}};
    for (UInt i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (VG_(strncmp)(line, kinds[i].word, VG_(strlen)(kinds[i].word)) == 0)
            return kinds[i].read(line + VG_(strlen)(kinds[i].word));
    return False;
}

static HChar *read_whole(const HChar *path, SizeT *bytes)
{
    Int descriptor = VG_(fd_open)(path, VKI_O_RDONLY, 0);
    struct vg_stat facts;
    *bytes = 0;
    if (descriptor < 0)
        return NULL;
    if (VG_(fstat)(descriptor, &facts) != 0 || facts.size <= 0 || facts.size > MOST_LIST_BYTES) {
        VG_(close)(descriptor);
        return NULL;
    }
    HChar *text = VG_(malloc)("trace.list", (SizeT)facts.size + 1);
    while (*bytes < (SizeT)facts.size) {
        Int got = VG_(read)(descriptor, text + *bytes, (Int)((SizeT)facts.size - *bytes));
        if (got <= 0)
            break;
        *bytes += (SizeT)got;
    }
    VG_(close)(descriptor);
    text[*bytes] = 0;
    return text;
}

void array_list_read(const HChar *path)
{
    SizeT bytes;
    HChar *text = read_whole(path, &bytes);
    if (!text) {
        limit_add("the list of arrays could not be read: blocks have no names", 0);
        return;
    }
    Bool is_good = True, is_first = True;
    HChar *next;
    for (HChar *line = text; is_good && line < text + bytes; line = next) {
        HChar *end = VG_(strchr)(line, '\n');
        if (!end) {
            is_good = False;
            break;
        }
        *end = 0;
        next = end + 1;
        is_good = is_first ? VG_(strcmp)(line, ARRAY_LIST_FIRST_LINE) == 0 : read_line(line);
        is_first = False;
    }
    if (!is_good)
        limit_add("the list of arrays is damaged or too long: some arrays have no names", 0);
    VG_(free)(text);
}

const struct list_function *array_list_function(Addr address)
{
    for (UInt m = 0; m < list.module_count; m++) {
        const struct list_module *module = &list.modules[m];
        if (!module->is_loaded)
            continue;
        Addr wanted = address - (Addr)module->bias;
        UInt low = module->first_function, high = low + module->function_count;
        while (low < high) { /* Assay lists functions in the order of their addresses */
            UInt middle = low + (high - low) / 2;
            if (list.functions[middle].low <= wanted)
                low = middle + 1;
            else
                high = middle;
        }
        if (low > module->first_function && wanted < list.functions[low - 1].high)
            return &list.functions[low - 1];
    }
    return NULL;
}

ULong array_list_bytes(const struct list_data *data)
{
    ULong bytes = data->element_bytes;
    if (data->rank == 0)
        return 0;
    for (UInt i = 0; i < data->rank; i++) {
        if (data->dimensions[i] == 0 || data->dimensions[i] > (1ULL << 46) / bytes)
            return 0;
        bytes *= data->dimensions[i];
    }
    return bytes;
}
