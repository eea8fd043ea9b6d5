/* Finds the variable of a heap block, and the places of variables while functions run.

   Nothing is recorded when a program stores a pointer: that would slow down every store.  Instead, after an
   event in a block, the tracer looks at the variables that could lead to it now: those at fixed addresses,
   and those of the functions that are active, innermost frames first, if debug information gives a place that
   can be computed there: from the call frame address, the frame or stack pointer, in the innermost frame from
   any register.  One that leads to the block is a candidate.  The best one wins: variables that live longer
   (fixed addresses, then locals of outer functions, then parameters), those that point to the very start of
   the block, plain ones before members that a pointer leads to. */
#include "arrays.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_guest.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_machine.h"
#include "pub_tool_stacktrace.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_vki.h"

Bool naming_read(Addr address, void *value, SizeT bytes)
{
    if (!VG_(am_is_valid_for_client)(address, bytes, VKI_PROT_READ))
        return False;
    VG_(memcpy)(value, (void *)address, bytes);
    return True;
}

static Bool read_pointer(Addr address, Addr *pointer)
{
    return naming_read(address, pointer, sizeof *pointer);
}

/* Registers by their DWARF numbers: offsets in the guest state, which are stack and frame pointer, and which
   a called function leaves as they are. */
#if defined(VGA_amd64)
#define REGISTER(name) offsetof(VexGuestAMD64State, guest_##name)
static const Int register_offsets[] = {REGISTER(RAX), REGISTER(RDX), REGISTER(RCX), REGISTER(RBX),
                                       REGISTER(RSI), REGISTER(RDI), REGISTER(RBP), REGISTER(RSP),
                                       REGISTER(R8),  REGISTER(R9),  REGISTER(R10), REGISTER(R11),
                                       REGISTER(R12), REGISTER(R13), REGISTER(R14), REGISTER(R15)};
enum { FRAME_POINTER = 6, STACK_POINTER = 7 };
#define IS_KEPT(number) ((number) == 3 || (number) == 6 || ((number) >= 12 && (number) <= 15))
#elif defined(VGA_arm64)
#define REGISTER(name) offsetof(VexGuestARM64State, guest_##name)
static const Int register_offsets[] = {
    REGISTER(X0),  REGISTER(X1),  REGISTER(X2),  REGISTER(X3),  REGISTER(X4),  REGISTER(X5),  REGISTER(X6),
    REGISTER(X7),  REGISTER(X8),  REGISTER(X9),  REGISTER(X10), REGISTER(X11), REGISTER(X12), REGISTER(X13),
    REGISTER(X14), REGISTER(X15), REGISTER(X16), REGISTER(X17), REGISTER(X18), REGISTER(X19), REGISTER(X20),
    REGISTER(X21), REGISTER(X22), REGISTER(X23), REGISTER(X24), REGISTER(X25), REGISTER(X26), REGISTER(X27),
    REGISTER(X28), REGISTER(X29), REGISTER(X30), REGISTER(XSP)};
enum { FRAME_POINTER = 29, STACK_POINTER = 31 };
#define IS_KEPT(number) ((number) >= 19 && (number) <= 28)
#elif defined(VGA_x86)
#define REGISTER(name) offsetof(VexGuestX86State, guest_##name)
static const Int register_offsets[] = {REGISTER(EAX), REGISTER(ECX), REGISTER(EDX), REGISTER(EBX),
                                       REGISTER(ESP), REGISTER(EBP), REGISTER(ESI), REGISTER(EDI)};
enum { FRAME_POINTER = 5, STACK_POINTER = 4 };
#define IS_KEPT(number) ((number) == 3 || (number) >= 5)
#else
#error "the tracer knows the registers of amd64, x86 and arm64"
#endif

/* Where a function has put a register of its caller.  False: nowhere, the register still has it; *is_lost:
   that cannot be told. */
static Bool saved_at(const struct frames *frames, UInt frame, UInt number, Addr *slot, Bool *is_lost)
{
    Addr ip = frames->ips[frame];
    const struct list_function *function = array_list_function(ip);
    *is_lost = !function;
    if (!function)
        return False;
    Addr address = ip - (Addr)list.modules[function->module].bias;
    for (UInt i = 0; i < function->saved_count; i++) {
        const struct list_saved *saved = &list.saved[function->first_saved + i];
        if (address < saved->low || address >= saved->high)
            continue;
        for (UInt k = 0; k < saved->count; k++)
            if (saved->registers[k] == number) {
                *is_lost = !naming_frame_address(frames, frame, slot);
                *slot += (Addr)(Word)saved->offsets[k];
                return !*is_lost;
            }
    }
    return False;
}

static Bool read_register(const struct frames *frames, UInt frame, UInt number, Addr *value)
{
    if (number == STACK_POINTER) {
        *value = frames->sps[frame];
        return True;
    }
    if (number == FRAME_POINTER && frames->fps[frame]) {
        *value = frames->fps[frame];
        return True;
    }
    if (number >= sizeof register_offsets / sizeof *register_offsets)
        return False;
    if (frame != 0 && !IS_KEPT(number))
        return False;
    /* The callee that saved it last before the frame at hand was left; from there inwards none has. */
    for (UInt inner = frame; inner-- > 0;) {
        Addr slot;
        Bool is_lost;
        if (saved_at(frames, inner, number, &slot, &is_lost))
            return read_pointer(slot, value);
        if (is_lost)
            return False;
    }
    VG_(get_shadow_regs_area)(frames->thread, (UChar *)value, 0, register_offsets[number], sizeof *value);
    return True;
}

