#include "show/report/common/times.h"
#include "show/report/modelling/model_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

char *model_time_words(double seconds)
{
    static const struct {
        double unit;
        const char *word;
    } units[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}, {1e-9, "ns"}};
    if (seconds >= 300)
        return phrase_duration(seconds);
    for (unsigned i = 0; i < sizeof units / sizeof *units; i++)
        if (seconds >= units[i].unit * 0.9995 || i == 3) {
            double value = seconds / units[i].unit;
            int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
            return memory_format("%.*f %s", seconds ? decimals : 0, value, seconds ? units[i].word : "s");
        }
    return NULL;
}

const char *model_kind_word(enum evaluated_kind kind)
{
    static const char *const words[evaluated_KINDS] = {"computing", "sending and receiving", "waiting",
                                                       "disc"};
    return words[kind];
}

char *model_cause_words(const struct language_model *model, uint32_t cause, enum evaluated_kind kind)
{
    const struct activity_cause *row = activity_cause(model, cause);
    return row->label ? memory_format("%s (%s)", row->object, row->label)
                      : memory_format("%s%s", row->object, kind == evaluated_KINDS ? "" : "");
}

char *model_count_words(double count)
{
    autofree char *plain = memory_format("%.0f", count);
    size_t length = strlen(plain), at = 0;
    char *words = memory_get(length * 2 + 1);
    for (size_t i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0 && plain[i - 1] != '-')
            words[at++] = ',';
        words[at++] = plain[i];
    }
    return words;
}
