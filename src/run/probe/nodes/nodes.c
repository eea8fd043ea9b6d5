/* Points of a plan become nodes in the text.

   Each point is an edit: an offset in the text, and its rank among edits of the same offset (what follows an
   instruction, what enters a loop, what precedes an instruction, what happens on a taken branch).

   A taken branch needs no label of its own: before it stands a branch on the opposite condition over the
   node.  Entry actions that some branches must leave out stand before the label of these branches; other
   branches to the same place get a copy of them where they are taken.

   A subject of which one point has no place gets no node at all: half of a pair would count wrongly. */
#include "run/probe/nodes/parts.h"

#include "run/probe/site/entry.h"
#include "run/probe/site/exclusives.h"
#include "run/probe/plan/parts.h"
#include "run/probe/site/registers.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct node_writer *node_writer(enum isa isa)
{
    static const struct node_writer *const writers[] = {&x86_64_nodes, &aarch64_nodes, &ia64_nodes};
    for (unsigned i = 0; i < sizeof writers / sizeof *writers; i++)
        if (writers[i]->isa == isa)
            return writers[i];
    return NULL;
}

enum node_rank { RANK_AFTER, RANK_BEGIN, RANK_ENTRY, RANK_BEFORE, RANK_TAKEN };

struct edit {
    size_t offset;
    uint8_t rank;
    bool is_guarded; /* on the taken way of a conditional branch */
    bool is_under;   /* IA-64: under the predicate of `branch`, which is no branch */
    uint32_t point;  /* number in the plan; UINT32_MAX: the start of main */
    uint32_t branch; /* TAKEN, under a predicate: row of code; the start of main: its first instruction */
    struct probe_free_registers free;
};

struct making {
    struct probe_plan *plan;
    const struct model *model;
    struct nodes_listing *listing;
    const struct node_writer *writer;
    struct node_lines lines;
    struct probe_exclusives exclusives;
    struct array edits; /* of struct edit */
    struct node_text text;
    struct array far;      /* of char: nodes out of line */
    struct array counters; /* of uint32_t, by the plan's number: ours + 1; 0: none yet */
    uint32_t counter_count, nodes;
};

static struct probe_point *point_at(const struct making *making, uint32_t number)
{
    return ARRAY_AT(struct probe_point, &making->plan->points, number);
}

static void add_edit(struct making *making, size_t offset, enum node_rank rank, uint32_t point)
{
    *(struct edit *)array_push(&making->edits) = (struct edit){
        .offset = offset, .rank = (uint8_t)rank, .point = point, .free = point_at(making, point)->free};
}

/* What a branch reads must be there when it is executed after the node. */
static struct probe_free_registers free_before_branch(const struct making *making,
                                                      struct probe_free_registers free, uint32_t branch)
{
    const struct model *model = making->model;
    uint32_t encoding = model_instruction(model, branch)->encoding;
    size_t i =
        array_first_not_below(&model->register_uses, 0, offsetof(struct register_use, encoding), encoding);
    for (; i < model->register_uses.count && model_register_use(model, (uint32_t)i)->encoding == encoding;
         i++) {
        uint8_t number = probe_general_number(model, model_register_use(model, (uint32_t)i)->register_);
        if (number < 32)
            free.general &= ~(1u << number);
    }
    free.has_flags = false;
    return free;
}

static bool add_taken(struct making *making, uint32_t branch, uint32_t point)
{
    const struct encoding *encoding =
        model_encoding(making->model, model_instruction(making->model, branch)->encoding);
    size_t offset = making->writer->taken(&making->lines, branch);
    if (offset == SIZE_MAX || (encoding->flow != flow_BRANCH && encoding->flow != flow_JUMP))
        return false;
    add_edit(making, offset, RANK_TAKEN, point);
    struct edit *edit = ARRAY_AT(struct edit, &making->edits, making->edits.count - 1);
    edit->branch = branch;
    edit->is_guarded = encoding->flow == flow_BRANCH;
    edit->free = free_before_branch(making, edit->free, branch);
    if (!edit->is_guarded)
        return true;
    const struct node_instruction *place = node_lines_find(&making->lines, branch);
    struct span statement = node_lines_statement(&making->lines, place);
    struct node_text trial = {.text = ARRAY_OF(char)};
    bool has_opposite = making->writer->opposite(&trial, (const char *)statement.data, statement.size, 1);
    array_free(&trial.text);
    return has_opposite;
}

