#include "run/points/data.h"

#include "code/quality/subject.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_STEPS = 6,    /* from a register to where its value came from */
    MOST_BACK = 40,    /* instructions, for a definition */
    MOST_BLOCKS = 4,   /* that are entered backwards */
    MOST_ALIASES = 32, /* of a type */
    MOST_NESTING = 5,  /* structures in structures */
    MOST_LENGTH = 200, /* of a text */
    MOST_INLINED = 200,
};

/* A place in memory, or an address: text NULL: unknown. */
struct named {
    char *text;
    uint32_t type;
    bool is_moved; /* an address with something unknown added */
};

static const struct named NOTHING = {0};

void point_namer_begin(struct point_namer *namer, struct model *model)
{
    *namer = (struct point_namer){.model = model};
    namer->first = memory_get((model->functions.count + 1) * sizeof *namer->first);
    namer->next = memory_get((model->variables.count + 1) * sizeof *namer->next);
    for (uint32_t id = (uint32_t)model->variables.count; id-- > 1;) {
        uint32_t function = model_variable(model, id)->function;
        namer->next[id] = namer->first[function];
        namer->first[function] = id;
    }
}

void point_namer_end(struct point_namer *namer)
{
    free(namer->first);
    free(namer->next);
}

/* ---- types ---- */

static uint32_t plain(const struct model *model, uint32_t id)
{
    for (unsigned i = 0; i < MOST_ALIASES && id && id < model->types.count; i++) {
        const struct type *type = model_type(model, id);
        if (type->kind != type_kind_TYPEDEF && type->kind != type_kind_QUALIFIED)
            return id;
        id = type->target;
    }
    return 0;
}

static unsigned kind_of(const struct model *model, uint32_t id)
{
    uint32_t type = plain(model, id);
    return type ? model_type(model, type)->kind : type_kind_OTHER;
}

static bool has_members(const struct model *model, uint32_t type)
{
    unsigned kind = kind_of(model, type);
    return kind == type_kind_STRUCT || kind == type_kind_UNION;
}

/* What a pointer points to, or an array is of; 0: it is neither. */
static uint32_t element_of(const struct model *model, uint32_t type)
{
    unsigned kind = kind_of(model, type);
    return kind == type_kind_POINTER || kind == type_kind_ARRAY
               ? model_type(model, plain(model, type))->target
               : 0;
}

/* "struct entry", "double"; to be freed; NULL: it has no name. */
static char *type_name(const struct model *model, uint32_t id)
{
    for (unsigned i = 0; i < MOST_ALIASES && id && id < model->types.count; i++) {
        const struct type *type = model_type(model, id);
        const char *name = model_text(model, type->name);
        if (name && type->kind != type_kind_QUALIFIED)
            return memory_format("%s%.200s",
                                 type->kind == type_kind_STRUCT  ? "struct "
                                 : type->kind == type_kind_UNION ? "union "
                                                                 : "",
                                 name);
        if (type->kind != type_kind_TYPEDEF && type->kind != type_kind_QUALIFIED)
            return NULL;
        id = type->target;
    }
    return NULL;
}

/* The member that holds a byte of a structure; NULL: none, or several (of a union). */
static const struct member *member_at(const struct model *model, uint32_t type, uint64_t offset)
{
    const struct array *table = &model->members;
    uint32_t id = plain(model, type);
    const struct member *found = NULL;
    if (kind_of(model, type) != type_kind_STRUCT)
        return NULL;
    size_t at = array_first_not_below(table, 0, offsetof(struct member, type), id);
    for (; at < table->count && model_member(model, (uint32_t)at)->type == id; at++) {
        const struct member *member = model_member(model, (uint32_t)at);
        if (member->offset <= offset && (!found || member->offset > found->offset))
            found = member;
    }
    return found;
}

/* Whether its last member is an array without a length, which goes on behind it. */
static bool goes_on(const struct model *model, uint32_t type)
{
    uint32_t id = plain(model, type);
    uint64_t bytes = id ? model_type(model, id)->bytes : 0;
    const struct member *last = bytes ? member_at(model, id, UINT64_MAX) : NULL;
    return last && last->offset >= bytes;
}

/* Adds what a distance from the start of a place means: ".position.x", "[…]".  Takes and returns texts. */
static struct named inside(const struct model *model, struct named place, uint64_t offset)
{
    for (unsigned depth = 0; depth < MOST_NESTING && place.text && strlen(place.text) < MOST_LENGTH;
         depth++) {
        const struct member *member = member_at(model, place.type, offset);
        char *old = place.text;
        if (member) {
            const char *name = model_text(model, member->name);
            if (name)
                place.text = memory_format("%s.%s", old, name);
            place.type = member->member_type;
            offset -= member->offset;
        } else if (kind_of(model, place.type) == type_kind_ARRAY) {
            place.text = memory_format("%s[…]", old);
            place.type = element_of(model, place.type);
            uint64_t bytes = place.type && plain(model, place.type)
                                 ? model_type(model, plain(model, place.type))->bytes
                                 : 0;
            offset = bytes ? offset % bytes : 0;
        } else {
            break;
        }
        if (place.text != old)
            free(old);
    }
    return place;
}

