/* What a compiler recorded about the loops it compiled, and whether their code is what it says.

   GCC and Clang write such records with -fsave-optimization-record: GCC as JSON in gzip
   (solve.c.opt-record.json.gz), LLVM as YAML (solve.opt.yaml). Both say thousands of things about inlining,
   spills and single statements; kept is what they say about making vectors of a loop: that they did, or the
   reason why not.

   A record is read piece by piece with bounds on everything, since it may be anybody's, and one of GCC's has
   megabytes for a page of source. Its remarks name functions by their symbols and loops by file, line and
   column; remarks_place finds the innermost loops of a program at these places, once quality_build was there,
   and fills the table remarks. */
#ifndef CODE_REMARKS_REMARKS_H
#define CODE_REMARKS_REMARKS_H
#include "base/strings.h"
#include "base/trust.h"
#include "model/model.h"

/* A remark about a loop, or of GCC and LLVM also about statements. */
struct remark_entry {
    uint8_t verdict, reason; /* enum remark_verdict, enum remark_reason */
    string_id compiler, text, name, function, file, record;
    uint32_t line, column, reason_line;
};

struct remarks {
    struct strings strings;
    struct array entries; /* of struct remark_entry */
    struct array records; /* of char *: files that were read, as they are shown */
    size_t words;         /* bytes of texts */
    uint64_t read, most;  /* bytes of all records, unpacked, and how many there may be; 0: any number */
    struct array refused; /* of char *: why files that nobody named could not be read, a sentence each */
};

void remarks_begin(struct remarks *remarks);
void remarks_free(struct remarks *remarks);
/* Reads a record, or all records in a folder and the folders below it. An error where there is none, and
   where one cannot be read. */
bool remarks_read(struct remarks *remarks, const char *path, struct error *error);
/* The same for a record in memory; path is for messages. */
bool remarks_read_bytes(struct remarks *remarks, const char *path, struct span bytes, struct error *error);
/* Looks for records beside the program, and, for the compile units of these loops (of uint32_t), beside their
   sources and in the folders where they were compiled. A file that cannot be read is among the refused. */
void remarks_find(struct remarks *remarks, const struct model *model, const struct array *loops,
                  struct trust *trust);
/* Fills the table remarks in place of earlier rows: for these loops (of uint32_t, in order), and without a
   loop what is about none of the program's innermost loops. Where there are too many, it is among the refused. */
void remarks_place(struct remarks *remarks, struct model *model, const struct array *loops);
#endif
