/* The rows that the user selects: functions by name, loops, blocks and programs by id, sections by name. */
#ifndef CLI_CHOOSE_H
#define CLI_CHOOSE_H
#include "cli/options.h"
#include "store/store.h"

enum choice {
    choice_NONE, /* the option was not given */
    choice_FOUND,
    choice_MISSING, /* nothing matches; the error suggests a near name: exit code 1 */
    choice_BROKEN,  /* the error says why: exit code 2 */
};

/* Ids (int64_t) of the functions that --function names: by exact name, else by the name in the source (with
   or without its parameters), else by a POSIX extended regular expression. */
enum choice choose_functions(sqlite3 *connection, const struct invocation *invocation, struct array *ids,
                             struct error *error);
/* One id for each macro; --function must match exactly one function. */
enum choice choose_macros(sqlite3 *connection, const struct invocation *invocation,
                          struct store_choice *choice, struct error *error);
/* The id given with an option, if the table has that row. */
enum choice choose_row(sqlite3 *connection, const struct invocation *invocation, enum option_id option,
                       const char *table, int64_t *id, struct error *error);
/* Ids as a json array, for json_each in SQL; to be freed. */
char *choose_json(const struct array *ids);
/* The value of --level; potential if it was not given. */
bool choose_level(const struct invocation *invocation, enum advice_level *level, struct error *error);
static inline int choice_exit(enum choice choice)
{
    return choice == choice_MISSING ? 1 : 2;
}
#endif
