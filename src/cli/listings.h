/* The listings as data: the columns, the tables they come from, the filter for each option.  cli/list.c puts
   a query together of those that the user asks for, so they are no queries in a file. */
#ifndef CLI_LISTINGS_H
#define CLI_LISTINGS_H
#include "cli/options.h"

enum { MOST_COLUMNS = 20, MOST_FILTERS = 10 };

struct listing_column {
    const char *name;
    const char *data; /* SQL for --csv and --json; NULL: left out */
    const char *text; /* SQL for text; NULL: left out */
    bool is_name; /* a name that may be mangled: text shows it demangled, --csv and --json get a second column
                   */
};

struct listing_filter {
    enum option_id option;
    const char *sql; /* with :function (json array of ids), :loop, :program, :depth, :section, :file, :line */
};

struct listing {
    const char *command;
    struct listing_column columns[MOST_COLUMNS]; /* ends with an empty one */
    const char *from;
    const char *where; /* always; NULL for none */
    const char *group; /* NULL for none */
    const char *order;
    struct listing_filter filters[MOST_FILTERS]; /* ends with an empty one */
    bool finds;                                  /* rows mean exit code 1 */
    bool without_code; /* needs neither rows of code nor anything derived from them: source lines of loops,
                          data flow, cycles */
};

extern const struct listing listings[];
extern const unsigned listing_count;
/* Whether a command can do without rows of code. */
bool listings_do_without_code(const char *command);
#endif
