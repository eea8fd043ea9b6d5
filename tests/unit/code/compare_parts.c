/* compare-parts FILE SEED COUNT [ADDRESS…]: reads a program whole and in part, and compares the rows of the
   part's functions in both.  The part are COUNT functions by chance, or those at the addresses.  Rows are
   compared as text: what they refer to stands there by its name or address, not by its id.  Prints what
   differs and how long both readings took; ends with 1 where something differs.

   compare-parts FILE SEED COUNT --only: reads only the part, of COUNT functions by chance; 0: only the whole.

   What may differ, and is not compared: the hint that debug information is missing, which stands at the first
   loop of a model; advice, where the program has longer vectors or multiply-adds outside of the part, because
   it is weaker then. */
#include "code/flow/flow.h"
#include "code/machine/host.h"
#include "code/machine/machine.h"
#include "model/tables.h"
#include "code/quality/quality.h"
#include "code/read/read.h"
#include "code/structure/structure.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { DEEPEST = 4, MOST_SHOWN = 20, PATHS = 64, CHANCE_TRIES = 1000000 };

static uint64_t state;

static uint32_t chance(uint32_t limit)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % limit;
}

static double seconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* --- rows as text --- */

static void write_row(FILE *out, const struct model *model, const struct table_description *table,
                      uint32_t id, int depth);

/* A row that another one refers to: its name and place. */
static void write_reference(FILE *out, const struct model *model, const struct table_description *table,
                            uint32_t id, int depth)
{
    if (!id) {
        fputc('-', out);
    } else if (!strcmp(table->name, "functions")) {
        const struct function *function = model_function(model, id);
        fprintf(out, "%" PRIx64 "=%s", function->address, model_text(model, function->name));
    } else if (!strcmp(table->name, "blocks")) {
        fprintf(out, "B%" PRIx64, model_block(model, id)->address);
    } else if (!strcmp(table->name, "loops")) {
        const struct loop *loop = model_loop(model, id);
        fprintf(out, "L%" PRIx64 "/%u", model_block(model, loop->header)->address, loop->depth);
    } else if (!strcmp(table->name, "code")) {
        const struct instruction *row = model_instruction(model, id);
        fprintf(out, "%" PRIx64, model_block(model, row->block)->address + row->offset);
    } else if (!strcmp(table->name, "rules")) {
        fputs(model_text(model, model_rule_row(model, id)->name), out);
    } else if (!strcmp(table->name, "registers")) {
        fputs(model_text(model, model_register(model, id)->name), out);
    } else if (!strcmp(table->name, "advice")) {
        const struct advice *advice = model_advice(model, id);
        write_reference(out, model, table_named("loops"), advice->loop, depth);
        fputc(' ', out);
        write_reference(out, model, table_named("rules"), advice->rule, depth);
    } else if (!strcmp(table->name, "encodings")) {
        const struct encoding *encoding = model_encoding(model, id);
        const char *text = model_text(model, encoding->text);
        fprintf(out, "'%s' %u %u", text ? text : "no text", encoding->class, encoding->flow);
    } else if (depth) {
        fputc('(', out);
        write_row(out, model, table, id, depth - 1);
        fputc(')', out);
    }
}

static uint64_t number_of(const struct table_column *column, const uint8_t *field)
{
    uint64_t value = 0;
    memcpy(&value, field, column->size ? column->size : 4);
    return value;
}

static void write_row(FILE *out, const struct model *model, const struct table_description *table,
                      uint32_t id, int depth)
{
    const uint8_t *record = array_at(table_rows(table, model), id);
    for (unsigned i = 0; i < table->column_count; i++) {
        const struct table_column *column = &table->columns[i];
        const uint8_t *field = record + column->offset;
        uint32_t reference;
        double real;
        switch (column->type) {
        case COLUMN_REF:
            memcpy(&reference, field, sizeof reference);
            write_reference(out, model, column->refers_to, reference, depth);
            break;
        case COLUMN_TEXT:
            memcpy(&reference, field, sizeof reference);
            fprintf(out, "%s", reference ? model_text(model, reference) : "-");
            break;
        case COLUMN_REAL:
            memcpy(&real, field, sizeof real);
            fprintf(out, "%.9g", real);
            break;
        case COLUMN_BYTES:
        case COLUMN_VIRTUAL:
            continue;
        default:
            fprintf(out, "%" PRIx64, number_of(column, field));
        }
        fputc(' ', out);
    }
}

