/* Text as a file of settings: what is accepted has a value, a place in the text and, at that place, the first
   letter of the value; what is not has an error that names the file. */
#include "fuzz/harness.h"

#include "base/settings.h"

#include <stdlib.h>
#include <string.h>

static const struct settings_key keys[] = {
    {NULL, "name", false, "a word"},        {NULL, "command", false, "what is run"},
    {NULL, "probes", false, "numbers"},     {"task", "command", true, "what is run"},
    {"task", "after", false, "task names"}, {NULL, NULL, false, NULL},
};

static char letter_at(const uint8_t *data, size_t size, unsigned line, unsigned column)
{
    size_t at = size >= 3 && !memcmp(data, "\xef\xbb\xbf", 3) ? 3 : 0;
    for (; line > 1 && at < size; at++)
        line -= data[at] == '\n';
    return at + column - 1 < size ? (char)data[at + column - 1] : 0;
}

static void check_values(struct settings *settings, const struct setting *setting)
{
    double number;
    unsigned least, most;
    struct error error = {0};
    struct array items;
    if (settings_number(settings, setting, 0, 10, &number, &error) && !(number >= 0 && number <= 10))
        harness_wrong("a number outside its range", setting->value);
    if (settings_seconds(settings, setting, &number, &error) && !(number >= 0))
        harness_wrong("a time below 0", setting->value);
    if (settings_bytes(settings, setting, &number, &error) && !(number >= 0))
        harness_wrong("a size below 0", setting->value);
    if (settings_range(settings, setting, &least, &most, &error) && (!least || least > most))
        harness_wrong("an empty range", setting->value);
    if (settings_list(settings, setting, &items, &error))
        array_free(&items);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error error = {0};
    struct settings settings;
    if (!settings_parse(&settings, "settings", (const char *)data, size, keys, &error)) {
        if (!error.set || strncmp(error.text, "settings:", 9))
            harness_wrong("an error without its file", error.text);
        return 0;
    }
    for (size_t i = 0; i < settings.settings.count; i++) {
        const struct setting *setting = ARRAY_AT(struct setting, &settings.settings, i);
        if (!*setting->value || letter_at(data, size, setting->line, setting->column) != *setting->value)
            harness_wrong("a value that is not at its place", setting->value);
        check_values(&settings, setting);
    }
    settings_free(&settings);
    return 0;
}