void naming_frames(ThreadId thread, struct frames *frames)
{
    frames->thread = thread;
    frames->count = 0;
    if (thread != VG_INVALID_THREADID)
        frames->count =
            VG_(get_StackTrace)(thread, frames->ips, MOST_FRAMES + 1, frames->sps, frames->fps, 0);
}

Bool naming_frame_address(const struct frames *frames, UInt frame, Addr *address)
{
#if defined(VGA_arm64) /* a call puts nothing on the stack, and a function need not either */
    Bool is_below = frame + 1 < frames->count && frames->sps[frame + 1] >= frames->sps[frame];
#else
    Bool is_below = frame + 1 < frames->count && frames->sps[frame + 1] > frames->sps[frame];
#endif
    if (!is_below)
        return False;
    *address = frames->sps[frame + 1];
    return True;
}

static Bool place_holds(const struct list_place *place, Addr address_in_file)
{
    return (place->low == 0 && place->high == 0) ||
           (address_in_file >= place->low && address_in_file < place->high);
}

static Bool evaluate(const struct list_place *place, const struct list_module *module,
                     const struct frames *frames, UInt frame, struct where *where)
{
    where->is_value = False;
    switch (place->how) {
    case 'a':
    case 'A':
        where->address = (Addr)place->value + (Addr)module->bias;
        break;
    case 'f':
    case 'F':
        if (!naming_frame_address(frames, frame, &where->address))
            return False;
        where->address += (Addr)place->value;
        break;
    case 'b':
    case 'B':
        if (!read_register(frames, frame, place->dwarf_register, &where->address))
            return False;
        where->address += (Addr)place->value;
        break;
    case 'r':
        where->is_value = True;
        return read_register(frames, frame, place->dwarf_register, &where->address);
    default:
        return False;
    }
    if (place->how == 'A' || place->how == 'F' || place->how == 'B')
        return read_pointer(where->address, &where->address);
    return True;
}

Bool naming_where(const struct list_variable *variable, const struct frames *frames, UInt frame,
                  Addr address_in_file, struct where *where)
{
    const struct list_module *module = &list.modules[variable->module];
    for (UInt p = 0; p < variable->place_count; p++) {
        const struct list_place *place = &list.places[variable->first_place + p];
        if (place_holds(place, address_in_file))
            return evaluate(place, module, frames, frame, where);
    }
    return False;
}

/* Where the data of a variable is; descriptor: the address of the one that led there, or 0. */
static Bool follow(const struct list_data *data, const struct where *where, Addr *start, Addr *descriptor)
{
    Addr base = where->address;
    Bool is_value = where->is_value;
    *descriptor = 0;
    if (data->indirect >= 0) {
        if (!is_value && !read_pointer(base + (Addr)data->indirect, &base))
            return False;
        if (is_value && data->indirect != 0)
            return False;
        is_value = False;
        if (!base)
            return False;
    }
    switch (data->how) {
    case 'a':
    case 't':
        *start = base + data->offset;
        return !is_value;
    case 'd':
    case 'e':
        if (!is_value)
            *descriptor = base + data->offset;
        /* fall through */
    case 'p':
    case 's':
    case 'q':
        if (is_value) {
            *start = base;
            return data->offset == 0;
        }
        return read_pointer(base + data->offset, start);
    default:
        return False;
    }
}

/* gfortran's descriptor of an array: address, offset, element size, version, then one byte each for rank and
   type, two for the attribute, the span, and for each dimension stride, lower and upper bound. */
static Bool read_descriptor(Addr descriptor, const struct list_data *data, struct name_found *found)
{
    enum { LAST_WORD = 5 + 3 * TRACE_DIMENSIONS };
    Long words[LAST_WORD];
    UInt rank = data->rank;
    ULong elements = 1;
    Bool is_dense = True;
    if (sizeof(Addr) != 8 || rank == 0 || rank > TRACE_DIMENSIONS ||
        !naming_read(descriptor, words, (5 + 3 * rank) * sizeof *words))
        return False;
    for (UInt i = 0; i < rank; i++) {
        Long lower = words[6 + 3 * i], upper = words[7 + 3 * i], stride = words[5 + 3 * i];
        if (upper < lower || upper - lower >= 1LL << 40 || stride <= 0)
            return False;
        is_dense = is_dense && stride == (Long)elements;
        found->dimensions[i] = (ULong)(upper - lower + 1);
        elements *= found->dimensions[i];
        if (elements > 1ULL << 40)
            return False;
    }
    found->dimension_count = is_dense ? rank : 0; /* a section's elements do not follow each other */
    return True;
}