/* Entries: branches that leave the node out, and the other ways to it. */

static bool is_past(const struct making *making, uint32_t entry, uint32_t branch)
{
    for (uint32_t i = 0; i < making->plan->points.count; i++) {
        const struct probe_point *point = point_at(making, i);
        if (point->is_past_entry && point->instruction == branch &&
            point->subject == point_at(making, entry)->subject)
            return true;
    }
    return false;
}

static bool add_entry(struct making *making, uint32_t number)
{
    const struct model *model = making->model;
    uint32_t instruction = point_at(making, number)->instruction;
    uint32_t block = model_instruction(model, instruction)->block;
    uint32_t function = model_block(model, block)->function;
    struct array past = ARRAY_OF(uint32_t), others = ARRAY_OF(uint32_t);
    bool is_placed = true;
    struct model_rows rows = {0, 0};
    if (function && model_block(model, block)->first_instruction == instruction)
        rows = probe_edges_of(model, function);
    for (uint32_t i = rows.first; i < rows.end; i++) {
        const struct edge *edge = model_edge(model, i);
        if (edge->target != block || edge->kind == edge_kind_FALL)
            continue;
        uint32_t branch = probe_last_instruction(model_block(model, edge->source));
        if (edge->kind == edge_kind_TAKEN)
            *(uint32_t *)array_push(is_past(making, number, branch) ? &past : &others) = branch;
        else
            is_placed = false; /* which label a table or an exception uses is not known */
    }
    if (!past.count) {
        size_t offset = making->writer->before(&making->lines, instruction);
        is_placed = offset != SIZE_MAX;
        if (is_placed)
            add_edit(making, offset, RANK_ENTRY, number);
    } else if (is_placed) {
        size_t offset = node_before_label(&making->lines, instruction, past.data, past.count);
        is_placed = offset != SIZE_MAX;
        if (is_placed)
            add_edit(making, offset, RANK_ENTRY, number);
        for (size_t i = 0; is_placed && i < others.count; i++)
            is_placed = add_taken(making, *ARRAY_AT(uint32_t, &others, i), number);
    }
    array_free(&past);
    array_free(&others);
    return is_placed;
}

/* For an instruction set that says itself what is free. */
static struct node_freedom freedom_at(const struct making *making, uint32_t point)
{
    const struct probe_point *row = point_at(making, point);
    return making->writer->freedom ? making->writer->freedom(making->model, row->instruction, row->is_entry)
                                   : (struct node_freedom){0};
}

/* Whether a node at the point would stand between a load-exclusive and its store-exclusive. */
static bool is_exclusive(const struct making *making, const struct probe_point *point)
{
    uint32_t instruction = point->instruction + (point->where == PROBE_AFTER);
    return probe_exclusives_hold(&making->exclusives, instruction);
}

static struct probe_subject *subject_of(const struct making *making, uint32_t number)
{
    return ARRAY_AT(struct probe_subject, &making->plan->subjects, number);
}

/* Whether the address of an operand is known only after linking, so that the model's is not the true one. */
static bool is_relocated(const struct making *making, const struct probe_point *point)
{
    const struct model *model = making->model;
    bool is_address =
        point->action.source.kind == PROBE_FROM_ADDRESS || point->action.source.kind == PROBE_FROM_MEMORY;
    if (subject_of(making, point->subject)->kind != PROBE_OF_ACCESS || !is_address)
        return false;
    uint64_t start = model_address(model, point->instruction);
    uint64_t end =
        start + model_encoding(model, model_instruction(model, point->instruction)->encoding)->size;
    struct model_rows rows = MODEL_ROWS_OF(model, relocations, relocation, making->listing->program);
    for (uint32_t i = rows.first; i < rows.end; i++)
        if (model_relocation(model, i)->address >= start && model_relocation(model, i)->address < end)
            return true;
    return false;
}

/* IA-64: a node stands before the whole bundle, so the value must not come from inside it. */
static bool is_late(const struct making *making, const struct probe_point *point)
{
    const struct probe_source *source = &point->action.source;
    bool is_register = source->kind == PROBE_FROM_GENERAL || source->kind == PROBE_FROM_VECTOR;
    char name[16];
    if (!making->writer->freedom || point->where != PROBE_BEFORE ||
        (!is_register && source->kind != PROBE_FROM_LOOP_COUNT))
        return false;
    snprintf(name, sizeof name, is_register ? "%c%u" : "ar.lc", source->kind == PROBE_FROM_VECTOR ? 'f' : 'r',
             source->base);
    return node_is_written_before(making->model, point->instruction, name);
}

