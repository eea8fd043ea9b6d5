/* The recording (trace_file.h), appended at the end of each phase, and now and then while it lasts.

   Records are collected in a buffer and written when it is full or the phase is complete.  If the disk is
   full or the file cannot be created, the program continues and a message says that its recording is lost.  A
   child after fork gets a file of its own, which starts from scratch, with counts from 0.  So does a program
   after exec: the name of its file gets a number, because the process ID is the same. */
#include "arrays.h"
#include "log.h"
#include "pendings.h"

#include "pub_tool_clientstate.h"
#include "pub_tool_debuginfo.h"
#include "pub_tool_hashtable.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_options.h"
#include "pub_tool_vki.h"
#include "pub_tool_xarray.h"

/* Of Valgrind's core: a descriptor that the program cannot close by accident. */
extern Int VG_(safe_fd)(Int descriptor);

enum { BUFFER = 1 << 18, MOST_EXECS = 1000, MOST_COMMAND = 4000 };

static Int file = -1;
static UChar buffer[BUFFER];
static UInt used;
static UInt phases_written, modules_written;
static void open_file(void);
static Bool is_waiting; /* a child that has written nothing yet has no file: most go on to another program */

static void flush(void)
{
    UInt done = 0;
    while (file >= 0 && done < used) {
        Int wrote = VG_(write)(file, buffer + done, (Int)(used - done));
        if (wrote <= 0) {
            VG_(message)(Vg_UserMsg, "assay: cannot write the rest of the recording\n");
            VG_(close)(file);
            file = -1;
        } else {
            done += (UInt)wrote;
        }
    }
    used = 0;
}

static void put(const void *bytes, SizeT count)
{
    const UChar *from = bytes;
    while (count) {
        SizeT part = BUFFER - used < count ? BUFFER - used : count;
        VG_(memcpy)(buffer + used, from, part);
        used += (UInt)part;
        from += part;
        count -= part;
        if (used == BUFFER)
            flush();
    }
}

static void put_record(UInt kind, const void *head, SizeT head_bytes, const void *tail, SizeT tail_bytes)
{
    struct trace_record record = {kind, (UInt)(head_bytes + tail_bytes)};
    put(&record, sizeof record);
    put(head, head_bytes);
    put(tail, tail_bytes);
}

void recording_log(const struct trace_log_entry *entry)
{
    if (is_waiting)
        open_file();
    put_record(TRACE_LOG, entry, sizeof *entry, NULL, 0);
}

static void put_limit(ULong count, const HChar *text)
{
    struct trace_limit head = {count};
    put_record(TRACE_LIMIT, &head, sizeof head, text, VG_(strlen)(text));
}

static void put_limits(void)
{
    UInt count;
    if (settings.log && log_passed_by())
        put_limit(log_passed_by(), TRACE_LOG_BEFORE);
    if (settings.log && log_left_out())
        put_limit(log_left_out(), TRACE_LOG_AFTER);
    const struct limit *limits = limits_all(&count);
    for (UInt i = 0; i < count; i++)
        put_limit(limits[i].count, limits[i].text);
}

/* Whether a file is the program that was started. */
static Bool is_program(const HChar *path)
{
    struct vg_stat started, other;
    if (!VG_(args_the_exename))
        return False;
    if (sr_isError(VG_(stat)(VG_(args_the_exename), &started)) || sr_isError(VG_(stat)(path, &other)))
        return VG_(strcmp)(VG_(basename)(path), VG_(basename)(VG_(args_the_exename))) == 0;
    return started.dev == other.dev && started.ino == other.ino;
}

void recording_modules(void)
{
    for (const DebugInfo *info = VG_(next_DebugInfo)(NULL); info; info = VG_(next_DebugInfo)(info)) {
        const HChar *path = VG_(DebugInfo_get_filename)(info);
        Addr start = VG_(DebugInfo_get_text_avma)(info);
        struct trace_module module = {.start = start,
                                      .end = start + VG_(DebugInfo_get_text_size)(info),
                                      .bias = (ULong)VG_(DebugInfo_get_text_bias)(info)};
        if (!path || module.end <= module.start)
            continue;
        module.is_program = is_program(path);
        put_record(TRACE_MODULE, &module, sizeof module, path, VG_(strlen)(path));
    }
}

/* At the end of a phase: where their number has changed; one that goes is written when it does. */
static void put_modules(void)
{
    UInt number = 0;
    for (const DebugInfo *info = VG_(next_DebugInfo)(NULL); info; info = VG_(next_DebugInfo)(info))
        number++;
    if (number != modules_written)
        recording_modules();
    modules_written = number;
}

