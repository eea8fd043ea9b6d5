/* An entry of the log in words: `2.93873588e-39 [#16] × 0.25`, `7.34683969e-40 [#17] to a[67]`.

   Numbers of floats have nine digits, which tell every float from every other one; those of doubles have twelve,
   because seventeen are no pleasure to read (JSON and CSV have them all). */
#include "show/report/denormal/log.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct denormal_logged denormal_logged_of(sqlite3_stmt *row)
{
    struct denormal_logged entry = {.number = (uint64_t)sqlite3_column_int64(row, 0),
                                    .action = report_column_text(row, 1),
                                    .place = report_column_text(row, 2),
                                    .function = report_column_text(row, 3),
                                    .operands = (unsigned)sqlite3_column_int(row, 4),
                                    .operand_bytes = (unsigned)sqlite3_column_int(row, 5),
                                    .result_bytes = (unsigned)sqlite3_column_int(row, 6),
                                    .result = report_column_real(row, 13),
                                    .array = report_column_text(row, 14),
                                    .element = (uint64_t)sqlite3_column_int64(row, 15),
                                    .has_element = sqlite3_column_type(row, 15) != SQLITE_NULL,
                                    .data_address = (uint64_t)sqlite3_column_int64(row, 16),
                                    .lane = (uint64_t)sqlite3_column_int64(row, 17),
                                    .id = sqlite3_column_int64(row, 18)};
    for (int i = 0; i < DENORMAL_LOG_OPERANDS; i++) {
        entry.values[i] = report_column_real(row, 7 + i);
        entry.from[i] = (uint64_t)sqlite3_column_int64(row, 10 + i);
    }
    if (entry.operands > DENORMAL_LOG_OPERANDS)
        entry.operands = DENORMAL_LOG_OPERANDS;
    return entry;
}

void denormal_logged_free(struct denormal_logged *entry)
{
    free(entry->action);
    free(entry->place);
    free(entry->function);
    free(entry->array);
}

bool denormal_logged_is_denormal(double value, unsigned bytes)
{
    return value != 0 && fabs(value) < (bytes == 4 ? (double)FLT_MIN : DBL_MIN);
}

char *denormal_logged_value(double value, unsigned bytes)
{
    return isnan(value) ? memory_format("not a number") : memory_format("%.*g", bytes == 4 ? 9 : 12, value);
}

static char *operand_words(const struct denormal_logged *entry, unsigned index)
{
    autofree char *value = denormal_logged_value(entry->values[index], entry->operand_bytes);
    return entry->from[index] ? memory_format("%s [#%llu]", value, (unsigned long long)entry->from[index])
                              : memory_format("%s", value);
}

static char *place_words(const struct denormal_logged *entry)
{
    if (entry->has_element)
        return memory_format("%s[%llu]", entry->array ? entry->array : "?",
                             (unsigned long long)entry->element);
    return memory_format("%s at 0x%llx", entry->array ? entry->array : "memory",
                         (unsigned long long)entry->data_address);
}

char *denormal_logged_words(const struct denormal_logged *entry)
{
    static const struct {
        const char *action, *before, *between, *after;
    } forms[] = {{"add", "", " + ", ""},
                 {"subtract", "", " − ", ""},
                 {"multiply", "", " × ", ""},
                 {"divide", "", " ÷ ", ""},
                 {"square root", "√(", "", ")"},
                 {"multiply-add", "fma(", ", ", ")"},
                 {"minimum", "min(", ", ", ")"},
                 {"maximum", "max(", ", ", ")"},
                 {"compare", "compare ", " with ", ""},
                 {"convert", "convert ", "", ""},
                 {"round", "round ", "", ""}};
    const char *action = entry->action ? entry->action : "?";
    bool is_load = !strcmp(action, "load"), is_store = !strcmp(action, "store");
    autofree char *first = operand_words(entry, 0);
    if (is_load || is_store) {
        autofree char *place = place_words(entry);
        return memory_format("%s %s %s %s", action, first, is_load ? "from" : "to", place);
    }
    autofree char *named = memory_format("%s(", action);
    const char *before = named, *between = ", ", *after = ")";
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (!strcmp(forms[i].action, action))
            before = forms[i].before, between = forms[i].between, after = forms[i].after;
    autofree char *second = operand_words(entry, 1), *third = operand_words(entry, 2);
    return memory_format("%s%s%s%s%s%s%s", before, first, entry->operands > 1 ? between : "",
                         entry->operands > 1 ? second : "", entry->operands > 2 ? between : "",
                         entry->operands > 2 ? third : "", after);
}