/* IA-64: whether the access is made under a predicate alone. */
static bool is_under_predicate(const struct making *making, const struct probe_point *point)
{
    uint32_t encoding = model_instruction(making->model, point->instruction)->encoding;
    return making->writer->unless && model_encoding(making->model, encoding)->predicate &&
           subject_of(making, point->subject)->kind == PROBE_OF_ACCESS;
}

/* The dynamic linker calls it before there are threads. */
static bool is_resolver(const struct making *making, const struct probe_subject *subject)
{
    const struct model *model = making->model;
    const char *name = model_text(model, model_function(model, subject->function)->name);
    for (uint32_t i = 1; i < model->directives.count; i++) {
        const struct directive *row = model_directive(model, i);
        const char *words = model_text(model, row->text);
        if (row->file == making->listing->file && row->kind == directive_kind_DIRECTIVE && words &&
            row->name && !strcmp(model_text(model, row->name), ".type") &&
            strstr(words, "gnu_indirect_function") && !strncmp(words, name, strlen(name)))
            return true;
    }
    return false;
}

static enum node_refusal place_point(struct making *making, uint32_t number)
{
    const struct probe_point *point = point_at(making, number);
    if (point->is_past_entry)
        return NODE_IS_PLACED;
    if (is_exclusive(making, point))
        return NODE_IS_EXCLUSIVE;
    struct node_text trial = {.text = ARRAY_OF(char), .freedom = freedom_at(making, number)};
    bool can_do = making->writer->action(&trial, &point->action, &point->free);
    array_free(&trial.text);
    if (!can_do)
        return NODE_HAS_NO_REGISTERS;
    if (is_relocated(making, point))
        return NODE_HAS_NO_ADDRESS;
    if (is_late(making, point))
        return NODE_IS_LATE;
    if (point->where == PROBE_TAKEN)
        return add_taken(making, point->instruction, number) ? NODE_IS_PLACED : NODE_HAS_NO_PLACE;
    if (point->is_entry)
        return add_entry(making, number) ? NODE_IS_PLACED : NODE_HAS_NO_PLACE;
    bool is_after = point->where == PROBE_AFTER;
    bool is_predicated = is_under_predicate(making, point);
    size_t offset = is_after ? making->writer->after(&making->lines, point->instruction)
                             : making->writer->before(&making->lines, point->instruction);
    if (offset == SIZE_MAX)
        return NODE_HAS_NO_PLACE;
    if (is_predicated && making->writer->taken(&making->lines, point->instruction) == SIZE_MAX)
        return NODE_IS_LATE;
    add_edit(making, offset, is_after ? RANK_AFTER : RANK_BEFORE, number);
    struct edit *edit = ARRAY_AT(struct edit, &making->edits, making->edits.count - 1);
    edit->is_under = is_predicated;
    edit->branch = point->instruction;
    return NODE_IS_PLACED;
}

static bool is_ours(const struct making *making, const struct probe_subject *subject)
{
    return subject->program == making->listing->program;
}

static void refuse(struct making *making, uint32_t number, uint32_t instruction, enum node_refusal why)
{
    static const uint8_t placings[NODE_REFUSALS] = {
        [NODE_HAS_NO_PLACE] = PROBE_REFUSED_NO_PLACE,  [NODE_HAS_NO_REGISTERS] = PROBE_REFUSED_NOT_MOVABLE,
        [NODE_IS_LATE] = PROBE_REFUSED_NOT_MOVABLE,    [NODE_HAS_NO_ADDRESS] = PROBE_REFUSED_NOT_MOVABLE,
        [NODE_IS_EXCLUSIVE] = PROBE_REFUSED_EXCLUSIVE, [NODE_HAS_NO_VALUE] = PROBE_REFUSED_NO_VALUE,
        [NODE_IS_RESOLVER] = PROBE_REFUSED_NO_PLACE};
    subject_of(making, number)->refusal = placings[why];
    *(struct probe_refused *)array_push(&making->plan->refused) =
        (struct probe_refused){.instruction = instruction, .subject = number, .refusal = placings[why]};
    *(struct nodes_refused *)array_push(&making->listing->refused) =
        (struct nodes_refused){.subject = number, .instruction = instruction, .why = (uint8_t)why};
}