/* Rows: one of so many pointers leads to the block. */
static Bool row_leads_to(Addr pointers, SizeT bytes, const struct block *block)
{
    enum { MOST_ROWS = 1 << 16 };
    SizeT count = bytes / sizeof(Addr) < MOST_ROWS ? bytes / sizeof(Addr) : MOST_ROWS;
    if (!count || !VG_(am_is_valid_for_client)(pointers, count * sizeof(Addr), VKI_PROT_READ))
        return False;
    for (SizeT i = 0; i < count; i++)
        if (((const Addr *)pointers)[i] == block->start)
            return True;
    return False;
}

/* From there on to the end of the block that holds them. */
static SizeT bytes_of_rows(Addr pointers, const struct block *block)
{
    const struct block *table = block_at(pointers);
    return table && table != block ? table->start + table->bytes - pointers : 0;
}

static Int rank_of(const struct list_variable *variable, const struct list_data *data, UInt frame,
                   Bool is_exact)
{
    Bool is_parameter = variable->kind == ARRAY_LIST_PARAMETER, is_local = variable->kind == ARRAY_LIST_LOCAL;
    Int rank = is_parameter ? 100 : is_local ? 200 : 300;
    if (is_parameter || is_local)
        rank += 2 * (Int)frame;
    if (is_exact)
        rank += 400;
    if (data->indirect >= 0)
        rank -= 35;
    if (data->how == 's')
        rank -= 50;
    if (data->how == 'd' && !is_parameter)
        rank += 60;
    if (data->how == 'e' && !is_parameter)
        rank += 10;
    return rank;
}

/* A variable that names another array already is a poor name, yet better than none: when the program swaps
   its pointers, another one will lead here later. */
enum { TAKEN = 150 };

static UInt heap_kind(const struct list_data *data)
{
    if (list.variables[data->variable].kind == ARRAY_LIST_PARAMETER)
        return TRACE_ARRAY_HEAP;
    return data->how == 'd'   ? TRACE_ARRAY_ALLOCATABLE
           : data->how == 'e' ? TRACE_ARRAY_POINTER
                              : TRACE_ARRAY_HEAP;
}

static void consider(UInt row, const struct where *where, UInt frame, const struct block *block, Addr address,
                     Addr function, struct name_found *best)
{
    const struct list_data *data = &list.data[row];
    const struct list_variable *variable = &list.variables[data->variable];
    Addr start, descriptor;
    if (data->is_part || !follow(data, where, &start, &descriptor))
        return;
    ULong bytes = data->how == 'a' ? array_list_bytes(data) : 0;
    Bool is_member = data->how == 'a' && data->indirect >= 0;
    if (data->is_vague || (is_member && block->bytes >= 2 * data->target_bytes))
        return; /* an array of structures is not a member of its first element */
    if (data->how == 'q' || data->how == 't') {
        if (start & (sizeof(Addr) - 1) ||
            !row_leads_to(start, data->how == 't' ? data->target_bytes : bytes_of_rows(start, block), block))
            return;
        start = block->start;
    }
    if (start < block->start || start >= block->start + block->bytes)
        return;
    if (bytes && (address < start || address - start >= bytes))
        return; /* another member of the structure */
    struct name_found found = {.data = row + 1,
                               .rank = rank_of(variable, data, frame, is_member || start == block->start),
                               .start = start,
                               .kind = heap_kind(data),
                               .function = function};
    if (array_name_is_taken(row + 1, block))
        found.rank -= TAKEN;
    if (found.rank <= best->rank)
        return;
    if (descriptor && !read_descriptor(descriptor, data, &found))
        return;
    *best = found;
}

static void consider_variable(const struct list_variable *variable, const struct frames *frames, UInt frame,
                              Addr address_in_file, const struct block *block, Addr address, Addr function,
                              struct name_found *best)
{
    struct where where;
    if (!naming_where(variable, frames, frame, address_in_file, &where))
        return;
    for (UInt d = 0; d < variable->data_count; d++)
        consider(variable->first_data + d, &where, frame, block, address, function, best);
}

void naming_find(const struct block *block, Addr address, struct name_found *found)
{
    struct frames frames;
    VG_(memset)(found, 0, sizeof *found);
    arrays_refresh();
    naming_frames(VG_(get_running_tid)(), &frames);
    for (UInt i = 0; i < list.fixed_count; i++) {
        const struct list_variable *variable = &list.variables[list.fixed[i]];
        if (list.modules[variable->module].is_loaded)
            consider_variable(variable, &frames, 0, 0, block, address, 0, found);
    }
    for (UInt frame = 0; frame < frames.count && frame < MOST_FRAMES; frame++) {
        Addr ip = frames.ips[frame];
        const struct list_function *function = array_list_function(ip);
        if (!function)
            continue;
        const struct list_module *module = &list.modules[function->module];
        for (UInt v = 0; v < function->variable_count; v++) {
            const struct list_variable *variable = &list.variables[function->first_variable + v];
            if (variable->kind == ARRAY_LIST_LOCAL || variable->kind == ARRAY_LIST_PARAMETER)
                consider_variable(variable, &frames, frame, ip - (Addr)module->bias, block, address,
                                  function->low + (Addr)module->bias, found);
        }
    }
}