/* ---- variables ---- */

static bool is_visible(const struct model *model, uint32_t instruction, uint32_t inlined)
{
    uint32_t line = model_instruction(model, instruction)->source_line;
    uint32_t call = line ? model_source_line(model, line)->inlined_call : 0;
    for (unsigned i = 0; inlined && call && i < MOST_INLINED;
         i++, call = model_inlined_call(model, call)->parent)
        if (call == inlined)
            return true;
    return !inlined;
}

static bool is_held(const struct model *model, uint32_t variable, uint64_t address, const char *name)
{
    const struct array *table = &model->locations;
    size_t at = array_first_not_below(table, 1, offsetof(struct location, variable), variable);
    for (; at < table->count && model_location(model, (uint32_t)at)->variable == variable; at++) {
        const struct location *location = model_location(model, (uint32_t)at);
        const char *held = model_text(model, location->register_name);
        bool holds =
            location->address == NO_ADDRESS || (address >= location->address && address < location->end);
        if (holds && location->kind == location_kind_REGISTER && held && !strcmp(held, name))
            return true;
    }
    return false;
}

static struct named variable_of(const struct model *model, uint32_t id)
{
    const struct variable *variable = model_variable(model, id);
    const char *name = model_text(model, variable->name);
    return name ? (struct named){memory_format("%.100s", name), variable->type, false} : NOTHING;
}

/* The pointer that a register holds before an instruction. */
static struct named pointer_in(const struct point_namer *namer, uint32_t instruction, uint32_t full)
{
    const struct model *model = namer->model;
    const char *name = model_text(model, model_register(model, full)->name);
    uint32_t function = model_block(model, model_instruction(model, instruction)->block)->function;
    uint64_t address = model_address(model, instruction);
    for (uint32_t id = name ? namer->first[function] : 0; id; id = namer->next[id]) {
        const struct variable *variable = model_variable(model, id);
        if (variable->name && kind_of(model, variable->type) == type_kind_POINTER &&
            is_visible(model, instruction, variable->inlined_call) && is_held(model, id, address, name))
            return variable_of(model, id);
    }
    return NOTHING;
}

/* The variable of a program at an address in memory. */
static struct named variable_at(const struct point_namer *namer, uint32_t program, uint64_t address)
{
    const struct model *model = namer->model;
    for (uint32_t i = 1; i < model->locations.count; i++) {
        const struct location *location = model_location(model, i);
        if (location->kind != location_kind_ADDRESS || (uint64_t)location->value > address)
            continue;
        const struct variable *variable = model_variable(model, location->variable);
        uint32_t type = plain(model, variable->type);
        uint64_t bytes = type ? model_type(model, type)->bytes : 0;
        if (variable->program == program && address - (uint64_t)location->value < bytes)
            return inside(model, variable_of(model, location->variable), address - (uint64_t)location->value);
    }
    return NOTHING;
}

/* ---- where addresses come from ---- */

static bool writes(const struct model *model, const struct subject_item *item, uint32_t full)
{
    for (unsigned i = 0; i < item->use_count; i++)
        if (item->uses[i].access != access_READ &&
            model_full_register(model, item->uses[i].register_) == full)
            return true;
    return false;
}

/* The only block before this one; 0: none, or several. */
static uint32_t block_before(const struct model *model, uint32_t block)
{
    const struct function *function = model_function(model, model_block(model, block)->function);
    const struct array *edges = &model->edges;
    uint32_t found = 0, end = function->first_block + function->block_count;
    size_t i = array_first_not_below(edges, 0, offsetof(struct edge, source), function->first_block);
    for (; i < edges->count && model_edge(model, (uint32_t)i)->source < end; i++) {
        const struct edge *edge = model_edge(model, (uint32_t)i);
        if (edge->target != block || edge->source == found)
            continue;
        if (found)
            return 0;
        found = edge->source;
    }
    return found;
}

/* What wrote a register last before an instruction; 0: unknown. */
static uint32_t definition_of(const struct model *model, uint32_t instruction, uint32_t full)
{
    uint32_t block = model_instruction(model, instruction)->block, at = instruction;
    for (unsigned steps = 0, blocks = 0; steps < MOST_BACK; steps++) {
        if (at == model_block(model, block)->first_instruction) {
            block = blocks++ < MOST_BLOCKS ? block_before(model, block) : 0;
            if (!block || !model_block(model, block)->instruction_count)
                return 0;
            at = model_block(model, block)->first_instruction + model_block(model, block)->instruction_count;
            continue;
        }
        struct subject_item item;
        subject_item_take(model, &item, --at);
        if (item.row->flow == flow_CALL)
            return 0;
        if (writes(model, &item, full))
            return at;
    }
    return 0;
}

