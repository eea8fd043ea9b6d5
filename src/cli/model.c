/* assay model: which word was given, and which options it takes. An option that would have no effect is an
   error: the user expects one. */
#include "cli/model.h"

#include "cli/commands.h"

#include <string.h>

enum {
    RUN = 1,
    SWEEP = 2,
    CHECK = 4,
    FIT = 8,
    FROM = 16,
    PEPA = 32,
    IMPORT = 64,
    COUPLING = 128,
    NETWORK = 256,
};

static const struct {
    const char *name;
    command_function *run;
    unsigned bit;
} words[] = {
    {"run", model_run, RUN},
    {"sweep", model_sweep, SWEEP},
    {"check", model_check, CHECK},
    {"fit", model_fit_command, FIT},
    {"from", model_from, FROM},
    {"pepa", model_pepa, PEPA},
    {"import", model_import, IMPORT},
    {"coupling", model_coupling, COUPLING},
    {"measure-network", model_measure_network, NETWORK},
};

static const struct {
    enum option_id option;
    unsigned words;
    const char *who; /* takes it */
} owners[] = {
    {OPTION_SET, RUN | SWEEP | CHECK | FIT | PEPA, "run, sweep, check, fit and pepa do"},
    {OPTION_VARY, SWEEP, "sweep does"},
    {OPTION_NETWORK, RUN | SWEEP | FIT, "run, sweep and fit do"},
    {OPTION_MACHINE, RUN | SWEEP | FIT, "run, sweep and fit do"},
    {OPTION_EVENTS, RUN | SWEEP, "run and sweep do"},
    {OPTION_SEED, RUN | SWEEP, "run and sweep do"},
    {OPTION_TIME, PEPA, "pepa does"},
    {OPTION_PASSAGE, PEPA, "pepa does"},
    {OPTION_FLUID, PEPA, "pepa does"},
    {OPTION_POINTS, PEPA, "pepa does"},
    {OPTION_EXPAND, PEPA, "pepa does"},
    {OPTION_STATES, PEPA, "pepa does"},
    {OPTION_MOST_STATES, PEPA, "pepa does"},
    {OPTION_STORED, COUPLING, "coupling does"},
    {OPTION_PLOT, SWEEP | PEPA, "sweep and pepa do"},
};

static bool check_owners(unsigned bit, const char *word, const struct invocation *invocation,
                         struct error *error)
{
    for (size_t i = 0; i < sizeof owners / sizeof *owners; i++)
        if (options_has(invocation, owners[i].option) && !(owners[i].words & bit))
            return error_set(error, NULL, "model %s does not take --%s: %s", word,
                             option_described(owners[i].option)->name, owners[i].who);
    return true;
}

int command_model(const struct invocation *invocation, struct error *error)
{
    const char *word = options_operand(invocation, 0);
    struct array known = ARRAY_OF(char);
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++) {
        if (!strcmp(words[i].name, word)) {
            array_free(&known);
            return check_owners(words[i].bit, word, invocation, error) ? words[i].run(invocation, error) : 2;
        }
        if (i)
            memcpy(array_add_many(&known, 2), ", ", 2);
        memcpy(array_add_many(&known, strlen(words[i].name)), words[i].name, strlen(words[i].name));
    }
    *(char *)array_add(&known) = 0;
    error_set(error, NULL, "model takes %s, not '%s'", (const char *)known.data, word);
    array_free(&known);
    return 2;
}