/* Stacks that something written refers to, each once, numbered in the order in which they appear. */
static UInt *stack_numbers, stack_room, stacks_written;

static void put_stack(UInt number, UInt stack)
{
    enum { MOST = 64 };
    const Addr *frames;
    ULong addresses[MOST];
    struct trace_stack head = {number, stack_frames(stack, &frames)};
    if (head.count > MOST)
        head.count = MOST;
    for (UInt i = 0; i < head.count; i++)
        addresses[i] = frames[i] + (i > 0); /* Valgrind's own are in the call */
    put_record(TRACE_STACK, &head, sizeof head, addresses, head.count * sizeof *addresses);
}

static UInt use_stack(UInt stack)
{
    if (!stack)
        return 0;
    if (stack >= stack_room) {
        UInt room = stack + 1 + stack / 2;
        stack_numbers = VG_(realloc)("trace.stacks", stack_numbers, room * sizeof *stack_numbers);
        VG_(memset)(stack_numbers + stack_room, 0, (room - stack_room) * sizeof *stack_numbers);
        stack_room = room;
    }
    if (!stack_numbers[stack]) {
        stack_numbers[stack] = ++stacks_written;
        put_stack(stacks_written, stack);
    }
    return stack_numbers[stack];
}

static void put_site(struct site *site, void *context)
{
    (void)context;
    const struct counts *counts = &site->counts;
    struct counts none = {0};
    if (VG_(memcmp)(counts, &none, sizeof none) == 0)
        return;
    struct trace_site row = {.address = site->address,
                             .executions = counts->executions,
                             .operand_events = counts->operand_events,
                             .underflow_events = counts->underflow_events,
                             .operands = counts->operands,
                             .results = counts->results,
                             .births = counts->births,
                             .ends = counts->ends,
                             .loads = counts->loads,
                             .stores = counts->stores,
                             .move_loads = counts->move_loads,
                             .move_stores = counts->move_stores,
                             .near = counts->near};
    site->counts = none;
    put_record(TRACE_SITES, &row, sizeof row, NULL, 0);
}

/* Births and origins are as of now: those that have not changed since they were written are not written
 * again. */
static XArray *birth_sums; /* of ULong, by number */
static VgHashTable *origins_written;

struct origin_written {
    struct origin_written *next;
    UWord key;
    ULong values;
};

static void put_birth(UInt number, struct birth *birth, void *context)
{
    static const ULong none;
    ULong sum = birth->values + birth->descendants + birth->removable;
    (void)context;
    while (VG_(sizeXA)(birth_sums) <= (Word)number)
        VG_(addToXA)(birth_sums, &none);
    ULong *written = VG_(indexXA)(birth_sums, number);
    if (sum == *written)
        return;
    *written = sum;
    struct trace_birth row = {.number = number,
                              .stack = use_stack(birth->stack),
                              .address = birth->address,
                              .values = birth->values,
                              .descendants = birth->descendants,
                              .removable = birth->removable,
                              .first_array = array_resolve(birth->first_array)};
    put_record(TRACE_BIRTHS, &row, sizeof row, NULL, 0);
}

static void put_origin(UInt destination, UInt source, ULong values, void *context)
{
    UWord key = (UWord)destination * MOST_ARRAYS + source;
    struct trace_origin row = {destination, source, values};
    (void)context;
    struct origin_written *written = VG_(HT_lookup)(origins_written, key);
    if (!written) {
        written = VG_(calloc)("trace.written", 1, sizeof *written);
        written->key = key;
        VG_(HT_add_node)(origins_written, written);
    }
    if (written->values == values)
        return;
    written->values = values;
    put_record(TRACE_ORIGINS, &row, sizeof row, NULL, 0);
}

static void forget_written(void)
{
    if (birth_sums) {
        VG_(deleteXA)(birth_sums);
        VG_(HT_destruct)(origins_written, VG_(free));
    }
    birth_sums = VG_(newXA)(VG_(malloc), "trace.written", VG_(free), sizeof(ULong));
    origins_written = VG_(HT_construct)("trace.written");
}

static UInt put_leb(UChar *bytes, UInt number)
{
    UInt length = 0;
    for (; number >= 0x80; number >>= 7)
        bytes[length++] = (UChar)(number | 0x80);
    bytes[length++] = (UChar)number;
    return length;
}

