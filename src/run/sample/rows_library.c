/* Calls of run-time libraries, by who calls them.

   What a library does is its caller's doing.  A sample in code of a library (library.def) goes up its stack to
   the first frame that is none: the call there has the time, under the name that the call itself gives.  What
   the library calls back (the comparison of qsort) has its own time; the call has it in its total.

   Headers of the system are libraries, too: a call in a body that was inlined from one stands where the
   outermost such body was called.  Containers and texts of C++ that were inlined whole are time of the caller's
   own code, counted apart.

   A function that ends with a call of the library is not on the stack any more (a tail call).  Where its own
   caller names it, it is looked up, and has the time: at the one jump in it that leads into a library.

   In a program that is linked statically the C library has no debug information of its own, or its names tell
   it. */
#include "run/sample/rows_parts.h"

#include "base/number_map.h"
#include "base/path.h"
#include "run/sample/library.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- which code it is ---- */

static bool has_own_library(const struct model *model, uint32_t program)
{
    for (uint32_t id = 1; id < model->functions.count; id++) {
        const struct function *function = model_function(model, id);
        const char *name = model_text(model, function->name);
        if (function->program == program && function->origin == origin_SYMBOL && name &&
            !strcmp(name, "__libc_start_main"))
            return true;
    }
    return false;
}

static bool is_linked_in(const struct model *model, const struct function *function, const char *name)
{
    bool has_debug = model_program(model, function->program)->has_debug;
    if (!name || function->unit || function->file)
        return false;
    return has_debug || (name[0] == '_' && name[1] != 'Z') || library_is_known(name);
}

static bool is_library_function(const struct model *model, const bool *is_static, uint32_t id)
{
    const struct function *function = model_function(model, id);
    const char *name = model_text(model, function->name);
    return function->origin == origin_PLT || library_is_code(name) ||
           (is_static[function->program] && is_linked_in(model, function, name));
}

void row_library_find(struct sample_rows *rows)
{
    const struct model *model = rows->model;
    autofree bool *is_static = memory_get((model->programs.count + 1) * sizeof *is_static);
    for (uint32_t id = 1; id < model->programs.count; id++)
        is_static[id] = model_program(model, id)->format != format_SHARED && has_own_library(model, id);
    for (size_t i = 1; i < rows->codes.count; i++) {
        struct row_code *code = ARRAY_AT(struct row_code, &rows->codes, i);
        const struct sample_file *file = ARRAY_AT(struct sample_file, &rows->recording->files, code->file);
        if (file->kind != SAMPLE_FILE_CODE)
            continue;
        code->is_library = (file->path && library_is_file(path_name(file->path))) ||
                           (code->function && is_library_function(model, is_static, code->function));
    }
}

/* ---- where a call stands ---- */

/* A call, or an inlined body of a library, in code of the program. */
struct call_place {
    string_id name, inlined;
    uint32_t code, source, line, loop;
    uint32_t function; /* where that is not the code's: it ended with a tail call */
};

static struct call_place place_of(const struct sample_rows *rows, size_t node, uint32_t header)
{
    const struct model *model = rows->model;
    const struct row_frame *frame = row_frame_of(rows, node);
    struct call_place place = {
        .code = frame->code, .source = frame->source, .line = frame->line, .loop = frame->loop};
    uint32_t around = frame->inlined_call;
    if (header) {
        const struct inlined_call *call = model_inlined_call(model, header);
        place.name = call->name;
        place.source = call->call_file;
        place.line = call->call_line;
        around = call->parent;
    }
    if (around && around < model->inlined_calls.count)
        place.inlined = model_inlined_call(model, around)->name;
    return place;
}

/* The call that an instruction is; NULL: none, or of an unknown function. */
static const struct call *call_of(const struct model *model, uint32_t instruction)
{
    size_t at = array_first_not_below(&model->calls, 0, offsetof(struct call, instruction), instruction);
    const struct call *call = instruction && at < model->calls.count ? model_call(model, (uint32_t)at) : NULL;
    return call && call->instruction == instruction && call->callee ? call : NULL;
}

/* The name that is called; 0: no function of a library. */
static string_id called_name(const struct sample_rows *rows, const struct call *call)
{
    struct model *model = rows->model;
    const struct function *callee = model_function(model, call->callee);
    const char *name = model_text(model, callee->name);
    bool is_library =
        call->kind == call_kind_IMPORT || callee->origin == origin_PLT || library_is_known(name);
    autofree char *plain = name && is_library ? library_plain_name(name) : NULL;
    return model_string(model, plain);
}

static string_id plain_name(struct sample_rows *rows, const struct row_code *code)
{
    struct model *model = rows->model;
    const char *name =
        model_text(model, code->function ? model_function(model, code->function)->name : code->name);
    autofree char *plain = name ? library_plain_name(name) : NULL;
    return model_string(model, plain);
}

