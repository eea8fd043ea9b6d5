/* The plan of a run, as src/run/probe writes it and libassay-probe.so reads it: where code of which files is
   patched, and what the patches jump to.

   All code is made when planning; the runtime copies it, applies fixes, and patches.  For each module (a file
   loaded into the process) the plan has a block of trampolines, which goes within reach of the module's code,
   the fixes of that block, and the patches.  Addresses of code are as the file numbers them.

   Little-endian; every record lies at a multiple of 8 from the start of the file.  Sections are given by
   offset and count.

   A subject is what is measured: a function, a call site, a loop, a value, an access.  Subjects are numbered
   from 0; events (record_file.h) carry the number.  The runtime need not know what a subject is, only how to
   summarise its events. */
#ifndef RUNTIME_PROBE_PLAN_FILE_H
#define RUNTIME_PROBE_PLAN_FILE_H
#include <stdint.h>

#define PROBE_PLAN_MAGIC "ASSAYPLN"
enum { PROBE_PLAN_VERSION = 1 };

enum { PROBE_ISA_AARCH64 = 1, PROBE_ISA_X86_64 = 2, PROBE_ISA_IA64 = 3 }; /* IA64: nodes alone */

enum {                     /* flags */
       PROBE_KEEP_ALL = 1, /* individual events are kept, besides the summaries */
       PROBE_UNSUMMARISED =
           2, /* of a recording: they are kept and not summarised; its reader does that (probe-ia64) */
};

struct probe_plan_section {
    uint64_t offset, count;
};

struct probe_plan_header {
    char magic[8];
    uint32_t version, isa;
    uint64_t size; /* of the whole file */
    uint32_t flags, reserved;
    uint64_t counter_count;             /* words of each thread's counters */
    struct probe_plan_section subjects; /* of struct probe_plan_subject */
    struct probe_plan_section modules;  /* of struct probe_plan_module */
    struct probe_plan_section patches;  /* of struct probe_plan_patch, by module and address */
    struct probe_plan_section fixes;    /* of struct probe_plan_fix, by module */
    struct probe_plan_section tallies;  /* of struct probe_plan_tally */
    struct probe_plan_section code;     /* bytes */
};

/* How the events of a subject are summarised. */
enum probe_subject_kind {
    PROBE_SPAN = 1, /* ENTER and LEAVE: calls, time, time without what happened inside (self) */
    PROBE_LOOP = 2, /* ENTER, START, STOP and LEAVE: entries, iterations, time */
    PROBE_VALUE = 3,
    PROBE_ADDRESS = 4,
    PROBE_COUNT_ONLY = 5, /* no events: counters alone (tallies) */
    PROBE_BRANCH = 6,     /* SEEN: 1 where a branch was taken, 0 where not */
};

/* Flags of subjects. */
enum {
    PROBE_IS_QUIET =
        1, /* an end (LEAVE, STOP) without its beginning means nothing: other ways lead to its place, too */
    PROBE_IS_CUMULATIVE =
        2, /* LOOP: START and STOP come from a counter that inner entries of the same loop move too */
    PROBE_IS_SIGNED = 4,   /* VALUE */
    PROBE_IS_FLOAT = 8,    /* VALUE: a double, or a float in the low 32 bits (width 4) */
    PROBE_IS_STORE = 16,   /* ADDRESS */
    PROBE_IS_OUTSIDE = 32, /* SPAN of a call site: it is not part of the nesting of functions, so it takes no
                              self time from them */
};

struct probe_plan_subject {
    uint8_t kind, flags;
    uint8_t width; /* VALUE, ADDRESS: bytes; VALUE narrower than 8 is cut (and sign-extended) to them */
    uint8_t reserved;
    uint32_t group; /* ADDRESS: number of the loop's group, so that its streams are compared; else 0 */
    /* LOOP: iterations = (STOP - START) * inverse >> shift (arithmetic in 64 bits, exact division) */
    uint64_t inverse;
    uint32_t shift, reserved2;
};

struct probe_plan_module {
    uint64_t path; /* offset in the file of a text that ends with 0: absolute */
    uint8_t build_id[32];
    uint32_t build_id_bytes, reserved; /* 0: none; then the bytes of the patches decide */
    uint64_t low, high;                /* code that is patched: low … high-1 */
    uint64_t code, code_bytes;         /* its trampolines, in the section code; aligned to 64 */
    uint64_t first_patch, patch_count, first_fix, fix_count;
};

enum probe_patch_way {
    PROBE_BY_JUMP = 1, /* x86: jmp rel32 (5 bytes); AArch64: b */
    PROBE_BY_TRAP = 2, /* x86: int3; AArch64: brk.  The handler goes on at the trampoline */
};

