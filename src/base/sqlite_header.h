/* What the first bytes of a file say about it, as SQLite's file format documents them: read before SQLite
   itself may touch a file that could be anything. */
#ifndef BASE_SQLITE_HEADER_H
#define BASE_SQLITE_HEADER_H
#include "base/error.h"

#include <stdint.h>

/* application_id of Assay's own files: tables of programs, and ledgers. */
enum { STORE_APPLICATION_ID = 0x41737379 /* "Assy" */, LEDGER_APPLICATION_ID = 0x4173736c /* "Assl" */ };

struct sqlite_header {
    uint64_t size;         /* of the file */
    bool is_database;      /* false: the rest means nothing */
    bool is_wal;           /* in WAL mode */
    uint64_t whole;        /* bytes that it should have */
    uint32_t schema;       /* changes with each new table; 0: none was made yet */
    uint32_t application;  /* application_id */
    uint32_t user_version; /* the application's own */
};

/* false: the file cannot be read.  One that is shorter than a header is no database. */
bool sqlite_header_read(const char *path, struct sqlite_header *header, struct error *error);
#endif
