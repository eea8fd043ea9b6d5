/* Processes, threads and samples of a run, as they come.

   A process is a row of the recording, found by its number: a new fork with the number of an old process is a
   new row.  A process that nobody announced (it ran before we looked, or its record was lost) is adopted from
   /proc with its first sample.

   A sample's callers are found at once (run/places/unwind.h) in the maps that its process has at that moment,
   and each address becomes a place of a file.  A caller's address follows its call, so the call itself is
   counted: the address before.  A sample in the kernel is one frame; its caller is the user's code that
   entered the kernel, so that page faults of a loop are below the loop.

   On a Neoverse V1 of 2.6 GHz a sample takes 1.2 µs with 7 frames, 2.5 to 3.3 µs with 20 and 6 µs with 46:
   120 to 170 ns a frame, of which a third is unwinding and a third counting.  The first sample of a file
   takes longer, 150 µs for a stack through a program and libc. */
#include "run/sample/collector.h"

#include "base/path.h"
#include "base/strings.h"
#include "run/sample/code_files.h"
#include "run/sample/proc.h"
#include "run/sample/stack_tree.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_FRAMES = 256, USUAL_NODES = 1 << 20 };
/* Of recordings by others, which may be hostile: ranges of a process, and ranges that forks copied. */
enum { MOST_RANGES = 1 << 14, MOST_COPIED = 1 << 24 };
/* The kernel's number for a process that is being taken apart. */
static const uint32_t NO_PROCESS = UINT32_MAX;

struct live {          /* of a process, as in the recording */
    struct maps *maps; /* NULL: it has ended */
    size_t threads;    /* that have not ended */
    uint32_t latest;   /* thread: place + 1; 0: none */
    uint32_t
        made; /* code file of memory that no map covers, where a compiler at run time tells of its code; 0: none */
    bool was_seen; /* in a sample, since it started or began another program */
};

struct collector {
    struct sample_recording *recording;
    struct code_files files;
    struct stack_tree tree;
    struct array lives;                   /* of struct live, by place of the process */
    struct array earlier;                 /* of uint32_t, by place of the thread: the process's one before */
    struct hash_index processes, threads; /* the latest, by number */
    char *host;
    double seconds;   /* latest time */
    bool is_recorded; /* processes are not here */
    size_t copied;
    uint64_t refused_maps;
};

static struct collector *begin(struct sample_recording *recording, size_t most_nodes, const char *host)
{
    struct collector *collector = memory_get(sizeof *collector);
    collector->recording = recording;
    code_files_begin(&collector->files, recording);
    stack_tree_begin(&collector->tree, recording, most_nodes ? most_nodes : USUAL_NODES);
    collector->lives = ARRAY_OF(struct live);
    collector->earlier = ARRAY_OF(uint32_t);
    array_add_many(&collector->lives, recording->processes.count);
    array_add_many(&collector->earlier, recording->threads.count);
    collector->host = memory_copy_text(host, strlen(host));
    return collector;
}

struct collector *collector_begin(struct sample_recording *recording, size_t most_nodes)
{
    char host[HOST_NAME_MAX + 1] = "";
    gethostname(host, sizeof host - 1);
    return begin(recording, most_nodes, host);
}

struct collector *collector_begin_recorded(struct sample_recording *recording,
                                           const struct collector_recorded *recorded)
{
    struct collector *collector = begin(recording, 0, recorded->host ? recorded->host : "");
    collector->is_recorded = true;
    collector->files.finder = recorded->finder;
    return collector;
}

uint64_t collector_refused_maps(const struct collector *collector)
{
    return collector->refused_maps;
}

/* ---- processes and threads ---- */

static struct sample_process *process_at(struct collector *collector, uint32_t place)
{
    return ARRAY_AT(struct sample_process, &collector->recording->processes, place);
}

static struct sample_thread *thread_at(struct collector *collector, uint32_t place)
{
    return ARRAY_AT(struct sample_thread, &collector->recording->threads, place);
}

static struct live *live_at(struct collector *collector, uint32_t place)
{
    return ARRAY_AT(struct live, &collector->lives, place);
}

static uint64_t hash_of(uint32_t number)
{
    return hash_mix(5, number);
}