/* The tail call into a library in the function that is called, if that did not stay on the stack. */
static void follow_tail_call(struct sample_rows *rows, const struct call *call, size_t node,
                             struct call_place *place)
{
    const struct model *model = rows->model;
    string_id entered = plain_name(rows, row_code_of(rows, node)), name = 0;
    uint32_t instruction = 0;
    size_t count = 0,
           first = array_first_not_below(&model->calls, 0, offsetof(struct call, caller), call->callee);
    for (size_t i = first; i < model->calls.count; i++) {
        const struct call *tail = model_call(model, (uint32_t)i);
        if (tail->caller != call->callee)
            break;
        string_id called = tail->kind == call_kind_TAIL && tail->callee ? called_name(rows, tail) : 0;
        if (!called || (count && name == entered))
            continue;
        count = called == entered ? 1 : count + 1;
        name = called;
        instruction = tail->instruction;
    }
    if (count != 1)
        return;
    uint32_t row = model_instruction(model, instruction)->source_line;
    *place = (struct call_place){.name = name, .code = place->code, .function = call->callee};
    if (row) {
        place->source = model_source_line(model, row)->file;
        place->line = model_source_line(model, row)->line;
    }
}

/* The call that leads from a node of the program (0: none is known) into a library. */
static struct call_place entry_of(struct sample_rows *rows, size_t caller, size_t node)
{
    struct call_place place = {0};
    if (caller) {
        uint32_t header = library_header_around(rows->model, row_frame_of(rows, caller)->inlined_call);
        place = place_of(rows, caller, header);
        const struct call *call = call_of(rows->model, row_frame_of(rows, caller)->instruction);
        if (!place.name && call)
            place.name = called_name(rows, call);
        if (!place.name && call && call->callee != row_code_of(rows, node)->function)
            follow_tail_call(rows, call, node, &place);
    }
    if (!place.name)
        place.name = plain_name(rows, row_code_of(rows, node));
    return place;
}

/* ---- adding up ---- */

struct library_time {
    struct call_place place;
    uint32_t file;  /* of the recording; 0: none */
    bool has_loops; /* several, so that none is the loop around it */
    uint64_t samples, inlined_samples;
    double self, inlined, total, called_back, most_called_back;
    uint32_t callback; /* code */
};

struct library_search {
    struct sample_rows *rows;
    struct array times; /* of struct library_time; the first is none */
    struct array backs; /* of double: time by row and called-back code; the first is none */
    struct number_map of_places, of_lines, of_names, of_backs;
    uint32_t place_count, line_count;
    uint32_t *entries; /* by node: place in times of the call that it works for; 0: none */
};

static uint32_t number_of(struct number_map *map, uint64_t key, uint32_t *count)
{
    uint32_t *number = number_map_at(map, key);
    if (!*number)
        *number = ++*count;
    return *number;
}

static uint32_t time_of(struct library_search *search, const struct call_place *place)
{
    uint32_t where =
        number_of(&search->of_places, (uint64_t)place->code << 32 | place->source, &search->place_count);
    uint32_t line = number_of(&search->of_lines, (uint64_t)where << 32 | place->line, &search->line_count);
    uint32_t *found = number_map_at(&search->of_names, (uint64_t)line << 32 | place->name);
    if (!*found) {
        *found = (uint32_t)search->times.count;
        *(struct library_time *)array_add(&search->times) = (struct library_time){.place = *place};
    }
    struct library_time *time = ARRAY_AT(struct library_time, &search->times, *found);
    time->has_loops |= time->place.loop != place->loop;
    return *found;
}

static struct library_time *time_at(const struct library_search *search, uint32_t time)
{
    return ARRAY_AT(struct library_time, &search->times, time);
}

/* A call that is made again below itself counts once. */
static bool is_below_itself(const struct library_search *search, uint32_t node, uint32_t time)
{
    for (uint32_t at = recorded_node(search->rows, node)->caller; at && at < node;) {
        if (search->entries[at] == time)
            return true;
        uint32_t next = recorded_node(search->rows, at)->caller;
        at = next < at ? next : 0;
    }
    return false;
}

static void enter_library(struct library_search *search, uint32_t node, uint32_t caller)
{
    struct sample_rows *rows = search->rows;
    const struct row_code *code = row_code_of(rows, node);
    bool goes_on = caller && row_code_of(rows, caller)->is_library && search->entries[caller];
    uint32_t time = goes_on ? search->entries[caller] : 0;
    if (!time) {
        struct call_place place = entry_of(rows, caller, node);
        time = time_of(search, &place);
        if (!is_below_itself(search, node, time))
            time_at(search, time)->total += rows->nodes[node].total;
    }
    search->entries[node] = time;
    struct library_time *it = time_at(search, time);
    it->samples += rows->nodes[node].samples;
    it->self += rows->nodes[node].self;
    if (!it->file &&
        library_is_file(path_name(ARRAY_AT(struct sample_file, &rows->recording->files, code->file)->path)))
        it->file = code->file;
}

