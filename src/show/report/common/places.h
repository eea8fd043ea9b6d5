/* Names of addresses and text of source lines, for listings of instructions.

   Names are those of the functions around an address, then those of sections; in object files also those of
   symbols that the linker will put into an instruction.  Source text comes from the file that the debug
   information names, if it is a regular file of sensible size that may be read (base/trust.h). */
#ifndef SHOW_REPORT_COMMON_PLACES_H
#define SHOW_REPORT_COMMON_PLACES_H
#include "base/error.h"
#include "base/memory.h"
#include "model/model.h"
#include <sqlite3.h>

struct trust;
struct places {
    struct array names;   /* of struct place_name, by program and address */
    struct array symbols; /* of struct place_symbol, by program and address */
    struct array sources; /* of struct place_source */
    bool demangle;
    struct trust *trust;
    char *working_directory; /* with a slash at its end; paths inside are shown without it */
};

bool places_load(struct places *places, sqlite3 *connection, bool demangle, struct trust *trust,
                 struct error *error);
/* The same from a model, for views that have no connection. */
void places_take(struct places *places, const struct model *model, bool demangle, struct trust *trust);
void places_free(struct places *places);
/* Source files are read again when they are asked for: they may have changed. */
void places_forget_sources(struct places *places);
/* "main", "main+0x10" or ".rodata+0x8", to be freed; NULL for an unknown address. */
char *places_name(const struct places *places, int64_t program, uint64_t address);
/* The symbol that the linker will put into the instruction from address to end: "memcpy" or "table+0x8", to
 * be freed; NULL where it has no name. */
char *places_symbol(const struct places *places, int64_t program, uint64_t address, uint64_t end);
/* A line of a source file, without its end and surrounding blanks; NULL where it cannot be read. */
const char *places_source(struct places *places, const char *path, int64_t line, size_t *length);
/* The same with the blanks that it starts with. */
const char *places_line(struct places *places, const char *path, int64_t line, size_t *length);
/* The path as it is shown. */
const char *places_path(const struct places *places, const char *path);
/* Adds the SQL function place(path, first, last): "solve.c:3-9" as tables show it; NULL without a path. */
bool places_register(sqlite3 *connection, struct error *error);
#endif