static void replace_text(char **text, const char *by)
{
    char *copy = by ? memory_copy_text(by, strlen(by)) : NULL;
    free(*text);
    *text = copy;
}

/* UINT32_MAX: none. */
static uint32_t find_process(struct collector *collector, uint32_t number, size_t *slot)
{
    *slot = SIZE_MAX;
    for (uint32_t place;
         (place = hash_index_next(&collector->processes, hash_of(number), slot)) != UINT32_MAX;)
        if (process_at(collector, place)->process == number)
            return place;
    return UINT32_MAX;
}

static uint32_t find_thread(struct collector *collector, uint32_t number, size_t *slot)
{
    *slot = SIZE_MAX;
    for (uint32_t place; (place = hash_index_next(&collector->threads, hash_of(number), slot)) != UINT32_MAX;)
        if (thread_at(collector, place)->thread == number)
            return place;
    return UINT32_MAX;
}

static uint32_t add_process(struct collector *collector, uint32_t number, uint32_t parent, double seconds)
{
    size_t slot;
    uint32_t place = (uint32_t)collector->recording->processes.count;
    struct sample_process *process = array_add(&collector->recording->processes);
    *process = (struct sample_process){.process = number,
                                       .parent = parent,
                                       .host = memory_copy_text(collector->host, strlen(collector->host)),
                                       .rank = NO_NUMBER,
                                       .start = seconds,
                                       .end = NAN,
                                       .cpu = NAN,
                                       .kernel_cpu = NAN};
    array_add(&collector->lives);
    if (find_process(collector, number, &slot) == UINT32_MAX)
        hash_index_add(&collector->processes, hash_of(number), place);
    else
        hash_index_set(&collector->processes, slot, place);
    return place;
}

static uint32_t add_thread(struct collector *collector, uint32_t process, uint32_t number, const char *name,
                           double seconds)
{
    size_t slot;
    uint32_t place = (uint32_t)collector->recording->threads.count;
    char *copy = name ? memory_copy_text(name, strlen(name)) : NULL;
    struct sample_thread *thread = array_add(&collector->recording->threads);
    *thread = (struct sample_thread){
        .process = process, .thread = number, .name = copy, .start = seconds, .end = NAN, .queued = NAN};
    struct live *live = live_at(collector, process);
    live->threads++;
    *(uint32_t *)array_push(&collector->earlier) = live->latest;
    live->latest = place + 1;
    if (find_thread(collector, number, &slot) == UINT32_MAX)
        hash_index_add(&collector->threads, hash_of(number), place);
    else
        hash_index_set(&collector->threads, slot, place);
    return place;
}

static void end_thread(struct collector *collector, uint32_t place, double seconds)
{
    struct sample_thread *thread = thread_at(collector, place);
    if (!isnan(thread->end))
        return;
    thread->end = seconds;
    live_at(collector, thread->process)->threads--;
}

static void end_process(struct collector *collector, uint32_t place, double seconds)
{
    struct live *live = live_at(collector, place);
    maps_leave(live->maps);
    live->maps = NULL;
    if (isnan(process_at(collector, place)->end))
        process_at(collector, place)->end = seconds;
}

/* Ends the threads of a process but one (a place; UINT32_MAX: all). */
static void end_threads(struct collector *collector, uint32_t process, uint32_t but, double seconds)
{
    const struct live *live = live_at(collector, process);
    size_t rest = but == UINT32_MAX ? 0 : 1;
    for (uint32_t next = live->latest; next && live->threads > rest;
         next = *ARRAY_AT(uint32_t, &collector->earlier, next - 1))
        if (next - 1 != but)
            end_thread(collector, next - 1, seconds);
}

/* What /proc knows; what is gone stays as it is. */
static void look_at(struct collector *collector, uint32_t place)
{
    struct sample_process *process = process_at(collector, place);
    char *command = collector->is_recorded ? NULL : proc_command(process->process);
    if (!command)
        return;
    free(process->command);
    process->command = command;
    process->rank = proc_rank(process->process, command);
}

/* "jit-123.dump": a just-in-time compiler maps the file that tells of its code, so that it is found.  Memory that it
   only later allowed to execute has no map here. */