static UInt cell_of(const struct map *map, UInt cell)
{
    const UInt *piece = cell / MAP_PIECE < map->piece_count ? map->pieces[cell / MAP_PIECE] : NULL;
    return piece ? piece[cell % MAP_PIECE] : 0;
}

/* Cells from *cell on that have no count; pieces that are not there are passed at once. */
static UInt skip_empty(const struct map *map, UInt *cell)
{
    UInt first = *cell, all = map->piece_count * MAP_PIECE;
    while (*cell < all) {
        if (!map->pieces[*cell / MAP_PIECE])
            *cell = (*cell / MAP_PIECE + 1) * MAP_PIECE;
        else if (cell_of(map, *cell))
            break;
        else
            ++*cell;
    }
    return *cell - first;
}

/* The runs of a map, into room that is made as large as they need. */
static UChar *pack_map(const struct map *map, UInt *bytes)
{
    UInt all = map->piece_count * MAP_PIECE, cell = 0, room = 0;
    UChar *packed = NULL;
    *bytes = 0;
    for (;;) {
        UInt empty = skip_empty(map, &cell), end = cell;
        if (cell >= all)
            return packed;
        while (end < all && cell_of(map, end))
            end++;
        UInt needed = *bytes + 5 * (end - cell + 2);
        if (needed > room) {
            room = needed + needed / 2;
            packed = VG_(realloc)("trace.pack", packed, room);
        }
        *bytes += put_leb(packed + *bytes, empty);
        *bytes += put_leb(packed + *bytes, end - cell);
        for (; cell < end; cell++)
            *bytes += put_leb(packed + *bytes, cell_of(map, cell));
    }
}

static void put_maps(UInt number, const struct array *array)
{
    for (const struct map *map = array->maps; map; map = map->next) {
        UInt bytes;
        UChar *packed = pack_map(map, &bytes);
        struct trace_map head = {number, map->kind, map->source, 1U << array->cell_shift};
        if (bytes)
            put_record(TRACE_MAP, &head, sizeof head, packed, bytes);
        if (packed)
            VG_(free)(packed);
    }
}

static void put_array(UInt number, struct array *array)
{
    const struct list_data *data = array->data ? &list.data[array->data - 1] : NULL;
    HChar name[ARRAY_LIST_NAME + 32] = "";
    struct trace_array row = {.number = number,
                              .same_as = array->same_as ? array_resolve(number) : 0,
                              .kind = array->kind,
                              .variable = data ? list.variables[data->variable].row : 0,
                              .element_bytes = array->element_bytes,
                              .value_bytes = array->value_bytes,
                              .rank = array->rank,
                              .lives = array->lives,
                              .stack = use_stack(array->stack),
                              .is_size_open = array->is_size_open,
                              .address = array->address,
                              .bytes = array->bytes,
                              .function = array->function};
    for (UInt i = 0; i < array->rank; i++)
        row.dimensions[i] = array->dimensions[i];
    if (data) {
        VG_(strncpy)(row.element, data->element, TRACE_ELEMENT - 1);
        VG_(snprintf)(name, sizeof name, array->ordinal > 1 ? "%s (%u)" : "%s", data->name, array->ordinal);
    }
    put_record(TRACE_ARRAY, &row, sizeof row, name, VG_(strlen)(name));
    array->is_changed = False;
}

static void put_arrays(void)
{
    for (UInt number = 1; number <= arrays_made(); number++) {
        struct array *array = array_plain(number);
        if (array->is_changed)
            put_array(number, array);
        if (!array->is_counted)
            continue;
        struct trace_array_counts counts = {.number = number,
                                            .loads = array->counts[access_LOAD],
                                            .stores = array->counts[access_STORE],
                                            .move_loads = array->counts[access_MOVE_LOAD],
                                            .move_stores = array->counts[access_MOVE_STORE],
                                            .integer_loads = array->counts[access_INTEGER_LOAD],
                                            .integer_stores = array->counts[access_INTEGER_STORE]};
        put_record(TRACE_ARRAY_COUNTS, &counts, sizeof counts, NULL, 0);
        put_maps(number, array);
        VG_(memset)(array->counts, 0, sizeof array->counts);
        maps_clear(array);
        array->is_counted = False;
    }
}

