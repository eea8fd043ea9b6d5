/* The model of a program: flat tables of records, as tables.def states them.

   A row's id is its index.  Row 0 of every table with ids is reserved and means "none", so ids start at 1
   and a REF of 0 is NULL in SQL.  LINK tables have no ids and no row 0: their rows start at index 0.
   Records hold interned string ids; strings belong to the model.  Memory that records point into (mapped
   files) is kept by model_keep until model_free. */
#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H
#include "base/error.h"
#include "base/memory.h"
#include "base/strings.h"

#include <stddef.h>

#define NO_ADDRESS UINT64_MAX
#define NO_NUMBER INT32_MIN /* of a MAYBE column */

struct isa_reader; /* code/read/isa.h */

struct span {
    const uint8_t *data;
    size_t size;
};

#include "model/records.h" /* enum isa …, struct program …: made from enums.def and tables.def */

struct model {
    struct array MODEL_TABLES; /* programs, units, …: one for each table */
    struct strings strings;
    struct array file_of_string; /* of uint32_t: row of files for a string id */
    struct array kept;           /* of struct kept: what to release with the model */
};

void model_init(struct model *model);
void model_free(struct model *model);
/* release(memory) is called by model_free, last kept first. */
void model_keep(struct model *model, void *memory, void (*release)(void *));
/* The last that was kept with this release, or NULL: for what a room remembers of a model. */
void *model_kept(const struct model *model, void (*release)(void *));

/* A new zeroed row at the end.  Ids fit 32 bits; a table that would outgrow that ends the process like
   exhausted memory.  Rows move when their table grows: keep ids, not pointers. */
void *model_add(struct array *table);
/* Rows up to count, which the caller writes all: they are not zeroed. */
void model_extend(struct array *table, size_t count);
static inline uint32_t model_last(const struct array *table)
{
    return (uint32_t)(table->count - 1);
}

/* struct function *model_function(model, id) and so on for every table; index for LINK tables. */
#include "model/rows.h"

/* Rows first … end-1 of a table with ids.  Programs are read one after the other, so the rows of each lie
   together: MODEL_ROWS_OF(model, symbols, symbol, program). */
struct model_rows {
    uint32_t first, end;
};
struct model_rows model_rows_of(const struct array *table, size_t offset, uint32_t program);
#define MODEL_ROWS_OF(model, table, record, number)                                                          \
    model_rows_of(&(model)->table, offsetof(struct record, program), number)

static inline string_id model_string(struct model *model, const char *text)
{
    return strings_add(&model->strings, text);
}
static inline const char *model_text(const struct model *model, string_id id)
{
    return strings_text(&model->strings, id);
}
/* The register that one is a part of: rax of eax; 0 of none. */
static inline uint32_t model_full_register(const struct model *model, uint32_t row)
{
    return row ? model_register(model, row)->full : 0;
}
/* Whether every way from the function's entry to the other block goes through this one. */
static inline bool model_dominates(const struct model *model, uint32_t block, uint32_t other)
{
    const struct block *above = model_block(model, block), *below = model_block(model, other);
    return above->dom_enter && above->dom_enter <= below->dom_enter && below->dom_leave <= above->dom_leave;
}
/* The row of files for a path, made if it is new. */
uint32_t model_file_id(struct model *model, const char *path);
/* Counts a problem: rows of the same program, kind and text are added up. */
void model_note_problem(struct model *model, uint32_t program, enum problem_kind kind, uint64_t address,
                        uint64_t count, const char *text);
/* Address of an instruction. */
uint64_t model_address(const struct model *model, uint32_t instruction);
/* The bytes of a block's instructions, where the file holds them: those of a listing reader are its own. */
struct span model_block_bytes(const struct model *model, const void *block);
#endif
