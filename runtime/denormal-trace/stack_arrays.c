/* Arrays on stacks: local variables of the functions that are active.

   Their places are computed for all active functions at once, from debug information, and kept as a picture
   of the stack.  A picture is reused while the thread is in the same function, at the same stack pointer, and
   has the same callers: the return addresses on the stack are compared.  At -O0 all scalars live on the
   stack, so most lookups find "none" in such a picture, without unwinding. */
#include "arrays.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_guest.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_machine.h"
#include "pub_tool_threadstate.h"

enum { PICTURES = 8, MOST_LOCALS = 64 };

struct local {
    Addr start, end;
    UInt data, array;
    Addr function;
};
struct picture {
    ThreadId thread;    /* VG_INVALID_THREADID: empty */
    Addr sp, low, high; /* innermost function, or its one instruction */
    Addr bottom;        /* all that was looked at lies below */
    UInt caller_count, local_count;
    Addr slots[MOST_FRAMES], callers[MOST_FRAMES];
    Addr link; /* where the innermost function returns to, if a register has it (AArch64); 0: the stack has it
                */
    struct local locals[MOST_LOCALS];
};
static struct picture pictures[PICTURES];
static UInt oldest;

static Addr link_register(ThreadId thread)
{
    Addr link = 0;
#if defined(VGA_arm64)
    VG_(get_shadow_regs_area)
    (thread, (UChar *)&link, 0, offsetof(VexGuestARM64State, guest_X30), sizeof link);
#else
    (void)thread;
#endif
    return link;
}

static Bool is_current(const struct picture *picture, ThreadId thread, Addr sp, Addr ip)
{
    if (picture->thread != thread || picture->sp != sp || ip < picture->low || ip >= picture->high)
        return False;
    if (picture->link && picture->link != link_register(thread))
        return False;
    for (UInt i = 0; i < picture->caller_count; i++)
        if (*(const Addr *)picture->slots[i] != picture->callers[i])
            return False;
    return True;
}

/* Where the return address of a frame lies on the stack. */
static Bool return_slot(const struct frames *frames, UInt frame, Addr *slot)
{
    Addr wanted = frames->ips[frame + 1] + 1, top;
    if (!naming_frame_address(frames, frame, &top))
        return False;
#if defined(VGA_arm64)
    *slot = frames->fps[frame] + sizeof(Addr);
    if (*slot < frames->sps[frame] || *slot >= top)
        return False;
#else
    *slot = top - sizeof(Addr);
#endif
    return *(const Addr *)*slot == wanted;
}

static void add_local(struct picture *picture, UInt row, const struct where *where, Addr function, Addr top)
{
    const struct list_data *data = &list.data[row];
    if (data->is_part || data->how != 'a' || data->indirect >= 0 || where->is_value || picture->local_count == MOST_LOCALS)
        return;
    Addr start = where->address + data->offset;
    ULong bytes = array_list_bytes(data);
    if (start < picture->sp || start >= top)
        return; /* a parameter that lies elsewhere */
    picture->locals[picture->local_count++] =
        (struct local){start, bytes ? start + bytes : top, row + 1, 0, function};
}

/* Locals, and parameters that are passed by value; those of Fortran lie in some caller's frame, or elsewhere.
 */
static Bool may_be_here(const struct list_variable *variable)
{
    Bool is_array = False;
    for (UInt d = 0; d < variable->data_count; d++)
        is_array |= list.data[variable->first_data + d].how == 'a' &&
                    list.data[variable->first_data + d].indirect < 0;
    return is_array && variable->place_count &&
           (variable->kind == ARRAY_LIST_LOCAL ||
            (variable->kind == ARRAY_LIST_PARAMETER && list.places[variable->first_place].how == 'f'));
}

static void draw(struct picture *picture, ThreadId thread, Addr sp, Addr ip)
{
    struct frames frames;
    naming_frames(thread, &frames);
    *picture = (struct picture){.thread = thread, .sp = sp, .low = ip, .high = ip + 1, .bottom = sp};
    for (UInt frame = 0; frame + 1 < frames.count && frame < MOST_FRAMES; frame++) {
        Addr at = frames.ips[frame], top, slot;
        if (!naming_frame_address(&frames, frame, &top))
            break;
        picture->bottom = top;
        if (return_slot(&frames, frame, &slot)) {
            picture->slots[picture->caller_count] = slot;
            picture->callers[picture->caller_count++] = frames.ips[frame + 1] + 1;
        } else if (frame == 0)
            picture->link = link_register(thread);
        const struct list_function *function = array_list_function(at);
        if (!function)
            continue;
        Addr bias = (Addr)list.modules[function->module].bias;
        Bool is_steady = True;
        for (UInt v = 0; v < function->variable_count; v++) {
            const struct list_variable *variable = &list.variables[function->first_variable + v];
            struct where where;
            if (!may_be_here(variable))
                continue;
            const struct list_place *place = &list.places[variable->first_place];
            if (variable->place_count != 1 || place->low || place->how != 'f')
                is_steady = False;
            if (naming_where(variable, &frames, frame, at - bias, &where))
                for (UInt d = 0; d < variable->data_count; d++)
                    add_local(picture, variable->first_data + d, &where, function->low + bias, top);
        }
        if (frame == 0 && is_steady) {
            picture->low = function->low + bias;
            picture->high = function->high + bias;
        }
    }
}

UInt stack_array_at(ThreadId thread, Addr address, Addr *start)
{
    if (thread == VG_INVALID_THREADID || !list.function_count)
        return 0;
    Addr sp = VG_(get_SP)(thread), ip = VG_(get_IP)(thread);
    if (address < sp - 128 || address > VG_(thread_get_stack_max)(thread)) /* 128: the red zone */
        return 0;
    struct picture *picture = NULL;
    for (UInt i = 0; i < PICTURES && !picture; i++)
        if (is_current(&pictures[i], thread, sp, ip))
            picture = &pictures[i];
    if (!picture) {
        picture = &pictures[oldest];
        oldest = (oldest + 1) % PICTURES;
        draw(picture, thread, sp, ip);
    }
    struct local *best = NULL;
    for (UInt i = 0; i < picture->local_count; i++) {
        struct local *local = &picture->locals[i];
        if (address - local->start < local->end - local->start && (!best || local->start > best->start))
            best = local;
    }
    if (!best)
        return 0;
    if (!best->array) {
        best->array = array_of_variable(best->data, best->start, best->end - best->start, TRACE_ARRAY_LOCAL,
                                        best->function);
        if (!array_list_bytes(&list.data[best->data - 1]))
            array_has_open_size(best->array);
    }
    *start = best->start;
    return best->array;
}
