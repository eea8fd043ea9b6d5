/* A stream belongs to one thread here, and the locks of every character would cost more than the characters.
 */
#include "show/report/common/row_writer.h"

#include "base/expect.h"
#include "model/model.h"
#include "show/report/common/rows.h"
#include "store/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void row_begin(struct row_writer *writer, const char *name)
{
    if (!writer->is_first)
        putc_unlocked(',', writer->out);
    writer->is_first = false;
    if (writer->is_head) {
        fputs_unlocked(name, writer->out);
    } else if (writer->is_json) {
        putc_unlocked('"', writer->out);
        fputs_unlocked(name, writer->out);
        fputs_unlocked("\":", writer->out);
    }
}

static void write_nothing(const struct row_writer *writer)
{
    if (writer->is_json)
        fputs_unlocked("null", writer->out);
}

/* To be freed. */
static char *without_controls(const char *text)
{
    static const char replacement[] = "\xef\xbf\xbd"; /* U+FFFD */
    char *tame = memory_get((sizeof replacement - 1) * strlen(text) + 1), *end = tame;
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7f)
            end = stpcpy(end, replacement);
        else
            *end++ = *text;
    *end = 0;
    return tame;
}

void row_text(struct row_writer *writer, const char *name, const char *text)
{
    row_begin(writer, name);
    if (writer->is_head)
        return;
    if (!text) {
        write_nothing(writer);
    } else if (writer->is_json) {
        report_json_text(writer->out, text, strlen(text));
    } else if (writer->is_tame) {
        autofree char *tame = without_controls(text);
        report_csv_text(writer->out, tame, strlen(tame));
    } else {
        report_csv_text(writer->out, text, strlen(text));
    }
}

/* Digits of whole numbers by hand: they are most of the numbers, and printf takes ten times as long. */
static void print_whole(uint64_t number, bool is_negative, FILE *out)
{
    char digits[24], *at = digits + sizeof digits;
    do
        *--at = (char)('0' + number % 10);
    while (number /= 10);
    if (is_negative)
        *--at = '-';
    fwrite_unlocked(at, 1, (size_t)(digits + sizeof digits - at), out);
}

/* Fifteen digits always survive; the seventeenth is the last that any number needs. */
void row_print_number(double number, FILE *out)
{
    if (fabs(number) < 1e15 && number == (double)(int64_t)number) {
        print_whole((uint64_t)fabs(number), number < 0, out);
        return;
    }
    char text[40];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, number);
        if (strtod(text, NULL) == number)
            break;
    }
    fputs_unlocked(text, out);
}

void row_number(struct row_writer *writer, const char *name, double number)
{
    row_begin(writer, name);
    if (writer->is_head)
        return;
    if (isfinite(number))
        row_print_number(number, writer->out);
    else
        write_nothing(writer);
}

void row_figure(struct row_writer *writer, const char *name, double number)
{
    row_begin(writer, name);
    if (writer->is_head)
        return;
    bool is_whole = fabs(number) < 1e15 && number == (double)(int64_t)number;
    if (!isfinite(number))
        write_nothing(writer);
    else if (is_whole)
        row_print_number(number, writer->out);
    else
        fprintf(writer->out, "%.6g", number);
}

void row_integer(struct row_writer *writer, const char *name, int64_t number)
{
    row_begin(writer, name);
    if (!writer->is_head)
        print_whole(number < 0 ? -(uint64_t)number : (uint64_t)number, number < 0, writer->out);
}

void row_address(struct row_writer *writer, const char *name, uint64_t address)
{
    row_begin(writer, name);
    if (writer->is_head)
        return;
    if (address == NO_ADDRESS)
        write_nothing(writer);
    else
        print_whole(address, false, writer->out);
}

void row_id(struct row_writer *writer, const char *name, uint64_t id)
{
    row_number(writer, name, id ? (double)id : NAN);
}