static void note_dump(struct collector *collector, uint32_t place, const struct collector_map *map)
{
    enum { MOST_DUMPS = 10000 };
    static const char begin[] = "jit-", end[] = ".dump";
    struct array *dumps = &collector->recording->dumps;
    uint32_t process = process_at(collector, place)->process;
    const char *name = map->path ? path_name(map->path) : "";
    size_t digits =
        strncmp(name, begin, sizeof begin - 1) ? 0 : strspn(name + sizeof begin - 1, "0123456789");
    if (!digits || strcmp(name + sizeof begin - 1 + digits, end) || dumps->count >= MOST_DUMPS)
        return;
    for (size_t i = 0; i < dumps->count; i++)
        if (ARRAY_AT(struct sample_dump, dumps, i)->process == process &&
            !strcmp(ARRAY_AT(struct sample_dump, dumps, i)->path, map->path))
            return;
    *(struct sample_dump *)array_push(dumps) =
        (struct sample_dump){process, memory_copy_text(map->path, strlen(map->path))};
    live_at(collector, place)->made =
        code_files_find(&collector->files, process, &(struct collector_map){.path = "//anon"});
}

static void put_map(struct collector *collector, uint32_t place, const struct collector_map *map)
{
    struct live *live = live_at(collector, place);
    if (!map->size || !live->maps)
        return;
    note_dump(collector, place, map);
    size_t copied = collector->is_recorded ? maps_shared_count(live->maps) : 0;
    if (collector->is_recorded &&
        (maps_count(live->maps) >= MOST_RANGES || copied > MOST_COPIED - collector->copied)) {
        collector->refused_maps++;
        return;
    }
    collector->copied += copied;
    uint64_t end = map->size > UINT64_MAX - map->start ? UINT64_MAX : map->start + map->size;
    struct map_range range = {
        .start = map->start,
        .end = end,
        .offset = map->offset,
        .code = code_files_find(&collector->files, process_at(collector, place)->process, map)};
    maps_put(&live->maps, &range);
}

struct adopted {
    struct collector *collector;
    uint32_t place;
};

static void adopt_map(void *context, const struct collector_map *map)
{
    const struct adopted *adopted = context;
    put_map(adopted->collector, adopted->place, map);
}

static uint32_t adopt(struct collector *collector, uint32_t number, double seconds)
{
    bool is_known = number != NO_PROCESS && !collector->is_recorded;
    uint32_t place = add_process(collector, number, is_known ? proc_parent(number) : 0, seconds);
    live_at(collector, place)->maps = maps_make();
    if (number == NO_PROCESS) {
        replace_text(&process_at(collector, place)->command, "processes that are ending");
        return place;
    }
    if (!collector->is_recorded)
        proc_maps(number, adopt_map, &(struct adopted){collector, place});
    look_at(collector, place);
    return place;
}

/* One that runs: one that has ended gives way to a new one of its number, but for the last samples of a
   recording, which come when the process is being taken apart. */
static uint32_t process_of(struct collector *collector, uint32_t number, double seconds)
{
    size_t slot;
    uint32_t place = find_process(collector, number, &slot);
    bool is_there = place != UINT32_MAX && (collector->is_recorded || live_at(collector, place)->maps);
    return is_there ? place : adopt(collector, number, seconds);
}

static uint32_t thread_of(struct collector *collector, uint32_t process, uint32_t number, double seconds)
{
    size_t slot;
    uint32_t place = find_thread(collector, number, &slot);
    if (place != UINT32_MAX && thread_at(collector, place)->process == process)
        return place;
    uint32_t system_number = process_at(collector, process)->process;
    bool is_known = number != NO_PROCESS && !collector->is_recorded;
    char *name = is_known ? proc_thread_name(system_number, number) : NULL;
    place = add_thread(collector, process, number, name, seconds);
    if (!process_at(collector, process)->command)
        replace_text(&process_at(collector, process)->command, name);
    free(name);
    return place;
}