enum { PROBE_PATCH_BYTES = 24 };

struct probe_plan_patch {
    uint64_t address;
    uint32_t trampoline; /* offset in the module's trampolines where control goes */
    uint8_t way;
    uint8_t size; /* bytes of `original` that must be there; a jump fills what it leaves over with no-ops that
                     are never executed */
    uint16_t points; /* how many probe points it serves */
    uint8_t original[PROBE_PATCH_BYTES];
    /* x86, a jump where fewer than 5 bytes are to be had; not 0: a jmp rel8 of this distance (2 bytes) leads
       to a jmp rel32 at address + 2 + hop, in bytes that are never executed.  `original` has the `size` bytes
       of the address and then the PROBE_HOP_BYTES of that place */
    int8_t hop;
    uint8_t switching; /* enum probe_switching */
    uint8_t reserved[2];
    uint32_t tally; /* number of the tally that it serves alone, where it can be taken back */
};
enum { PROBE_HOP_BYTES = 5 };

/* Whether a patch is taken back when its tally has seen enough.  The ends of a loop go first: an entry whose
   end is not seen counts as none, while an end without an entry would count wrongly. */
enum probe_switching { PROBE_STAYS = 0, PROBE_SWITCHED_FIRST = 1, PROBE_SWITCHED_LAST = 2 };
enum { PROBE_MOST_SWITCHED = 4096 }; /* tallies */

/* Something in a trampoline that depends on where things are in memory.  `at` is an offset in the module's
   trampolines. */
enum probe_fix_kind {
    PROBE_FIX_ADDRESS64 = 1,  /* 8 bytes: where `target` of the module is in memory */
    PROBE_FIX_RUNTIME64 = 2,  /* 8 bytes: the runtime's entry `target` (enum probe_entry) */
    PROBE_FIX_RELATIVE32 = 3, /* x86: 4 bytes: target in memory - (place + 4 + addend) */
    PROBE_FIX_LOCAL32 =
        4, /* x86: 4 bytes of a fs: operand: offset of the runtime's local (enum probe_local) `target` */
    PROBE_FIX_BRANCH26 = 5, /* AArch64 b, bl: to target of the module */
    PROBE_FIX_PAGE21 = 6,   /* AArch64 adrp: page of target of the module */
    PROBE_FIX_LOCAL_HIGH12 =
        7, /* AArch64 add xd,xn,#imm,lsl #12: bits 12 … 23 of the offset of the local `target` */
    PROBE_FIX_LOCAL_LOW12 = 8, /* AArch64 ldr/str x, [xn,#imm]: bits 3 … 11 of that offset */
};

struct probe_plan_fix {
    uint32_t at;
    uint16_t kind;
    int16_t addend;
    uint64_t target;
};

/* What trampolines use of the runtime: words of its thread-local storage (initial-exec), 8 bytes each, ... */
enum probe_local {
    PROBE_POSITION = 0, /* where the next event goes; never NULL */
    PROBE_COUNTERS = 1, /* the thread's counters; never NULL */
    PROBE_LOCALS
};
/* ... and entries.  They keep all registers and flags but those named.

     PROBE_ENTRY_FULL   the buffer is full: called after the event that filled it
                        AArch64: by blr x16; changes x16, x17, x30
                        x86-64: by call, with room for it on the stack; changes nothing
     PROBE_ENTRY_TALLY  a tally too large for its counters: the iterations are in x17 (AArch64) or rax
                        (x86-64), the number of the tally in x16 or rcx; called as above,
                        changes x16, x17, x30, or rax, rcx.  With PROBE_TALLY_SUMS: a tally that has seen
                        enough, whose patches are taken back

   On AArch64, x16 holds the address of the entry where it is not the number of a tally: then x30 does (blr
   x30). */
enum probe_entry { PROBE_ENTRY_FULL = 0, PROBE_ENTRY_TALLY = 1, PROBE_ENTRIES };

/* A histogram of iterations in the counters: word `first` + n counts entries of n iterations, n <
   PROBE_TALLY_WORDS; the word before `first` is for the trampolines (where the loop's variable was at its
   entry).  Larger ones go to PROBE_ENTRY_TALLY; or, with PROBE_TALLY_SUMS, the two words after the others
   count them and add their iterations up. */
enum { PROBE_TALLY_WORDS = 256, PROBE_TALLY_MORE = 2 };
enum { PROBE_TALLY_SUMS = 1 };
struct probe_plan_tally {
    uint64_t first;
    uint32_t subject;
    uint8_t flags;
    /* Not 0: it has seen enough once a word has this bit, or the sum of iterations that one. */
    uint8_t enough_bits, enough_sum_bits;
    uint8_t reserved;
};
#endif