void row_flag(struct row_writer *writer, const char *name, bool flag)
{
    row_begin(writer, name);
    if (writer->is_head)
        return;
    if (writer->is_json)
        fputs_unlocked(flag ? "true" : "false", writer->out);
    else
        putc_unlocked(flag ? '1' : '0', writer->out);
}

void row_name(const char *word, char name[64])
{
    size_t length = 0;
    for (; *word && length < 62; word++) {
        if (!strncmp(word, "µ", strlen("µ"))) {
            name[length++] = 'u';
            word += strlen("µ") - 1;
        } else {
            name[length++] = *word == ' ' ? '_' : *word;
        }
    }
    name[length] = 0;
}

static void write_column(struct row_writer *writer, const struct model *model,
                         const struct table_column *column, const void *record)
{
    struct value value = rows_value(model, column, record);
    if (column->type == COLUMN_FLAG)
        row_flag(writer, column->name, value.integer);
    else if (value.kind == VALUE_TEXT)
        row_text(writer, column->name, value.bytes);
    else if (value.kind == VALUE_INTEGER)
        row_integer(writer, column->name, value.integer);
    else
        row_number(writer, column->name, value.kind == VALUE_REAL ? value.real : NAN);
}

void row_columns(struct row_writer *writer, const struct model *model, const char *table, const void *record,
                 const char *names)
{
    const struct table_description *described = table_named(table);
    expect(described);
    for (size_t length; *names; names += length + (names[length] == ' ')) {
        const struct table_column *column = described->columns, *end = column + described->column_count;
        length = strcspn(names, " ");
        while (column < end && (strncmp(column->name, names, length) || column->name[length]))
            column++;
        expect(column < end);
        write_column(writer, model, column, record);
    }
}

struct row_writer row_begin_object(FILE *out)
{
    putc_unlocked('{', out);
    return (struct row_writer){.out = out, .is_json = true, .is_first = true};
}

struct row_writer row_begin_object_named(struct row_writer *writer, const char *name)
{
    row_begin(writer, name);
    return row_begin_object(writer->out);
}

void row_end_object(const struct row_writer *object)
{
    putc_unlocked('}', object->out);
}

struct row_list row_begin_list(struct row_writer *writer, const char *name, const char *before)
{
    row_begin(writer, name);
    putc_unlocked('[', writer->out);
    return (struct row_list){.out = writer->out, .before = before};
}

void row_separate(struct row_list *list)
{
    if (list->is_begun)
        putc_unlocked(',', list->out);
    fputs_unlocked(list->before, list->out);
    list->is_begun = true;
}

struct row_writer row_begin_item(struct row_list *list)
{
    row_separate(list);
    return row_begin_object(list->out);
}

void row_end_list(const struct row_list *list)
{
    putc_unlocked(']', list->out);
}

struct row_table row_begin_table(FILE *out, bool is_json, bool is_wide)
{
    fputs(!is_json ? "" : is_wide ? "[\n" : "[", out);
    return (struct row_table){.row = {.out = out, .is_json = is_json}, .is_wide = is_wide};
}

bool row_begin_head(struct row_table *table)
{
    table->row.is_head = table->row.is_first = table->is_begun = !table->row.is_json;
    return table->is_begun;
}

void row_begin_row(struct row_table *table)
{
    if (table->row.is_json)
        fputs(!table->has_rows ? "{" : table->is_wide ? "},\n{" : "},\n {", table->row.out);
    else
        fputs(table->is_begun ? "\r\n" : "", table->row.out);
    table->row.is_head = false;
    table->row.is_first = table->is_begun = table->has_rows = true;
}

void row_end_table(const struct row_table *table)
{
    if (table->row.is_json)
        fprintf(table->row.out, "%s%s]\n", table->has_rows ? "}" : "", table->is_wide ? "\n" : "");
    else
        fputs(table->is_begun ? "\r\n" : "", table->row.out);
}