static void refuse_resolvers(struct making *making)
{
    bool has_some = memmem(making->lines.text, making->lines.size, "gnu_indirect_function", 21) != NULL;
    for (uint32_t i = 0; has_some && i < making->plan->subjects.count; i++) {
        const struct probe_subject *subject = subject_of(making, i);
        if (is_ours(making, subject) && subject->refusal == PROBE_NOT_REFUSED && subject->function &&
            is_resolver(making, subject))
            refuse(making, i, subject->instruction, NODE_IS_RESOLVER);
    }
}

/* What the plan refused itself. */
static void take_refused(struct making *making)
{
    for (uint32_t i = 0; i < making->plan->subjects.count; i++) {
        const struct probe_subject *subject = subject_of(making, i);
        if (is_ours(making, subject) && subject->refusal != PROBE_NOT_REFUSED)
            *(struct nodes_refused *)array_push(&making->listing->refused) = (struct nodes_refused){
                .subject = i,
                .instruction = subject->instruction,
                .why = subject->refusal == PROBE_REFUSED_NO_VALUE ? NODE_HAS_NO_VALUE : NODE_HAS_NO_PLACE};
    }
}

static void place_points(struct making *making)
{
    making->listing->refused.width = sizeof(struct nodes_refused);
    making->listing->refused.count = 0;
    take_refused(making);
    refuse_resolvers(making);
    for (uint32_t i = 0; i < making->plan->points.count; i++) {
        const struct probe_point *point = point_at(making, i);
        const struct probe_subject *subject = subject_of(making, point->subject);
        if (!is_ours(making, subject) || subject->refusal != PROBE_NOT_REFUSED)
            continue;
        enum node_refusal why = place_point(making, i);
        if (why != NODE_IS_PLACED)
            refuse(making, point->subject, point->instruction, why);
    }
}

static void drop_refused(struct making *making)
{
    struct edit *edits = making->edits.data;
    size_t kept = 0;
    for (size_t i = 0; i < making->edits.count; i++)
        if (subject_of(making, point_at(making, edits[i].point)->subject)->refusal == PROBE_NOT_REFUSED)
            edits[kept++] = edits[i];
    making->edits.count = kept;
}

/* main begins the runtime's work (the paper's Figure 4). */
static void add_main(struct making *making)
{
    const struct model *model = making->model;
    for (uint32_t id = 1; id < model->functions.count; id++) {
        const struct function *function = model_function(model, id);
        if (function->program != making->listing->program || !function->block_count || !function->name ||
            strcmp(model_text(model, function->name), "main") != 0)
            continue;
        uint32_t entry = probe_entry_instruction(model, id);
        size_t offset = entry ? making->writer->before(&making->lines, entry) : SIZE_MAX;
        if (offset != SIZE_MAX)
            *(struct edit *)array_push(&making->edits) =
                (struct edit){.offset = offset, .rank = RANK_BEGIN, .point = UINT32_MAX, .branch = entry};
    }
}

/* Loops that count without the clock: a plan with a file has histograms in the runtime's counters.  Here the
   exit is an event that says how far the variable moved, or both ends are events; the bias is steps of what
   counts. */
static int64_t step_of(uint64_t inverse, uint32_t shift)
{
    for (; inverse && !(inverse & 1); inverse >>= 1) /* of narrow variables: their bits lie at the top */
        shift--;
    uint64_t odd = inverse; /* its inverse modulo 2^64, by Newton's method: 3 bits are right, then 6, 12 … */
    for (unsigned i = 0; i < 6; i++)
        odd *= 2 - inverse * odd;
    return (int64_t)(odd << shift);
}

static struct probe_source biased(const struct probe_action *action)
{
    struct probe_source source = action->source;
    int64_t step = source.kind == PROBE_FROM_COUNTER ? 1 : step_of(action->inverse, action->shift);
    source.displacement += action->bias * step;
    if (source.kind == PROBE_FROM_GENERAL && source.displacement) {
        source.kind = PROBE_FROM_ADDRESS;
        source.index = PROBE_NO_REGISTER;
    }
    return source;
}