/* --- rows of a function --- */

/* The function that a row belongs to, by the first of its references that leads to one. */
static uint32_t owner(const struct model *model, const struct table_description *table, uint32_t id)
{
    const uint8_t *record = array_at(table_rows(table, model), id);
    if (!strcmp(table->name, "functions"))
        return id;
    for (unsigned i = 0; i < table->column_count; i++) {
        static const char *const ways[] = {"functions", "blocks", "loops", "code", "advice"};
        const struct table_column *column = &table->columns[i];
        uint32_t reference;
        for (size_t k = 0; column->type == COLUMN_REF && k < sizeof ways / sizeof *ways; k++)
            if (!strcmp(column->refers_to->name, ways[k])) {
                memcpy(&reference, record + column->offset, sizeof reference);
                return reference ? owner(model, column->refers_to, reference) : 0;
            }
    }
    return 0;
}

static const char *const compared[] = {"functions",
                                       "blocks",
                                       "edges",
                                       "loops",
                                       "loop_blocks",
                                       "paths",
                                       "path_blocks",
                                       "calls",
                                       "code",
                                       "def_use",
                                       "live_ranges",
                                       "stack_accesses",
                                       "useless_accesses",
                                       "loop_cycles",
                                       "core_bounds",
                                       "loop_levels",
                                       "loop_families",
                                       "loop_roles",
                                       "loop_metrics",
                                       "access_patterns",
                                       "bound_instructions",
                                       "port_uses",
                                       "advice",
                                       "advice_evidence",
                                       "remedies",
                                       "inlined_calls",
                                       "variables"};

static bool is_debug_hint(const struct model *model, uint32_t advice)
{
    const char *rule = model_text(model, model_rule_row(model, model_advice(model, advice)->rule)->name);
    return !strcmp(rule, "flag-debug");
}

