/* assay generate: the files that the build installs and the reference pages in docs/, made from the program's
   own tables. */
#include "cli/commands.h"
#include "cli/words.h"

#include <string.h>

const char words_usual_exits[] = "0 done, 1 nothing matches the selection, 2 bad usage or input";

char *words_option(const struct option_description *option)
{
    const char *blank = option->argument ? " " : "", *argument = option->argument ? option->argument : "";
    if (option->letter)
        return memory_format("-%c, --%s%s%s", option->letter, option->name, blank, argument);
    return memory_format("--%s%s%s", option->name, blank, argument);
}

size_t words_columns(const char *text, size_t length)
{
    size_t columns = 0;
    for (size_t i = 0; i < length; i++)
        columns += ((unsigned char)text[i] & 0xc0) != 0x80;
    return columns;
}

int command_generate(const struct invocation *invocation, struct error *error)
{
    static const struct {
        const char *name;
        void (*write)(FILE *);
    } kinds[] = {{"man", man_write},
                 {"bash", completion_write_bash},
                 {"zsh", completion_write_zsh},
                 {"fish", completion_write_fish},
                 {"tables", reference_write_tables},
                 {"ledger", reference_write_ledger},
                 {"advice", reference_write_advice},
                 {"metrics", reference_write_metrics},
                 {"lua", reference_write_lua}};
    const char *wanted = options_operand(invocation, 0);
    for (unsigned i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (!strcmp(kinds[i].name, wanted)) {
            kinds[i].write(stdout);
            return 0;
        }
    error_set(error, NULL,
              "cannot generate %s; choose man, bash, zsh, fish, tables, ledger, advice, metrics or lua",
              wanted);
    return 2;
}
