/* An assembler may refuse a text with nodes that it takes without: nodes make functions longer, and some
   distances have few bits (a table of bytes for a switch, tbz, loop).  The line of its message is in a
   function, or it is data that names labels of a function; nodes of that function become one jump each, to
   code at the end of the text, and where even that is too much it does without nodes. */
#include "run/probe/nodes/parts.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Lines of the text with nodes become lines without, from 0. */
static uint32_t line_without(struct span text, uint32_t wanted)
{
    uint32_t line = 0, kept = 0;
    bool is_node = false;
    for (size_t at = 0; at < text.size && line < wanted; line++) {
        const char *start = (const char *)text.data + at;
        const char *newline = memchr(start, '\n', text.size - at);
        size_t size = newline ? (size_t)(newline - start) : text.size - at;
        bool begins = size >= strlen(NODE_BEGINS) && !memcmp(start, NODE_BEGINS, strlen(NODE_BEGINS));
        bool ends = size >= strlen(NODE_ENDS) && !memcmp(start, NODE_ENDS, strlen(NODE_ENDS));
        if (begins && size >= strlen(NODE_BEGINS_INSIDE) &&
            !memcmp(start, NODE_BEGINS_INSIDE, strlen(NODE_BEGINS_INSIDE)))
            kept--; /* the line goes on after the node */
        is_node = is_node || begins;
        kept += !is_node;
        is_node = is_node && !ends;
        at += size + 1;
    }
    return kept;
}

static uint32_t function_at(const struct node_lines *lines, uint64_t address)
{
    const struct model *model = lines->model;
    for (uint32_t id = 1; id < model->functions.count; id++) {
        const struct function *function = model_function(model, id);
        if (function->program == lines->listing->program && address != NO_ADDRESS &&
            address >= function->address && address - function->address < function->size)
            return id;
    }
    return 0;
}

static bool has_name(const char *at, size_t size, const char *name)
{
    size_t length = strlen(name);
    for (size_t i = 0; length && i + length <= size; i++) {
        bool ends = i + length == size ||
                    !(strchr("_.$", at[i + length]) || (at[i + length] >= '0' && at[i + length] <= '9') ||
                      (at[i + length] >= 'a' && at[i + length] <= 'z'));
        if (ends && !memcmp(at + i, name, length))
            return true;
    }
    return false;
}

static void add_once(struct array *functions, uint32_t function)
{
    for (size_t i = 0; i < functions->count; i++)
        if (*ARRAY_AT(uint32_t, functions, i) == function)
            return;
    if (function)
        *(uint32_t *)array_push(functions) = function;
}

/* The function of a line's instruction, and those of labels that it names. */
static void find_functions(const struct node_lines *lines, uint32_t line, struct array *functions)
{
    if (line + 1 >= lines->starts.count)
        return;
    size_t i = array_first_not_below(&lines->instructions, 0, offsetof(struct node_instruction, line), line);
    for (; i < lines->instructions.count; i++) {
        const struct node_instruction *place = ARRAY_AT(struct node_instruction, &lines->instructions, i);
        if (place->line != line)
            break;
        add_once(functions, function_at(lines, model_address(lines->model, place->instruction)));
    }
    size_t start = *ARRAY_AT(size_t, &lines->starts, line), end = *ARRAY_AT(size_t, &lines->starts, line + 1);
    for (i = 0; i < lines->labels.count; i++) {
        const struct node_name *label = ARRAY_AT(struct node_name, &lines->labels, i);
        if (has_name(lines->text + start, end - start, label->name))
            add_once(functions, function_at(lines, label->address));
    }
}

static bool refuse(struct probe_plan *plan, uint32_t function)
{
    bool has_some = false;
    for (size_t i = 0; i < plan->subjects.count; i++) {
        struct probe_subject *subject = ARRAY_AT(struct probe_subject, &plan->subjects, i);
        if (subject->function != function || subject->refusal != PROBE_NOT_REFUSED)
            continue;
        subject->refusal = PROBE_REFUSED_FAR;
        has_some = true;
    }
    return has_some;
}

uint32_t nodes_shorten(struct probe_plan *plan, struct nodes_listing *listing, struct span with_nodes,
                       const char *name, const char *messages)
{
    const struct node_writer *writer =
        node_writer((enum isa)model_program(plan->model, listing->program)->isa);
    struct node_lines lines;
    struct array functions = ARRAY_OF(uint32_t);
    uint32_t count = 0;
    size_t length = strlen(name);
    node_lines_make(&lines, plan->model, listing, writer);
    for (const char *at = messages; (at = strstr(at, name)); at += length) {
        unsigned long line = at[length] == ':' ? strtoul(at + length + 1, NULL, 10) : 0;
        if (line && line <= UINT32_MAX)
            find_functions(&lines, line_without(with_nodes, (uint32_t)line - 1), &functions);
    }
    for (size_t i = 0; i < functions.count; i++) {
        uint32_t function = *ARRAY_AT(uint32_t, &functions, i);
        size_t before = listing->far.count;
        listing->far.width = sizeof function;
        if (writer->jump)
            add_once(&listing->far, function);
        count += listing->far.count > before || refuse(plan, function);
    }
    node_lines_free(&lines);
    array_free(&functions);
    return count;
}
