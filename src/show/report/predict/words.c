#include "show/report/predict/words.h"

#include "show/report/common/times.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

char *predict_seconds_words(double seconds)
{
    return isnan(seconds) ? memory_format("unknown") : phrase_duration(seconds);
}

char *predict_interval_words(double lower, double upper)
{
    if (isnan(lower) && isnan(upper))
        return NULL;
    char *from = phrase_duration(isnan(lower) ? 0 : lower), *words;
    if (isfinite(upper)) {
        autofree char *to = phrase_duration(upper);
        words = memory_format("%s to %s", from, to);
    } else {
        words = memory_format("%s or more", from);
    }
    free(from);
    return words;
}

char *predict_probe_words(const struct predict_probe *probe)
{
    const char *what = probe->is_identity ? "least work" : "probe";
    if (probe->processors > 1)
        return memory_format("%s at 1/%g on %u processors", what, probe->factor, probe->processors);
    return memory_format("%s at 1/%g", what, probe->factor);
}

const char *predict_model_words(const char *model)
{
    static const struct {
        const char *word, *says;
    } words[] = {{"seen", "these very inputs were run before"},
                 {"mean", "mean of the runs so far"},
                 {"bands", "place between the least and the most work, by probes"},
                 {"power", "power law of probes and size"},
                 {"nearest", "runs whose probes looked alike"},
                 {"features", "power law of features of the inputs"},
                 {"combined", "power law of probes and features"},
                 {"extrapolate", "own probes alone: no whole run is known"},
                 {"static", "loop cycles and trip counts of a run that assay run saw"},
                 {"none", "nothing is known"}};
    for (unsigned i = 0; model && i < sizeof words / sizeof *words; i++)
        if (!strcmp(words[i].word, model))
            return words[i].says;
    return "";
}