static struct named access_of(const struct point_namer *namer, uint32_t instruction, unsigned depth);

static uint32_t program_of(const struct model *model, uint32_t instruction)
{
    return model_function(model, model_block(model, model_instruction(model, instruction)->block)->function)
        ->program;
}

/* The address in a register before an instruction, as a pointer. */
static struct named address_in(const struct point_namer *namer, uint32_t instruction, uint32_t full,
                               unsigned depth)
{
    const struct model *model = namer->model;
    struct named found = full ? pointer_in(namer, instruction, full) : NOTHING;
    uint32_t maker = found.text || !full || depth > MOST_STEPS ? 0 : definition_of(model, instruction, full);
    if (!maker)
        return found;
    struct subject_item item;
    subject_item_take(model, &item, maker);
    if (item.row->class == class_LOAD)
        return access_of(namer, maker, depth + 1);
    bool moves = item.row->class == class_MOVE,
         adds = item.row->class == class_ADD || item.row->class == class_ADDRESS;
    if (item.row->load_bytes || (!moves && !adds))
        return NOTHING;
    if (item.row->class == class_ADDRESS && model_instruction(model, maker)->target != NO_ADDRESS)
        return variable_at(namer, program_of(model, maker), model_instruction(model, maker)->target);
    for (unsigned i = 0; i < item.use_count && !found.text; i++) {
        uint32_t source = model_full_register(model, item.uses[i].register_);
        if (item.uses[i].access == access_WRITE ||
            model_register(model, source)->kind != register_kind_GENERAL)
            continue;
        found = address_in(namer, maker, source, depth + 1);
        if (found.text && !element_of(model, found.type)) {
            free(found.text);
            found = NOTHING;
        }
        found.is_moved = found.is_moved || adds;
    }
    return found;
}

/* "base->member", "base[…].member", "base[…]", "*base". */
static struct named behind(const struct model *model, struct named base, int64_t displacement)
{
    uint32_t element = element_of(model, base.type);
    char *old = base.text;
    if (!old || !element || strlen(old) >= MOST_LENGTH) {
        free(old);
        return NOTHING;
    }
    uint32_t type = plain(model, element);
    int64_t bytes = type ? (int64_t)model_type(model, type)->bytes : 0;
    bool is_one = !base.is_moved && kind_of(model, base.type) == type_kind_POINTER && displacement >= 0 &&
                  (!bytes || displacement < bytes || goes_on(model, element));
    uint64_t offset = is_one      ? (uint64_t)displacement
                      : bytes > 0 ? (uint64_t)(((displacement % bytes) + bytes) % bytes)
                                  : 0;
    struct named place = {memory_format(is_one ? "*%s" : "%s[…]", old), element, false};
    struct named whole = inside(model, place, offset);
    if (is_one && has_members(model, element) && whole.text[0] == '*' && strchr(whole.text, '.')) {
        char *arrow = memory_format("%s->%s", old, whole.text + strlen(old) + 2);
        free(whole.text);
        whole.text = arrow;
    }
    free(old);
    return whole;
}

/* The place in memory that an instruction accesses. */
static struct named access_of(const struct point_namer *namer, uint32_t instruction, unsigned depth)
{
    const struct model *model = namer->model;
    struct subject_item item;
    subject_item_take(model, &item, instruction);
    const struct operand *memory = subject_item_memory(&item);
    if (!memory)
        return NOTHING;
    if (memory->is_relative)
        return variable_at(namer, program_of(model, instruction),
                           model_instruction(model, instruction)->target);
    uint32_t base = model_full_register(model, memory->base_register),
             index = model_full_register(model, memory->index_register);
    struct named from = address_in(namer, instruction, base, depth);
    if ((!from.text || !element_of(model, from.type)) && index && memory->scale <= 1) {
        free(from.text);
        from = address_in(namer, instruction, index, depth);
        index = base;
    }
    from.is_moved = from.is_moved || index;
    return behind(model, from, memory->displacement);
}

/* The structure or element that an access belongs to: of node->next, that of *node. */
static char *home_of(const struct point_namer *namer, uint32_t instruction, struct named place)
{
    const struct model *model = namer->model;
    struct subject_item item;
    subject_item_take(model, &item, instruction);
    const struct operand *memory = subject_item_memory(&item);
    if (memory && !memory->is_relative) {
        struct named from =
            address_in(namer, instruction, model_full_register(model, memory->base_register), 0);
        uint32_t element = from.text ? element_of(model, from.type) : 0;
        free(from.text);
        if (element)
            return type_name(model, element);
    }
    return type_name(model, place.type);
}

void point_name_data(const struct point_namer *namer, uint32_t instruction, string_id *data, string_id *type)
{
    struct named place = access_of(namer, instruction, 0);
    *data = *type = 0;
    if (!place.text)
        return;
    autofree char *home = home_of(namer, instruction, place);
    *data = model_string(namer->model, place.text);
    *type = home ? model_string(namer->model, home) : 0;
    free(place.text);
}