static void put_start(void)
{
    struct trace_start start = {.process = (UInt)VG_(getpid)(),
                                .origins = settings.origins,
                                .binades = settings.binades,
                                .phase_milliseconds = settings.phase_milliseconds};
    HChar command[MOST_COMMAND];
    UInt length = (UInt)VG_(snprintf)(command, sizeof command, "%s", VG_(args_the_exename));
    for (Word i = 0; i < VG_(sizeXA)(VG_(args_for_client)); i++) {
        const HChar *word = *(const HChar **)VG_(indexXA)(VG_(args_for_client), i);
        if (length + VG_(strlen)(word) + 2 > sizeof command)
            break;
        length += (UInt)VG_(sprintf)(command + length, " %s", word);
    }
    put(TRACE_MAGIC, sizeof TRACE_MAGIC);
    put_record(TRACE_START, &start, sizeof start, command, length);
}

/* NAME.trace; NAME-1.trace … where that is taken. */
static Int open_new(const HChar *name)
{
    SizeT length = VG_(strlen)(name);
    HChar *other = VG_(malloc)("trace.name", length + 16);
    const HChar *dot = VG_(strrchr)(name, '.');
    SizeT stem = dot ? (SizeT)(dot - name) : length;
    Int opened = -1;
    for (UInt attempt = 0; attempt < MOST_EXECS && opened < 0; attempt++) {
        VG_(strcpy)(other, name);
        if (attempt)
            VG_(sprintf)(other + stem, "-%u%s", attempt, name + stem);
        SysRes result = VG_(open)(other, VKI_O_CREAT | VKI_O_EXCL | VKI_O_WRONLY, 0600);
        if (!sr_isError(result))
            opened = VG_(safe_fd)((Int)sr_Res(result));
        else if (sr_Err(result) != VKI_EEXIST)
            break;
    }
    VG_(free)(other);
    return opened;
}

static void open_file(void)
{
    is_waiting = False;
    HChar *name = VG_(expand_file_name)("--output", settings.output);
    file = open_new(name);
    if (file < 0)
        VG_(message)(Vg_UserMsg, "assay: cannot create the recording %s\n", name);
    VG_(free)(name);
    put_start();
}

/* What has changed since the last time, as a part of a phase. */
static void put_part(const HChar *name, UInt number, UInt start, UInt end)
{
    struct trace_phase phase = {number, start, end, 0};
    if (is_waiting)
        open_file();
    put_modules();
    put_record(TRACE_PHASE, &phase, sizeof phase, name, VG_(strlen)(name));
    sites_each(put_site, NULL);
    put_arrays();
    births_each(put_birth, NULL);
    origins_each(put_origin, NULL);
    put_limits();
    flush();
}

void recording_phase(const HChar *name, UInt start, UInt end)
{
    pendings_settle();
    put_part(name, ++phases_written, start, end);
}

void recording_part(const HChar *name, UInt start, UInt now)
{
    if (settings.output)
        put_part(name, phases_written + 1, start, now);
}

static void before_fork(ThreadId thread)
{
    (void)thread;
    flush();
}

static void after_fork(ThreadId thread)
{
    (void)thread;
    if (!settings.follows_children)
        limit_add(
            "child processes, not watched if they run another program (--children watches them)",
            1);
}

static void forget_site(struct site *site, void *context)
{
    (void)context;
    VG_(memset)(&site->counts, 0, sizeof site->counts);
}

static void in_child(ThreadId thread)
{
    (void)thread;
    if (file >= 0)
        VG_(close)(file);
    file = -1;
    pendings_settle();
    used = phases_written = modules_written = stacks_written = 0;
    limits_forget();
    log_forget();
    if (stack_numbers)
        VG_(memset)(stack_numbers, 0, stack_room * sizeof *stack_numbers);
    sites_each(forget_site, NULL);
    arrays_forget_counts();
    events_forget();
    forget_written();
    is_waiting = True;
    phases_start();
}

void recording_start(void)
{
    if (settings.arrays)
        array_list_read(settings.arrays);
    if (!settings.output)
        return;
    forget_written();
    open_file();
    phases_start();
    VG_(atfork)(before_fork, after_fork, in_child);
}

static void put_end(Int status)
{
    struct trace_end end = {status, VG_(read_millisecond_timer)()};
    put_record(TRACE_END, &end, sizeof end, NULL, 0);
    flush();
}

void recording_before_exec(void)
{
    if (is_waiting)
        return;
    log_flush();
    if (!settings.follows_children)
        limit_add("it called exec; only --children watches the new program", 0);
    phases_last();
    put_end(0);
}

void recording_end(Int status)
{
    if (!settings.output)
        return;
    arrays_settle();
    log_flush();
    phases_last();
    put_end(status ? status : phases_exit_status());
    if (file >= 0)
        VG_(close)(file);
    file = -1;
}
