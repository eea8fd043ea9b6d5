/* Forms as blocks of a machine file.

   Forms of a mnemonic whose words are the same share a line, mnemonics whose lines are the same share a
   block, as in the files that come with Assay (tools/machine_forms.py lays these out in the same way).  A
   text that a block would read otherwise, such as one with a tab, has a line `form` of its own. */
#include "code/machine/write.h"

#include "base/strings.h"

#include <stdlib.h>
#include <string.h>

enum { WIDTH = 120 };

static int by_text(const void *left, const void *right)
{
    return strcmp((*(const struct machine_form *const *)left)->text,
                  (*(const struct machine_form *const *)right)->text);
}

struct array machine_forms_in_order(const struct machine *machine)
{
    struct array forms = ARRAY_OF(const struct machine_form *);
    array_reserve(&forms, machine->forms.count);
    for (size_t i = 0; i < machine->forms.count; i++)
        *(const struct machine_form **)array_push(&forms) =
            ARRAY_AT(const struct machine_form, &machine->forms, i);
    if (forms.count)
        qsort(forms.data, forms.count, forms.width, by_text);
    return forms;
}

/* A form in its parts. */
struct forms_row {
    const char *text, *operands; /* operands: "-" for none */
    size_t mnemonic;             /* length */
    string_id words;
};

struct forms_block {
    string_id lines;
    size_t count;      /* of forms of a mnemonic */
    struct array rows; /* of const struct forms_row *: the first of each mnemonic */
};

static bool fits_block(const struct forms_row *row)
{
    return form_is_mnemonic(row->text, row->mnemonic) && !row->operands[strcspn(row->operands, "\t\r")] &&
           (strcmp(row->operands, "-") || !row->text[row->mnemonic]);
}

static string_id words_of(const struct machine *machine, const struct machine_form *form,
                          struct strings *words)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return strings_add(words, "");
    form_write_words(machine, form, false, out);
    fputs(form->latencies.count ? " " : "", out);
    form_write_exceptions(machine, form, out);
    machine_write_spread(form->spread, out);
    fclose(out);
    string_id id = strings_add(words, text);
    free(text);
    return id;
}

static struct forms_row row_of(const struct machine *machine, const struct machine_form *form,
                               struct strings *words)
{
    const char *blank = strrchr(form->text, ' ');
    return (struct forms_row){.text = form->text,
                              .operands = blank ? blank + 1 : "-",
                              .mnemonic = blank ? (size_t)(blank - form->text) : strlen(form->text),
                              .words = words_of(machine, form, words)};
}

/* A word, in a new line where this one is full; the column after it. */
static size_t put_word(const char *word, size_t length, const char *behind, size_t column, const char *indent,
                       FILE *out)
{
    bool fits = column + 1 + length + strlen(behind) <= WIDTH;
    fprintf(out, "%s%s%.*s%s", fits ? " " : "\n", fits ? "" : indent, (int)length, word, behind);
    return (fits ? column + 1 : strlen(indent)) + length + strlen(behind);
}

/* The lines of a mnemonic, below its heading. */
static string_id lines_of(const struct forms_row *rows, size_t count, const struct strings *words,
                          struct strings *lines)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    for (size_t i = 0; out && i < count; i++) {
        size_t earlier = 0;
        while (rows[earlier].words != rows[i].words)
            earlier++;
        if (earlier < i)
            continue;
        putc(' ', out);
        size_t column = 1;
        for (size_t k = i; k < count; k++)
            if (rows[k].words == rows[i].words)
                column = put_word(rows[k].operands, strlen(rows[k].operands), "", column, "  ", out);
        fprintf(out, " :%s\n", strings_text(words, rows[i].words));
    }
    if (out)
        fclose(out);
    string_id id = strings_add(lines, text ? text : "");
    free(text);
    return id;
}

static void write_form(const struct forms_row *row, const struct strings *words, FILE *out)
{
    fprintf(out, "form %s :%s\n", row->text, strings_text(words, row->words));
}

static void write_block(const struct forms_block *block, const struct strings *lines, FILE *out)
{
    fputs("forms", out);
    size_t column = strlen("forms");
    for (size_t i = 0; i < block->rows.count; i++) {
        const struct forms_row *row = *ARRAY_AT(const struct forms_row *, &block->rows, i);
        column =
            put_word(row->text, row->mnemonic, i + 1 < block->rows.count ? "," : "", column, "    ", out);
    }
    fprintf(out, "\n%s", strings_text(lines, block->lines));
}

/* The forms of one mnemonic: into the block that has the same lines, or a new one. */
static void gather_block(const struct forms_row *rows, size_t count, const struct strings *words,
                         struct strings *lines, struct array *latest, struct array *blocks)
{
    string_id id = lines_of(rows, count, words, lines);
    while (latest->count <= id)
        *(uint32_t *)array_add(latest) = 0;
    uint32_t *number = ARRAY_AT(uint32_t, latest, id);
    if (!*number || ARRAY_AT(struct forms_block, blocks, *number - 1)->rows.count == MOST_MNEMONICS) {
        *(struct forms_block *)array_push(blocks) =
            (struct forms_block){.lines = id, .count = count, .rows = ARRAY_OF(const struct forms_row *)};
        *number = (uint32_t)blocks->count;
    }
    *(const struct forms_row **)array_push(&ARRAY_AT(struct forms_block, blocks, *number - 1)->rows) = rows;
}

bool forms_have(const struct machine *machine, machine_source source)
{
    for (size_t i = 0; i < machine->forms.count; i++)
        if (ARRAY_AT(const struct machine_form, &machine->forms, i)->source == source)
            return true;
    return false;
}

void forms_write(const struct machine *machine, machine_source source, FILE *out)
{
    struct strings words = {0}, lines = {0};
    struct array forms = machine_forms_in_order(machine), rows = ARRAY_OF(struct forms_row);
    struct array latest = ARRAY_OF(uint32_t), blocks = ARRAY_OF(struct forms_block);
    for (size_t i = 0; i < forms.count; i++) {
        const struct machine_form *form = *ARRAY_AT(const struct machine_form *, &forms, i);
        if (form->source != source)
            continue;
        struct forms_row row = row_of(machine, form, &words);
        if (fits_block(&row))
            *(struct forms_row *)array_push(&rows) = row;
        else
            write_form(&row, &words, out);
    }
    struct forms_row *all = rows.data;
    for (size_t first = 0, next; first < rows.count; first = next) {
        for (next = first + 1; next < rows.count && all[next].mnemonic == all[first].mnemonic &&
                               !memcmp(all[next].text, all[first].text, all[first].mnemonic);)
            next++;
        gather_block(&all[first], next - first, &words, &lines, &latest, &blocks);
    }
    for (size_t i = 0; i < blocks.count; i++) {
        struct forms_block *block = ARRAY_AT(struct forms_block, &blocks, i);
        if (block->count == 1 && block->rows.count == 1)
            write_form(*ARRAY_AT(const struct forms_row *, &block->rows, 0), &words, out);
        else
            write_block(block, &lines, out);
        array_free(&block->rows);
    }
    array_free(&blocks);
    array_free(&latest);
    array_free(&rows);
    array_free(&forms);
    strings_free(&lines);
    strings_free(&words);
}
