/* 32 KB of records: see cache-with.c. */
#define RECORDS 512
#define ROUNDS 1600000
#include "cache-with.c"
