/* The ring of a process: a file through which samples go from the program to assay while it runs.

   With the prefix P its name is P.PID, or P.PID.2 and so on where the process had another program before
   (exec).  The header is at the start, the ring at SAMPLE_DATA.

   Records are put one after the other; a position counts all bytes ever written, so the place of a record in
   the ring is its position modulo `size`.  A record does not go across the end: one without use fills the
   rest.  Threads of the program take room by raising `written`, fill it, and set the record's stamp to its
   position + 1 last: what an earlier round left there has another stamp.  The reader raises `read` after
   what it has copied.  Samples for which there is no room are counted in `lost`.

   The program can write anything here: a reader checks every number. */
#ifndef RUNTIME_SAMPLE_RING_FILE_H
#define RUNTIME_SAMPLE_RING_FILE_H
#include <stdint.h>

#define SAMPLE_MAGIC "ASSAYSMP"
enum {
    SAMPLE_VERSION = 1,
    SAMPLE_DATA = 65536, /* a multiple of every page size */
    SAMPLE_LEAST_RING = 1 << 20,
    SAMPLE_MOST_RING = 16 << 20,
    SAMPLE_UNIT = 16, /* sizes of records are multiples of it */
    SAMPLE_REGISTERS = 33,
    SAMPLE_MOST_STACK = 8192,
    SAMPLE_MOST_TEXT = 4096,
};
enum sample_isa { SAMPLE_X86_64 = 1, SAMPLE_AARCH64 = 2 };

struct sample_ring {
    char magic[8];
    uint32_t version;
    uint32_t isa; /* enum sample_isa */
    uint32_t process, parent;
    char name[16];      /* of the program, or of the thread that forked */
    uint32_t is_forked; /* it runs its parent's program */
    uint32_t zero;
    uint64_t size;    /* of the ring; a power of two */
    uint64_t start;   /* CLOCK_MONOTONIC, in nanoseconds */
    uint64_t end;     /* the same, by exit; 0: not yet, or by another way */
    uint64_t written; /* position of the next record */
    uint64_t lost;
    uint64_t maps_written; /* the last value of maps_wanted that was answered, + 1; 0: none */
    /* By the reader: */
    uint64_t read;
    uint64_t maps_wanted; /* raised to have the maps once more */
};

enum sample_kind { SAMPLE_FILLER, SAMPLE_TAKEN, SAMPLE_MAPS };
struct sample_record {
    uint64_t stamp; /* position + 1: the record is complete */
    uint32_t size;  /* with this */
    uint32_t kind;  /* enum sample_kind */
};
struct sample_taken {
    struct sample_record record;
    uint32_t thread;
    uint32_t stack_size; /* bytes of the stack, which follow */
    uint64_t time;       /* CLOCK_MONOTONIC, in nanoseconds */
    uint64_t ran;        /* processor time of the thread since its last sample, in nanoseconds */
    uint64_t stack_address;
    char name[16]; /* of the thread */
    /* DWARF's order: x86-64 rax rdx rcx rbx rsi rdi rbp rsp r8 … r15 rip; AArch64 x0 … x30 sp pc. */
    uint64_t registers[SAMPLE_REGISTERS];
    uint64_t zero; /* the size is a multiple of SAMPLE_UNIT */
};
/* Executable maps as /proc/self/maps has them, whole lines; several records may be needed. */
struct sample_maps {
    struct sample_record record;
    uint32_t length; /* bytes of text, which follow */
    uint32_t is_first, is_last;
    uint32_t zero;
};
#endif
