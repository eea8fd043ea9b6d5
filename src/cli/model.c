/* assay model: which word was given. */
#include "cli/model.h"

#include "cli/commands.h"

#include <string.h>

static const struct {
    const char *name;
    command_function *run;
} words[] = {
    {"run", model_run},         {"sweep", model_sweep},       {"check", model_check},
    {"fit", model_fit_command}, {"from", model_from},         {"pepa", model_pepa},
    {"import", model_import},   {"coupling", model_coupling}, {"measure-network", model_measure_network},
};

int command_model(const struct invocation *invocation, struct error *error)
{
    const char *word = options_operand(invocation, 0);
    struct array known = ARRAY_OF(char);
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++) {
        if (!strcmp(words[i].name, word)) {
            array_free(&known);
            return words[i].run(invocation, error);
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