void collector_fork(struct collector *collector, uint32_t number, uint32_t thread, uint32_t parent,
                    double seconds)
{
    size_t slot;
    collector->seconds = seconds;
    uint32_t from = find_process(collector, parent, &slot);
    if (number == parent) { /* a thread */
        uint32_t process = from != UINT32_MAX && live_at(collector, from)->maps
                               ? from
                               : process_of(collector, number, seconds);
        uint32_t first = find_thread(collector, number, &slot);
        add_thread(collector, process, thread, first == UINT32_MAX ? NULL : thread_at(collector, first)->name,
                   seconds);
        return;
    }
    uint32_t old = find_process(collector, number, &slot);
    if (old != UINT32_MAX) { /* its end was not seen */
        end_threads(collector, old, UINT32_MAX, seconds);
        end_process(collector, old, seconds);
    }
    if (from == UINT32_MAX || !live_at(collector, from)->maps) {
        uint32_t place = adopt(collector, number, seconds);
        process_at(collector, place)->parent = parent;
        thread_of(collector, place, thread, seconds);
        return;
    }
    uint32_t place = add_process(collector, number, parent, seconds);
    live_at(collector, place)->maps = maps_share(live_at(collector, from)->maps);
    replace_text(&process_at(collector, place)->command, process_at(collector, from)->command);
    process_at(collector, place)->rank = process_at(collector, from)->rank;
    uint32_t first = find_thread(collector, parent, &slot);
    add_thread(collector, place, thread, first == UINT32_MAX ? NULL : thread_at(collector, first)->name,
               seconds);
}

void collector_exec(struct collector *collector, uint32_t number, uint32_t thread, const char *name,
                    double seconds)
{
    size_t slot;
    collector->seconds = seconds;
    uint32_t place = find_process(collector, number, &slot);
    if (place == UINT32_MAX || !live_at(collector, place)->maps)
        place = add_process(collector, number, collector->is_recorded ? 0 : proc_parent(number), seconds);
    uint32_t task = thread_of(collector, place, thread, seconds);
    end_threads(collector, place, task, seconds);
    struct live *live = live_at(collector, place);
    maps_leave(live->maps);
    live->maps = maps_make();
    live->was_seen = false;
    replace_text(&thread_at(collector, task)->name, name);
    replace_text(&process_at(collector, place)->command, name);
    look_at(collector, place);
}

void collector_name(struct collector *collector, uint32_t number, uint32_t thread, const char *name)
{
    uint32_t place = process_of(collector, number, collector->seconds);
    replace_text(&thread_at(collector, thread_of(collector, place, thread, collector->seconds))->name, name);
    if (thread == number && !process_at(collector, place)->command)
        replace_text(&process_at(collector, place)->command, name);
}

void collector_map(struct collector *collector, uint32_t number, const struct collector_map *map)
{
    put_map(collector, process_of(collector, number, collector->seconds), map);
}

void collector_unmap(struct collector *collector, uint32_t number, uint64_t start, uint64_t size)
{
    size_t slot;
    uint32_t place = find_process(collector, number, &slot);
    if (place == UINT32_MAX || !live_at(collector, place)->maps)
        return;
    struct map_range range = {.start = start, .end = size > UINT64_MAX - start ? UINT64_MAX : start + size};
    maps_put(&live_at(collector, place)->maps, &range);
}

void collector_adopt(struct collector *collector, uint32_t number, double seconds)
{
    struct array threads = ARRAY_OF(uint32_t);
    collector->seconds = seconds;
    uint32_t place = process_of(collector, number, seconds);
    proc_threads(number, &threads);
    for (size_t i = 0; i < threads.count; i++)
        thread_of(collector, place, *ARRAY_AT(uint32_t, &threads, i), seconds);
    array_free(&threads);
}

void collector_exit(struct collector *collector, uint32_t number, uint32_t thread, double seconds)
{
    size_t slot;
    collector->seconds = seconds;
    uint32_t task = find_thread(collector, thread, &slot);
    uint32_t place = find_process(collector, number, &slot);
    if (place == UINT32_MAX)
        return;
    if (task != UINT32_MAX && thread_at(collector, task)->process == place)
        end_thread(collector, task, seconds);
    if (!live_at(collector, place)->threads)
        end_process(collector, place, seconds);
}

/* ---- samples ---- */

struct search {
    struct collector *collector;
    struct maps *maps;
    uint32_t made; /* code file of what no map covers; 0: none */
};

static bool find_code(void *context, uint64_t address, struct places_code *code)
{
    const struct search *search = context;
    struct map_range *range = search->maps ? maps_at(search->maps, address) : NULL;
    if (!range)
        return false;
    struct code_file *file = code_files_read(&search->collector->files, range);
    *code = (struct places_code){.rules = code_file_rules(file),
                                 .bias = range->bias,
                                 .number = code_file_place(&search->collector->files, file)};
    return true;
}

