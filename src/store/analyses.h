/* Analyses: SQL files with a header of comments that says what they are.

       -- title: Block sizes
       -- group: structure
       -- does: counts the basic blocks of each size
       -- needs: FUNCTION optional
       -- parameter: least 1 the smallest size that is shown
       -- shows: histogram
       -- isa: ia64
       -- from: lines
       select …

   title and does are required.  A macro that the SQL uses is named by needs; with `optional` it is NULL where
   the user chose none, and the SQL says what that means (`FUNCTION is null or …`).  A parameter has a name, a
   default and a sentence, and is :name in the SQL.  shows: table (the default) or histogram: the last column
   is also drawn as bars.  isa: the instruction sets that it is meant for, separated by blanks; all where it
   is not said.  from: what it is made from that not every program has, lines (of the source) or frequencies
   (of blocks, which the compiler states).  The header ends at the first line that is no comment.

   An analysis that finds places names them in columns that findings.h recognises. */
#ifndef STORE_ANALYSES_H
#define STORE_ANALYSES_H
#include "store/store.h"

enum analysis_need { NEED_NONE, NEED_OPTIONAL, NEED_REQUIRED };
enum analysis_shows { SHOWS_TABLE, SHOWS_HISTOGRAM };
enum analysis_from { FROM_CODE, FROM_LINES, FROM_FREQUENCIES };

struct analysis_parameter {
    char *name, *initial, *doc;
};

struct analysis {
    char *name; /* of the file, without .sql */
    char *path;
    char *title, *group, *does; /* group may be NULL */
    enum analysis_need needs[STORE_MACRO_COUNT];
    enum analysis_shows shows;
    enum analysis_from from;
    unsigned isas;           /* bits 1 << isa_…; 0: all */
    struct array parameters; /* of struct analysis_parameter */
    char *sql;
    struct error error; /* set where the file is malformed: it is listed, and cannot be run */
};

/* A value that the user gave for a parameter. */
struct analysis_value {
    const char *name, *text;
};

/* All analyses of the directories, sorted by name; of equal names the one of the earlier directory.  A
   directory that does not exist is empty.  list gets struct analysis. */
void analyses_find(struct array *list, const char *const *directories, size_t directory_count);
void analyses_free(struct array *list);
const struct analysis *analyses_named(const struct array *list,
                                      const char *name); /* NULL where there is none */
/* Groups are menus.  The title of a group; that of a group which is not known here is its name. */
const char *analyses_group_title(const char *group);
/* Orders by group, in the order of the menus, then by name. */
int analyses_compare_menus(const struct analysis *left, const struct analysis *right);

/* Parses one file's text; path and name are copied. */
void analysis_parse(struct analysis *analysis, const char *path, const char *text);
void analysis_free(struct analysis *analysis);
/* The words of the instruction sets that it is meant for, empty for all; to be freed. */
char *analysis_isas(const struct analysis *analysis);
/* Whether some program of the store is of an ISA that the analysis is meant for.  where not, meant and found
   (to be freed) list the words of both. */
bool analysis_is_meant_for(const struct analysis *analysis, struct store *store, char **meant, char **found);
/* Why it has nothing to look at in this store, in words; NULL where it has. */
const char *analysis_lacks(const struct analysis *analysis, struct store *store);
bool analysis_run(struct store *store, const struct analysis *analysis, const struct store_choice *choice,
                  const struct analysis_value *values, size_t value_count, store_print *print, void *context,
                  struct error *error);
#endif
