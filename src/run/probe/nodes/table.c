/* What an object with nodes carries for the runtime (runtime/probe/nodes_file.h), as directives. */
#include "runtime/probe/nodes_file.h"
#include "run/probe/nodes/parts.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct table {
    struct node_text *text;
    const struct probe_plan *plan;
    const struct nodes_listing *listing;
    struct array texts; /* of char */
    struct strings known;
    struct array offsets; /* of uint32_t, by string */
    uint32_t first_text;
};

static uint32_t text_offset(struct table *table, const char *text)
{
    if (!text || !*text)
        return 0;
    string_id id = strings_add(&table->known, text);
    if (id >= table->offsets.count)
        array_add_many(&table->offsets, id + 1 - table->offsets.count);
    uint32_t *offset = ARRAY_AT(uint32_t, &table->offsets, id);
    if (!*offset) {
        *offset = table->first_text + (uint32_t)table->texts.count;
        memcpy(array_push_many(&table->texts, strlen(text) + 1), text, strlen(text) + 1);
    }
    return *offset;
}

uint32_t nodes_listing_line(const struct model *model, uint32_t instruction)
{
    const struct listing_instruction *row = instruction ? node_listing_row(model, instruction) : NULL;
    return row ? row->line : 0;
}

static const char *path_of(const struct model *model, uint32_t file)
{
    return file ? model_text(model, model_file(model, file)->path) : NULL;
}

/* Where the subject is in the source: of loops all lines, of others the line of the instruction. */
static void find_source(struct table *table, const struct probe_subject *subject,
                        struct probe_node_subject *row)
{
    const struct model *model = table->plan->model;
    uint32_t file = 0;
    if (subject->kind == PROBE_OF_LOOP) {
        const struct loop *loop = model_loop(model, subject->loop);
        file = loop->file;
        row->line = loop->first_line;
        row->last_line = loop->last_line;
    } else if (subject->kind == PROBE_OF_FUNCTION) {
        file = model_function(model, subject->function)->file;
        row->line = model_function(model, subject->function)->line;
    }
    if (!file && subject->instruction) {
        const struct source_line *line =
            model_source_line(model, model_instruction(model, subject->instruction)->source_line);
        file = line->file;
        row->line = line->line;
    }
    row->file = text_offset(table, file ? path_of(model, file) : table->listing->path);
    if (!file)
        row->line = row->listing_line;
}

static struct probe_node_subject describe(struct table *table, const struct probe_subject *subject)
{
    const struct model *model = table->plan->model;
    struct probe_node_subject row = {.how = subject->how,
                                     .kind = subject->kind,
                                     .counting = subject->counting,
                                     .position = (uint16_t)subject->position};
    if (subject->refusal != PROBE_NOT_REFUSED || subject->program != table->listing->program)
        row.how.kind = 0;
    row.listing_line = nodes_listing_line(model, subject->instruction);
    if (subject->function)
        row.function = text_offset(table, model_text(model, model_function(model, subject->function)->name));
    if (subject->callee)
        row.name = text_offset(table, model_text(model, model_function(model, subject->callee)->name));
    else if (subject->name)
        row.name = text_offset(table, model_text(model, subject->name));
    if (subject->loop) {
        uint32_t first = subject->loop;
        while (first > 1 && model_loop(model, first - 1)->function == subject->function)
            first--;
        row.loop = subject->loop - first + 1;
    }
    find_source(table, subject, &row);
    return row;
}

static void write_bytes(struct node_text *text, const void *data, size_t size)
{
    const uint8_t *bytes = data;
    char line[16 * 5 + 1];
    for (size_t i = 0; i < size; i += 16) {
        int length = 0;
        for (size_t k = i; k < size && k < i + 16; k++)
            length += sprintf(line + length, "%s%u", k > i ? "," : "", bytes[k]);
        node_line(text, "\t.byte %s", line);
    }
}

static void write_subjects(struct table *table, const struct node_writer *writer)
{
    const struct probe_plan *plan = table->plan;
    struct array rows = ARRAY_OF(struct probe_node_subject);
    table->first_text = (uint32_t)(sizeof(struct probe_node_table) +
                                   plan->subjects.count * sizeof(struct probe_node_subject));
    struct probe_node_table head = {.version = PROBE_NODE_VERSION,
                                    .isa = writer->probe_isa,
                                    .subject_count = (uint32_t)plan->subjects.count,
                                    .listing = text_offset(table, table->listing->path)};
    for (size_t i = 0; i < plan->subjects.count; i++) {
        struct probe_node_subject row = describe(table, ARRAY_AT(struct probe_subject, &plan->subjects, i));
        *(struct probe_node_subject *)array_push(&rows) = row;
    }
    while (table->texts.count % 8)
        *(char *)array_push(&table->texts) = 0;
    head.size = table->first_text + table->texts.count;
    write_bytes(table->text, &head, sizeof head);
    write_bytes(table->text, rows.data, rows.count * sizeof(struct probe_node_subject));
    write_bytes(table->text, table->texts.data, table->texts.count);
    array_free(&rows);
}

void node_plain_data(struct node_text *text, bool has_counters)
{
    (void)has_counters;
    node_line(text, NODE_BASE ":");
    node_line(text, "\t.long 0x%x", PROBE_NODE_UNKNOWN);
}

void node_table(struct node_text *text, const struct probe_plan *plan, const struct nodes_listing *listing,
                const struct node_writer *writer, uint32_t counter_count, const struct array *far)
{
    struct table table = {.text = text,
                          .plan = plan,
                          .listing = listing,
                          .texts = ARRAY_OF(char),
                          .offsets = ARRAY_OF(uint32_t)};
    char sign = writer->type_sign;
    node_line(text, "\t.section %s,\"a\",%cnote", PROBE_NODE_NOTE_SECTION, sign);
    node_line(text, "\t.balign 4");
    node_line(text, "\t.long %zu,%zu,%d", sizeof PROBE_NODE_NOTE_NAME, sizeof(struct probe_node_note),
              PROBE_NODE_NOTE_TYPE);
    node_line(text, "\t.ascii \"%s\\0\"", PROBE_NODE_NOTE_NAME);
    node_line(text, "\t.balign 4");
    node_line(text, ".Lassay_note:");
    node_line(text, "\t.long .Lassay_table-.Lassay_note");
    node_line(text, "\t.long " NODE_BASE "-.Lassay_note");
    node_line(text, "\t.section assay_probes,\"a\",%cprogbits", sign);
    node_line(text, "\t.balign 8");
    node_line(text, ".Lassay_table:");
    write_subjects(&table, writer);
    node_line(text, "\t.section .data.assay,\"aw\",%cprogbits", sign);
    node_line(text, "\t.balign 8");
    writer->data(text, counter_count > 0);
    if (counter_count) {
        node_line(text, "\t.section .tbss.assay,\"awT\",%cnobits", sign);
        node_line(text, "\t.balign 8");
        node_line(text, NODE_COUNTERS ":");
        node_line(text, "\t.zero %u", counter_count * 8);
    }
    node_line(text, "\t.section .text.assay,\"ax\",%cprogbits", sign);
    writer->routines(text);
    if (far->count)
        memcpy(array_push_many(&text->text, far->count), far->data, far->count);
    array_free(&table.texts);
    array_free(&table.offsets);
    strings_free(&table.known);
}