bool collector_locate(struct collector *collector, uint32_t process, uint64_t address, uint32_t *file,
                      uint64_t *own)
{
    size_t slot;
    struct places_code code;
    uint32_t place = find_process(collector, process, &slot);
    struct search search = {collector, place == UINT32_MAX ? NULL : live_at(collector, place)->maps, 0};
    if (!find_code(&search, address, &code))
        return false;
    *file = code.number;
    *own = address - code.bias;
    return true;
}

/* The place in the recording of an instruction or a call. */
static uint32_t frame_of(struct search *search, const struct places_frame *frame, bool is_leaf)
{
    struct stack_tree *tree = &search->collector->tree;
    uint64_t address = frame->address - frame->is_call;
    uint32_t made =
        frame->is_code || !search->made ? 0 : code_files_place_of(&search->collector->files, search->made);
    return frame->is_code ? stack_tree_frame(tree, frame->code.number, address - frame->code.bias, is_leaf)
                          : stack_tree_frame(tree, made, address, is_leaf);
}

/* Callers of user code, the code itself first. */
static size_t walk(struct search *search, const struct collector_sample *sample, struct places_frame *frames,
                   bool *is_cut)
{
    struct places_stack stack = {.registers = sample->registers,
                                 .address = sample->stack_address,
                                 .bytes = sample->stack,
                                 .size = sample->stack_size,
                                 .chain = sample->chain,
                                 .chain_count = sample->chain_count};
    size_t count =
        sample->registers ? places_walk(&stack, find_code, search, frames, MOST_FRAMES, is_cut) : 0;
    if (count)
        return count;
    for (; count < sample->chain_count && count < MOST_FRAMES; count++) {
        frames[count] = (struct places_frame){.address = sample->chain[count], .is_call = count > 0};
        frames[count].is_code =
            find_code(search, frames[count].address - frames[count].is_call, &frames[count].code);
    }
    *is_cut = !count || count < sample->chain_count;
    return count;
}

void collector_sample(struct collector *collector, const struct collector_sample *sample)
{
    struct places_frame frames[MOST_FRAMES];
    uint32_t places[MOST_FRAMES + 1];
    collector->seconds = sample->seconds;
    uint32_t process = process_of(collector, sample->process, sample->seconds);
    struct sample_count count = {.thread = thread_of(collector, process, sample->thread, sample->seconds),
                                 .event = sample->event,
                                 .samples = 1,
                                 .amount = sample->amount};
    struct live *live = live_at(collector, process);
    if (!live->was_seen) {
        live->was_seen = true;
        look_at(collector, process);
    }
    struct search search = {collector, live->maps, live->made};
    bool is_cut = true;
    size_t found = walk(&search, sample, frames, &is_cut), used = 0;
    if (sample->is_kernel) {
        /* While a process begins another program, its registers are still those of the old one. */
        if (found && !frames[0].is_code)
            found = 0;
        places[used++] = stack_tree_frame(&collector->tree, code_files_kernel(&collector->files), 0, true);
    } else {
        struct places_frame leaf = {.address = sample->address};
        leaf.is_code = find_code(&search, sample->address, &leaf.code);
        places[used++] = frame_of(&search, &leaf, true);
    }
    for (size_t i = sample->is_kernel ? 0 : 1; i < found; i++)
        places[used++] = frame_of(&search, &frames[i], false);
    stack_tree_count(&collector->tree, places, used, is_cut, &count);
}

/* ---- the end ---- */

void collector_end(struct collector *collector, double seconds)
{
    for (size_t i = 0; i < collector->recording->threads.count; i++)
        if (isnan(thread_at(collector, (uint32_t)i)->end))
            thread_at(collector, (uint32_t)i)->end = seconds;
    for (size_t i = 0; i < collector->lives.count; i++)
        end_process(collector, (uint32_t)i, seconds);
    code_files_end(&collector->files);
    stack_tree_end(&collector->tree);
    array_free(&collector->lives);
    array_free(&collector->earlier);
    hash_index_free(&collector->processes);
    hash_index_free(&collector->threads);
    free(collector->host);
    free(collector);
}
