/* Analyses: SQL files that begin with a header of comments. (A file in Lua with the same header, NAME.lua, is
   listed too; script/ runs it.)

       -- title: Block sizes
       -- group: structure
       -- does: counts the basic blocks of each size
       -- needs: FUNCTION optional
       -- parameter: least 1 the smallest size that is shown
       -- shows: histogram
       -- isa: ia64
       -- from: lines
       select …

   title and does are required. language: lua or sql, where the name of the file does not say it. needs names
   a macro that the SQL uses; an `optional` macro is NULL if the user selected nothing, and the SQL handles
   that (`FUNCTION is null or …`). A parameter has a name, a default and a sentence, and is :name in the SQL.
   shows: table (the default) or histogram, which also draws the last column as bars. isa: the instruction
   sets that the analysis is for, separated by blanks; default: all. from: input that not every program has:
   lines (of the source), frequencies (of blocks, stated by the compiler), probes (runs with them) or samples
   (runs that were sampled). The header ends at the first line that is not a comment.

   A file in Lua may be a metric or a rule of the report instead (script/judge.h asks it about every path of a
   loop); running it shows what the report has of it. Its header has two or three more fields:

       -- kind: rule
       -- level: potential
       -- where: sqrt_count > 0

   kind: metric or rule (default: analysis). level: how likely the advice of a rule pays off (gain, potential,
   hint, expert; default: hint). where: a condition on columns of loop_metrics that a path must meet to be
   asked about.

   edits: what assay asm --apply does with the rows. delete: it deletes the instruction of each, where that is legal;
   rows: what each row says in its column kind, where that is legal. Without the field one illegal edit stops all.

   An analysis that finds places in code reports them in columns that findings.h recognises. */
#ifndef STORE_ANALYSES_H
#define STORE_ANALYSES_H
#include "store/store.h"

enum analysis_need { NEED_NONE, NEED_OPTIONAL, NEED_REQUIRED };
enum analysis_shows { SHOWS_TABLE, SHOWS_HISTOGRAM };
enum analysis_kind { KIND_ANALYSIS, KIND_METRIC, KIND_RULE };
enum analysis_edits { EDITS_ARE_COMMANDS, EDITS_ARE_PROPOSALS, EDITS_DELETE };
enum analysis_from { FROM_CODE, FROM_LINES, FROM_FREQUENCIES, FROM_PROBES, FROM_SAMPLES };

struct analysis_parameter {
    char *name, *initial, *doc;
};

struct analysis {
    char *name; /* of the file, without .sql or .lua */
    char *path;
    char *title, *group, *does; /* group may be NULL */
    enum analysis_need needs[STORE_MACRO_COUNT];
    enum analysis_shows shows;
    enum analysis_from from;
    enum analysis_kind kind;
    enum advice_level level; /* of a rule */
    char *where;             /* of a metric or rule; may be NULL */
    unsigned edits;          /* enum analysis_edits: what assay asm --apply does with its rows */
    unsigned isas;           /* bits 1 << isa_…; 0: all */
    struct array parameters; /* of struct analysis_parameter */
    char *text;              /* of the whole file: SQL, */
    bool is_script;          /* or Lua that the analysis has to run: not of a metric or rule */
    struct error error;      /* set if the file is malformed: it is listed but cannot be run */
};

/* A value given by the user for a parameter. */
struct analysis_value {
    const char *name, *text;
};

/* All analyses in the directories, sorted by name; for equal names the earlier directory wins. A missing
   directory counts as empty.  list gets struct analysis. */
void analyses_find(struct array *list, const char *const *directories, size_t directory_count);
void analyses_free(struct array *list);
const struct analysis *analyses_named(const struct array *list, const char *name); /* NULL if there is none */
/* The title of a group; for an unknown group its name. */
const char *analyses_group_title(const char *group);
/* Orders by group, in the order of the list, then by name. */
int analyses_compare_menus(const struct analysis *left, const struct analysis *right);

/* Parses one file's text; path and name are copied. */
void analysis_parse(struct analysis *analysis, const char *path, const char *text);
void analysis_free(struct analysis *analysis);
/* The names of the instruction sets that the analysis is for, empty for all; to be freed. */
char *analysis_isas(const struct analysis *analysis);
/* Whether some program of the store has an ISA that the analysis is for. meant and found (to be freed) list
   the names of both. */
bool analysis_is_meant_for(const struct analysis *analysis, struct store *store, char **meant, char **found);
/* Why the analysis cannot find anything in this store; NULL if it can. */
const char *analysis_lacks(const struct analysis *analysis, struct store *store);
/* Whether the analysis can be run, and has all parameters that values were given for. */
bool analysis_takes(const struct analysis *analysis, const struct analysis_value *values, size_t value_count,
                    struct error *error);
/* The text for a parameter: as given, else its default. */
const char *analysis_value_of(const struct analysis_parameter *parameter, const struct analysis_value *values,
                              size_t value_count);
/* What shows the figures or the advice of a metric or rule, as SQL; to be freed (sqlite3_free). */
char *analysis_judged_rows(const struct analysis *analysis);
/* One in SQL, a metric or a rule. */
bool analysis_run(struct store *store, const struct analysis *analysis, const struct store_choice *choice,
                  const struct analysis_value *values, size_t value_count, store_print *print, void *context,
                  struct error *error);
#endif