static void use_events(struct making *making)
{
    bool does_tallies = making->writer->does_tallies;
    for (uint32_t i = 0; i < making->plan->points.count; i++) {
        struct probe_point *point = point_at(making, i);
        struct probe_subject *subject = subject_of(making, point->subject);
        struct probe_action *action = &point->action;
        if (action->kind == PROBE_DO_TALLY) {
            struct probe_action event =
                probe_make_event(point->subject, does_tallies ? PROBE_MOVED : PROBE_STOP, biased(action));
            action->source = event.source;
            action->identity = event.identity;
            action->kind = does_tallies ? PROBE_DO_TALLY : PROBE_DO_EVENT;
            action->bias = 0; /* done */
        } else if (action->kind == PROBE_DO_KEEP && !does_tallies) {
            *action = probe_make_event(point->subject, PROBE_START, action->source);
        }
        if (subject->how.kind == PROBE_COUNT_ONLY && !does_tallies)
            subject->how.kind = PROBE_LOOP;
    }
}

/* Words that nodes use get numbers without gaps: histograms are not among them. */
static uint32_t dense(struct making *making, uint32_t counter)
{
    if (counter >= making->counters.count)
        array_add_many(&making->counters, counter + 1 - making->counters.count);
    uint32_t *number = ARRAY_AT(uint32_t, &making->counters, counter);
    if (!*number)
        *number = ++making->counter_count;
    return *number - 1;
}

static struct probe_action with_dense_counters(struct making *making, const struct probe_action *action)
{
    struct probe_action changed = *action;
    if (action->kind == PROBE_DO_COUNT || action->kind == PROBE_DO_KEEP || action->kind == PROBE_DO_TALLY)
        changed.counter = dense(making, action->counter);
    if (action->source.kind == PROBE_FROM_COUNTER)
        changed.source.counter = dense(making, action->source.counter);
    return changed;
}

/* Where the instruction set says what is free. */
static void find_free(struct making *making)
{
    for (uint32_t i = 0; making->writer->freedom && i < making->plan->points.count; i++)
        point_at(making, i)->free = (struct probe_free_registers){.general = freedom_at(making, i).general};
}

/* Text */

void node_line(struct node_text *text, const char *format, ...)
{
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= sizeof line)
        return;
    memcpy(array_push_many(&text->text, (size_t)length), line, (size_t)length);
    *(char *)array_push(&text->text) = '\n';
}

static void append(struct array *out, const char *text, size_t size)
{
    if (size)
        memcpy(array_push_many(out, size), text, size);
}

static void describe(const struct making *making, const struct edit *edit, char *words, size_t size)
{
    if (edit->point == UINT32_MAX) {
        snprintf(words, size, "main begins");
        return;
    }
    const struct probe_point *point = point_at(making, edit->point);
    const struct probe_subject *subject = subject_of(making, point->subject);
    static const char *const kinds[] = {"function", "loop", "call", "parameter", "value", "access"};
    static const char *const events[] = {"", "enter", "leave", "start", "stop", "seen", "touch", "", "moved"};
    bool is_event = point->action.kind == PROBE_DO_EVENT || point->action.kind == PROBE_DO_TALLY;
    unsigned event = is_event ? point->action.identity & 15 : 0;
    char name[100];
    snprintf(name, sizeof name, "%s",
             subject->function
                 ? model_text(making->model, model_function(making->model, subject->function)->name)
                 : "");
    for (char *c = name; *c; c++)
        if (*c < ' ' || *c > '~' || *c == '\\')
            *c = '?';
    snprintf(words, size, "%s %u of %s: %s", kinds[subject->kind], point->subject, name,
             event && event < sizeof events / sizeof *events ? events[event]
             : point->action.kind == PROBE_DO_KEEP           ? "keep"
                                                             : "count");
}

/* IA-64: whether the instruction before an offset is followed by a stop. */
static bool ends_group(const struct making *making, size_t offset)
{
    if (!making->writer->freedom)
        return true;
    const struct node_lines *lines = &making->lines;
    size_t next = array_first_not_below(&lines->instructions, 0, offsetof(struct node_instruction, line),
                                        node_line_of(lines, offset));
    if (!next)
        return true;
    uint32_t before = ARRAY_AT(struct node_instruction, &lines->instructions, next - 1)->instruction;
    size_t row = array_first_not_below(&making->model->listing_instructions, 0,
                                       offsetof(struct listing_instruction, instruction), before);
    return row < making->model->listing_instructions.count &&
           model_listing_instruction(making->model, (uint32_t)row)->is_stop;
}

