/* The command line as data. One table (commands.c, with options.def) has the name, the options and the help
   text of every command; the parser, the help, the man page and the shell completions are made from it. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H
#include "base/error.h"
#include "base/memory.h"
#include "base/nearest.h"

enum option_id {
#define OPTION(symbol, name, letter, argument, sentence, fallback) OPTION_##symbol,
#define GLOBAL_END
#define VALUES(symbol, words)
#define NAMES(symbol, command)
#include "cli/options.def"
#undef OPTION
#undef GLOBAL_END
#undef VALUES
#undef NAMES
    OPTION_COUNT,
    OPTION_GLOBAL_COUNT = OPTION_VERSION + 1,
};
enum { MOST_OPTIONS = 28, MOST_EXAMPLES = 12, NO_LIMIT = 9999 };

struct option_description {
    const char *name;
    char letter;
    const char *argument; /* NULL for an option without argument */
    const char *sentence, *fallback;
};
const struct option_description *option_described(enum option_id id);

struct invocation;
/* Returns the exit code; with 2 the error says why. */
typedef int command_function(const struct invocation *invocation, struct error *error);

/* What a person wants when he calls it; help lists commands in these groups, in this order. */
enum command_aim { aim_RUN, aim_LOOK, aim_CHANGE, aim_GUARD, aim_PLAN, aim_ASK, aim_COMPUTER, aim_COUNT };

struct command {
    const char *name, *summary;
    enum command_aim aim;
    const char *arguments; /* as in the usage line */
    const char *operands;  /* command whose --csv rows start with the accepted first operands, or NULL */
    const char *details;   /* paragraphs for the help and the man page, or NULL */
    struct {
        const char *line, *says;
    } examples[MOST_EXAMPLES];
    enum option_id options[MOST_OPTIONS]; /* beyond the global ones; ends with 0 */
    unsigned least, most;                 /* operands */
    const char *exits;                    /* meaning of the exit codes if special, or NULL */
    bool is_hidden;
    bool is_plain;      /* prints no rows: takes neither --json nor --csv */
    bool runs_operands; /* they are a command line: from the first one on, nothing is an option of ours */
    command_function *run;
};

extern const struct command commands[];
extern const unsigned command_count;
const struct command *command_named(const char *name);

struct given {
    enum option_id id;
    const char *value; /* NULL for options without argument */
};

struct invocation {
    const struct command *command; /* NULL if no command was given (assay --help) */
    struct array given;            /* of struct given, in order */
    struct array operands;         /* of const char * */
    size_t before;                 /* operands before --; all of them if there is none */
    struct array spelled;          /* of char *: values in the spelling of options.def */
};

bool options_parse(struct invocation *invocation, int count, char **words, struct error *error);
void options_free(struct invocation *invocation);
bool options_has(const struct invocation *invocation, enum option_id id);
/* The last value given, or NULL. */
const char *options_value(const struct invocation *invocation, enum option_id id);
/* A number of at least 0, or the fallback if the option was not given. */
bool options_number(const struct invocation *invocation, enum option_id id, int64_t fallback, int64_t *number,
                    struct error *error);
const char *options_operand(const struct invocation *invocation, size_t index); /* NULL beyond the last */
#endif