static void enter_program(struct library_search *search, uint32_t node, uint32_t caller)
{
    struct sample_rows *rows = search->rows;
    uint32_t code = row_frame_of(rows, node)->code;
    uint32_t from = caller && row_code_of(rows, caller)->is_library ? search->entries[caller] : 0;
    if (from) {
        struct library_time *it = time_at(search, from);
        uint32_t *slot = number_map_at(&search->of_backs, (uint64_t)from << 32 | code);
        if (!*slot) {
            *slot = (uint32_t)search->backs.count;
            array_add(&search->backs);
        }
        double *sum = ARRAY_AT(double, &search->backs, *slot);
        *sum += rows->nodes[node].total;
        it->called_back += rows->nodes[node].total;
        if (*sum > it->most_called_back) {
            it->most_called_back = *sum;
            it->callback = code;
        }
    }
    uint32_t header = library_header_around(rows->model, row_frame_of(rows, node)->inlined_call);
    if (!header || !rows->nodes[node].samples ||
        !library_is_code(model_text(rows->model, model_inlined_call(rows->model, header)->name)))
        return;
    struct call_place place = place_of(rows, node, header);
    struct library_time *it = time_at(search, time_of(search, &place));
    it->inlined_samples += rows->nodes[node].samples;
    it->inlined += rows->nodes[node].self;
}

static void find_times(struct library_search *search)
{
    struct sample_rows *rows = search->rows;
    for (uint32_t i = 1; i < rows->recording->nodes.count; i++) {
        uint32_t caller = recorded_node(rows, i)->caller;
        const struct sample_file *file =
            ARRAY_AT(struct sample_file, &rows->recording->files, recorded_frame(rows, i)->file);
        if (file->kind != SAMPLE_FILE_CODE || !file->path)
            continue;
        if (row_code_of(rows, i)->is_library)
            enter_library(search, i, caller < i ? caller : 0);
        else
            enter_program(search, i, caller < i ? caller : 0);
    }
}

static int by_time(const void *left, const void *right)
{
    const struct library_time *a = left, *b = right;
    double first = a->self + a->inlined, second = b->self + b->inlined;
    if (first != second)
        return first > second ? -1 : 1;
    if (a->place.line != b->place.line)
        return a->place.line < b->place.line ? -1 : 1;
    return (a->place.name > b->place.name) - (a->place.name < b->place.name);
}

static void add_row(struct sample_rows *rows, const struct library_time *time)
{
    const struct call_place *place = &time->place;
    const struct row_code *caller = ARRAY_AT(struct row_code, &rows->codes, place->code);
    const struct row_code *callback = ARRAY_AT(struct row_code, &rows->codes, time->callback);
    double total = fmax(time->total, time->self) + time->inlined;
    *(struct run_library_call *)model_add(&rows->model->run_library_calls) =
        (struct run_library_call){.run = rows->run,
                                  .name = place->name,
                                  .file = rows->file_rows[time->file],
                                  .function = place->function ? place->function
                                              : place->code   ? caller->function
                                                              : 0,
                                  .caller = place->code && !place->function ? caller->name : 0,
                                  .inlined = place->inlined,
                                  .loop = time->has_loops ? 0 : place->loop,
                                  .source = place->source,
                                  .line = place->line,
                                  .samples = time->samples,
                                  .self_seconds = time->self,
                                  .self_share = row_share(rows, time->self),
                                  .inlined_seconds = time->inlined,
                                  .total_seconds = total,
                                  .total_share = row_share(rows, total),
                                  .callback = time->callback ? callback->function : 0,
                                  .callback_seconds = time->called_back,
                                  .cycles_per_iteration = NAN};
}

void row_library_add(struct sample_rows *rows)
{
    struct library_search search = {.rows = rows,
                                    .times = ARRAY_OF(struct library_time),
                                    .backs = ARRAY_OF(double),
                                    .entries =
                                        memory_get((rows->recording->nodes.count + 1) * sizeof(uint32_t))};
    array_add(&search.times);
    array_add(&search.backs);
    find_times(&search);
    qsort(array_at(&search.times, 1), search.times.count - 1, search.times.width, by_time);
    for (uint32_t i = 1; i < search.times.count; i++)
        if (time_at(&search, i)->self + time_at(&search, i)->inlined > 0)
            add_row(rows, time_at(&search, i));
    number_map_free(&search.of_places);
    number_map_free(&search.of_lines);
    number_map_free(&search.of_names);
    number_map_free(&search.of_backs);
    array_free(&search.times);
    array_free(&search.backs);
    free(search.entries);
}