static void write_action(struct making *making, struct node_text *text, const struct edit *edit)
{
    struct probe_action action = with_dense_counters(making, &point_at(making, edit->point)->action);
    making->writer->action(text, &action, &edit->free);
}

/* Out of line, unless the linker may drop the function and keep the rest of the object. */
static bool is_far(const struct making *making, const struct edit *edit)
{
    uint32_t function = subject_of(making, point_at(making, edit->point)->subject)->function;
    for (size_t i = 0; !making->text.place.is_group && i < making->listing->far.count; i++)
        if (*ARRAY_AT(uint32_t, &making->listing->far, i) == function)
            return true;
    return false;
}

static void write_far(struct making *making, const struct edit *edit, uint32_t back)
{
    struct node_text *text = &making->text, far = {.text = making->far, .place = text->place};
    uint32_t there = node_label(text);
    making->writer->jump(text, there);
    far.labels = text->labels;
    node_far_begin(&far, &making->lines, edit->offset);
    node_line(&far, ".Lassay_%u:", there);
    write_action(making, &far, edit);
    making->writer->jump(&far, back);
    node_far_end(&far);
    text->labels = far.labels;
    making->far = far.text;
}

static void write_edit(struct making *making, const struct edit *edit)
{
    struct node_text *text = &making->text;
    text->place =
        *ARRAY_AT(struct node_place, &making->lines.places, node_line_of(&making->lines, edit->offset));
    text->needs_stop_first = !ends_group(making, edit->offset);
    if (edit->point == UINT32_MAX) {
        if (making->writer->freedom)
            text->freedom = making->writer->freedom(making->model, edit->branch, true);
        making->writer->begin_main(text);
        return;
    }
    text->freedom = freedom_at(making, edit->point);
    uint32_t label = 0;
    if (edit->is_guarded || edit->is_under) {
        const struct node_instruction *place = node_lines_find(&making->lines, edit->branch);
        struct span statement = node_lines_statement(&making->lines, place);
        label = node_label(text);
        if (edit->is_under)
            making->writer->unless(text, (const char *)statement.data, statement.size, label);
        else
            making->writer->opposite(text, (const char *)statement.data, statement.size, label);
    }
    if (is_far(making, edit)) {
        label = label ? label : node_label(text);
        write_far(making, edit, label);
    } else {
        write_action(making, text, edit);
    }
    if (label)
        node_line(text, ".Lassay_%u:", label);
}

/* General registers that an action reads: they may be free for the program, but not for other actions of the
   same place. */
static uint32_t read_by(const struct probe_action *action)
{
    const struct probe_source *source = &action->source;
    bool is_memory = source->kind == PROBE_FROM_ADDRESS || source->kind == PROBE_FROM_MEMORY;
    bool reads =
        action->kind == PROBE_DO_EVENT || action->kind == PROBE_DO_KEEP || action->kind == PROBE_DO_TALLY;
    if (!reads || (source->kind != PROBE_FROM_GENERAL && !is_memory))
        return 0;
    uint32_t base = source->base < 32 ? 1u << source->base : 0;
    return base | (is_memory && source->index < 32 ? 1u << source->index : 0);
}

static void keep_what_is_read(struct making *making)
{
    uint32_t *reads = memory_get(making->model->code.count * sizeof *reads);
    struct edit *edits = making->edits.data;
    for (size_t i = 0; i < making->edits.count; i++)
        if (edits[i].point != UINT32_MAX)
            reads[point_at(making, edits[i].point)->instruction] |=
                read_by(&point_at(making, edits[i].point)->action);
    for (size_t i = 0, end; i < making->edits.count; i = end) {
        uint32_t read = 0;
        for (end = i; end < making->edits.count && edits[end].offset == edits[i].offset; end++)
            if (edits[end].point != UINT32_MAX)
                read |= reads[point_at(making, edits[end].point)->instruction];
        for (size_t k = i; k < end; k++)
            edits[k].free.general &= ~read;
    }
    free(reads);
}

static int by_offset(const void *left, const void *right)
{
    const struct edit *a = left, *b = right;
    if (a->offset != b->offset)
        return a->offset < b->offset ? -1 : 1;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return (a->point > b->point) - (a->point < b->point);
}