static bool is_left_out(const struct model *model, const struct table_description *table, uint32_t id)
{
    if (!strcmp(table->name, "advice"))
        return is_debug_hint(model, id);
    if (!strcmp(table->name, "remedies"))
        return is_debug_hint(model, model_remedy_row(model, id)->advice);
    if (!strcmp(table->name, "advice_evidence"))
        return is_debug_hint(model, model_advice_evidence_row(model, id)->advice);
    return false;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The rows of a table that belong to functions with is_wanted, as sorted texts. */
static struct array rows_as_text(const struct model *model, const struct table_description *table,
                                 const bool *is_wanted)
{
    struct array texts = ARRAY_OF(char *);
    for (uint32_t id = table->key ? 0 : 1; id < table_rows(table, model)->count; id++) {
        uint32_t function = owner(model, table, id);
        if (!function || !is_wanted[function] || is_left_out(model, table, id))
            continue;
        char *text = NULL;
        size_t size;
        FILE *out = open_memstream(&text, &size);
        write_row(out, model, table, id, DEEPEST);
        fclose(out);
        *(char **)array_add(&texts) = text;
    }
    if (texts.count)
        qsort(texts.data, texts.count, sizeof(char *), by_text);
    return texts;
}

static void free_texts(struct array *texts)
{
    for (size_t i = 0; i < texts->count; i++)
        free(*ARRAY_AT(char *, texts, i));
    array_free(texts);
}

static size_t show_difference(const char *table, const struct array *whole, const struct array *part)
{
    size_t i = 0, j = 0, found = 0;
    while (i < whole->count || j < part->count) {
        const char *a = i < whole->count ? *ARRAY_AT(char *, whole, i) : NULL;
        const char *b = j < part->count ? *ARRAY_AT(char *, part, j) : NULL;
        int order = !a ? 1 : !b ? -1 : strcmp(a, b);
        if (order && found++ < MOST_SHOWN)
            printf("%s %s: %s\n", table, order < 0 ? "whole" : "part ", order < 0 ? a : b);
        i += order <= 0;
        j += order >= 0;
    }
    return found;
}

/* --- models --- */

static bool build(struct model *model, const char *path, const struct model_part *part, struct error *error)
{
    struct read_options reading = {.parts = part, .part_count = part != NULL};
    struct structure_options structuring = {.path_limit = PATHS, .parts = part, .part_count = part != NULL};
    model_init(model);
    double wall = seconds(CLOCK_MONOTONIC), processor = seconds(CLOCK_PROCESS_CPUTIME_ID);
    bool done = read_file(model, path, &reading, error);
    double read = seconds(CLOCK_MONOTONIC);
    done = done && structure_build(model, &structuring, error);
    printf(
        "%s: %.3f s read, %.3f s structure, %.3f s of processor time; %zu functions, %zu blocks, %zu source "
        "lines\n",
        part ? "part" : "whole", read - wall, seconds(CLOCK_MONOTONIC) - read,
        seconds(CLOCK_PROCESS_CPUTIME_ID) - processor, model->functions.count - 1, model->blocks.count - 1,
        model->source_lines.count - 1);
    return done;
}

static bool judge(struct model *model, const bool *is_wanted, struct error *error)
{
    const char *directory = MACHINES;
    struct quality_options options = {.path_limit = PATHS};
    struct machine *machine = NULL;
    enum isa isa = model_program(model, 1)->isa;
    if (isa == isa_AARCH64 || isa == isa_X86_64) {
        bool is_host;
        machine = machine_load_usual(isa, &(struct machine_identity){0}, &directory, 1, &is_host, error);
        if (!machine)
            return false;
        options.machines.of[isa] = machine;
    }
    struct array loops = ARRAY_OF(uint32_t);
    for (uint32_t id = 1; id < model->loops.count; id++)
        if (model_loop(model, id)->is_innermost && is_wanted[model_loop(model, id)->function])
            *(uint32_t *)array_add(&loops) = id;
    flow_build(model, &(struct flow_options){0});
    quality_build(model, &options, &loops);
    array_free(&loops);
    if (machine)
        machine_free(machine);
    return true;
}

static int by_address(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* An address in each of some functions. */
static struct array choose_addresses(const struct model *model, uint32_t count)
{
    struct array addresses = ARRAY_OF(uint64_t);
    for (int i = 0; i < CHANCE_TRIES && addresses.count < count && model->functions.count > 1; i++) {
        const struct function *row = model_function(model, 1 + chance((uint32_t)model->functions.count - 1));
        if (row->address != NO_ADDRESS && row->size)
            *(uint64_t *)array_add(&addresses) = row->address + chance((uint32_t)row->size);
    }
    return addresses;
}

/* The same without the functions: by symbols, most of which are functions. */
static struct array choose_symbols(const char *path, uint32_t count, struct error *error)
{
    struct array addresses = ARRAY_OF(uint64_t);
    struct model model;
    model_init(&model);
    read_file(&model, path, &(struct read_options){.without_debug = true}, error);
    for (int i = 0; i < CHANCE_TRIES && addresses.count < count && model.symbols.count > 1; i++) {
        const struct symbol *row = model_symbol(&model, 1 + chance((uint32_t)model.symbols.count - 1));
        if (row->address != NO_ADDRESS && row->size)
            *(uint64_t *)array_add(&addresses) = row->address + chance((uint32_t)row->size);
    }
    model_free(&model);
    return addresses;
}

/* By row of functions: whether one of the addresses is in it. */
static bool *mark(const struct model *model, const struct array *addresses)
{
    bool *is_wanted = memory_get(model->functions.count + 1);
    for (uint32_t id = 1; id < model->functions.count; id++) {
        const struct function *row = model_function(model, id);
        size_t at = array_first_at(addresses, 0, 0, row->address);
        is_wanted[id] = row->address != NO_ADDRESS && at < addresses->count &&
                        *ARRAY_AT(uint64_t, addresses, at) - row->address < row->size;
    }
    return is_wanted;
}

/* What advice about vectors knows of all code. */
struct vectors {
    unsigned longest;
    bool has_scalable, has_fused;
};

static struct vectors vectors_of(const struct model *model)
{
    struct vectors vectors = {0};
    for (uint32_t id = 1; id < model->encodings.count; id++) {
        const struct encoding *row = model_encoding(model, id);
        vectors.longest = row->vector_bits > vectors.longest ? row->vector_bits : vectors.longest;
        vectors.has_scalable |= row->is_scalable;
        vectors.has_fused |= row->class == class_FMA;
    }
    return vectors;
}

static bool is_about_vectors(const char *table, const struct model *whole, const struct model *part)
{
    struct vectors a = vectors_of(whole), b = vectors_of(part);
    return (!strncmp(table, "advice", 6) || !strcmp(table, "remedies")) &&
           (a.longest != b.longest || a.has_scalable != b.has_scalable || a.has_fused != b.has_fused);
}

static size_t compare(struct model *whole, struct model *part, const struct array *addresses,
                      struct error *error)
{
    size_t found = 0;
    bool *in_whole = mark(whole, addresses), *in_part = mark(part, addresses);
    if (!judge(whole, in_whole, error) || !judge(part, in_part, error))
        return 1;
    for (size_t i = 0; i < sizeof compared / sizeof *compared; i++) {
        const struct table_description *table = table_named(compared[i]);
        if (is_about_vectors(table->name, whole, part))
            continue;
        struct array a = rows_as_text(whole, table, in_whole), b = rows_as_text(part, table, in_part);
        size_t differences = show_difference(table->name, &a, &b);
        if (differences)
            printf("%s: %zu rows differ of %zu\n", table->name, differences, a.count);
        found += differences;
        free_texts(&a);
        free_texts(&b);
    }
    free(in_whole);
    free(in_part);
    return found;
}

static int fail(const struct error *error)
{
    fprintf(stderr, "%s\n", error->text);
    return 2;
}

static bool build_part(struct model *model, const char *path, const struct array *addresses,
                       struct error *error)
{
    qsort(addresses->data, addresses->count, sizeof(uint64_t), by_address);
    struct model_part part = {path, addresses->data, addresses->count};
    return build(model, path, &part, error);
}

static int read_only(const char *path, uint32_t count)
{
    struct error error = {0};
    struct model model;
    struct array addresses = choose_symbols(path, count, &error);
    if (count ? !addresses.count || !build_part(&model, path, &addresses, &error)
              : !build(&model, path, NULL, &error))
        return fail(&error);
    model_free(&model);
    array_free(&addresses);
    return 0;
}

int main(int count, char **words)
{
    struct model whole, part;
    struct error error = {0};
    if (count < 4)
        return 2;
    state = strtoull(words[2], NULL, 0) * 2654435761u + 12345;
    if (count == 5 && !strcmp(words[4], "--only"))
        return read_only(words[1], (uint32_t)atoi(words[3]));
    if (!build(&whole, words[1], NULL, &error))
        return fail(&error);
    struct array addresses = ARRAY_OF(uint64_t);
    for (int i = 4; i < count; i++)
        *(uint64_t *)array_add(&addresses) = strtoull(words[i], NULL, 16);
    if (!addresses.count)
        addresses = choose_addresses(&whole, (uint32_t)atoi(words[3]));
    if (!addresses.count || !build_part(&part, words[1], &addresses, &error))
        return fail(&error);
    for (uint32_t id = 1; count > 4 && id < part.functions.count; id++)
        if (model_function(&part, id)->block_count)
            printf("decoded %s\n", model_text(&part, model_function(&part, id)->name));
    size_t differences = compare(&whole, &part, &addresses, &error);
    printf("%zu differences\n", differences);
    array_free(&addresses);
    model_free(&whole);
    model_free(&part);
    return differences > 0;
}