static void write_node(struct making *making, struct array *out, const struct edit *edit)
{
    char words[200], mark[300];
    describe(making, edit, words, sizeof words);
    bool is_inside = edit->offset && making->lines.text[edit->offset - 1] != '\n';
    bool is_intel =
        ARRAY_AT(struct node_place, &making->lines.places, node_line_of(&making->lines, edit->offset))
            ->is_intel;
    int length = snprintf(mark, sizeof mark, "%s%s (%s)\n", is_inside ? "\n" : "",
                          is_inside ? NODE_BEGINS_INSIDE : NODE_BEGINS, words);
    append(out, mark, (size_t)length);
    making->text.text.count = 0;
    if (is_intel)
        node_line(&making->text, "\t.att_syntax prefix");
    write_edit(making, edit);
    if (is_intel)
        node_line(&making->text, "\t.intel_syntax noprefix");
    append(out, making->text.text.data, making->text.text.count);
    append(out, NODE_ENDS "\n", strlen(NODE_ENDS "\n"));
    making->nodes++;
}

static void write_all(struct making *making, struct array *out)
{
    size_t copied = 0;
    const char *text = making->lines.text;
    struct edit *edits = making->edits.data;
    if (making->edits.count)
        qsort(edits, making->edits.count, sizeof *edits, by_offset);
    keep_what_is_read(making);
    for (size_t i = 0; i < making->edits.count; i++) {
        append(out, text + copied, edits[i].offset - copied);
        copied = edits[i].offset;
        write_node(making, out, &edits[i]);
    }
    append(out, text + copied, making->lines.size - copied);
    bool is_cut = making->lines.size && text[making->lines.size - 1] != '\n';
    const char *mark = is_cut ? "\n" NODE_BEGINS_INSIDE " (subjects)\n" : NODE_BEGINS " (subjects)\n";
    append(out, mark, strlen(mark));
    making->text.text.count = 0;
    making->text.place = *ARRAY_AT(struct node_place, &making->lines.places, making->lines.places.count - 1);
    if (making->text.place.is_intel)
        node_line(&making->text, "\t.att_syntax prefix");
    node_table(&making->text, making->plan, making->listing, making->writer, making->counter_count,
               &making->far);
    append(out, making->text.text.data, making->text.text.count);
    append(out, NODE_ENDS "\n", strlen(NODE_ENDS "\n"));
}

static void count(const struct making *making, struct nodes_outcome *outcome)
{
    *outcome = (struct nodes_outcome){.nodes = making->nodes};
    for (uint32_t i = 0; i < making->plan->subjects.count; i++) {
        const struct probe_subject *subject = subject_of(making, i);
        outcome->subjects += is_ours(making, subject);
        outcome->refused += is_ours(making, subject) && subject->refusal != PROBE_NOT_REFUSED;
    }
}

bool nodes_insert(struct probe_plan *plan, struct nodes_listing *listing, struct array *out,
                  struct nodes_outcome *outcome, struct error *error)
{
    enum isa isa = (enum isa)model_program(plan->model, listing->program)->isa;
    struct making making = {.plan = plan,
                            .model = plan->model,
                            .listing = listing,
                            .writer = node_writer(isa),
                            .edits = ARRAY_OF(struct edit),
                            .counters = ARRAY_OF(uint32_t),
                            .far = ARRAY_OF(char),
                            .text = {.text = ARRAY_OF(char)}};
    if (!making.writer)
        return error_set(error, listing->path, "nodes are for x86-64, AArch64 and IA-64 listings");
    if (nodes_are_in(listing->text))
        return error_set(error, listing->path,
                         "has nodes already; assay asm --without-probes takes them out");
    node_lines_make(&making.lines, plan->model, listing, making.writer);
    probe_exclusives_init(&making.exclusives, plan->model);
    probe_keep_reserved(plan);
    use_events(&making);
    if (making.writer->prepare && !listing->is_prepared)
        making.writer->prepare(plan, listing->program);
    listing->is_prepared = true;
    find_free(&making);
    place_points(&making);
    drop_refused(&making);
    add_main(&making);
    write_all(&making, out);
    count(&making, outcome);
    probe_exclusives_free(&making.exclusives);
    node_lines_free(&making.lines);
    array_free(&making.edits);
    array_free(&making.counters);
    array_free(&making.far);
    array_free(&making.text.text);
    return true;
}
