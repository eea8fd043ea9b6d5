/* The file of a codelet: one call of a function, with the memory of the process that made it.

   The header, tables of records, names, and pages.  Everything is in the byte order of its computer, and
   pages stand at multiples of the page size, so that they can be mapped.  Offsets are from the start of the
   file; an address is one of the captured process.  Tables are sorted by address, but for symbols, which are
   sorted by name.  A name is the offset of a text in the table of names, which ends with a zero; offset 0 is
   the empty text.

   A page that lies in a region and in no stretch was never written by the process: it is all zero.  A stretch
   with offset 0 was dropped when the file was trimmed, since the call does not touch it.

   src/change/optimise/replay/codelet.c checks every number of it before anybody else looks. */
#ifndef RUNTIME_REPLAY_CODELET_FILE_H
#define RUNTIME_REPLAY_CODELET_FILE_H
#include <stdint.h>

#define CODELET_MAGIC "AssayCod"
enum { CODELET_VERSION = 1, CODELET_REGISTERS = 64 * 1024 };
enum codelet_isa { codelet_AARCH64 = 1, codelet_X86_64 = 2 };

struct codelet_table {
    uint64_t offset, count;
};

/* What a word of memory or a register is. */
enum codelet_kind {
    codelet_UNKNOWN,
    codelet_INTEGER, /* also pointers and characters */
    codelet_FLOAT,
    codelet_DOUBLE,
    codelet_LONG_DOUBLE,
    codelet_KINDS
};

/* Where a result is left: numbers of slots in struct replay_results. */
enum codelet_slot { codelet_FIRST_INTEGER = 0, codelet_FIRST_VECTOR = 2, codelet_X87 = 6, codelet_SLOTS };
struct codelet_result {
    uint8_t slot, bytes, kind, reserved;
};
enum { CODELET_MOST_RESULTS = 4, CODELET_RESULT_UNKNOWN = 255 };

struct codelet_header {
    char magic[8];
    uint32_t version, isa;
    uint64_t page_size, file_size;
    uint64_t entry;           /* the function's first instruction */
    uint64_t size;            /* of its code; 0: unknown */
    uint64_t stack_pointer;   /* there */
    uint64_t stack_start;     /* lowest address that is the stack of that thread and nothing else */
    uint64_t stack_arguments; /* bytes of arguments on the stack, which the function may overwrite */
    uint64_t thread_pointer;
    uint64_t room, room_size; /* addresses near the function that the process does not use */
    uint64_t call, calls;     /* which call, from 1; how many were seen when it was chosen */
    double seconds;           /* that the call takes in replay; 0: not measured */
    double program_seconds;   /* that all calls seen took in the program; 0: not measured */
    uint32_t threads;         /* that the process had */
    uint32_t is_trimmed;
    uint32_t function, command; /* names: symbol of the function; the words of the program */
    uint32_t module;            /* number of the module that has it */
    uint8_t result_count;       /* 0: it returns nothing; CODELET_RESULT_UNKNOWN */
    uint8_t reserved[3];
    struct codelet_result results[CODELET_MOST_RESULTS];
    struct codelet_table registers; /* of one struct codelet_… below */
    struct codelet_table regions, stretches, modules, symbols, objects;
    struct codelet_table names; /* bytes */
};

struct codelet_aarch64 {
    uint64_t x[31], sp, pc, flags;
    uint64_t thread_pointer, fpsr, fpcr, reserved[27];
    uint64_t v[32][2];
};

struct codelet_x86 {
    uint64_t rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8, r9, r10, r11, r12, r13, r14, r15;
    uint64_t rip, flags, fs, gs;
    uint64_t extended_size; /* bytes of extended that the process had */
    uint64_t reserved[3];
    uint8_t extended[4096]; /* as XSAVE lays it out */
};

enum codelet_region_kind {
    codelet_ANONYMOUS,
    codelet_FILE,
    codelet_STACK,
    codelet_UNREADABLE, /* memory of the kernel or of a device: its contents are not in the file */
    codelet_REGION_KINDS
};
enum { codelet_READ = 1, codelet_WRITE = 2, codelet_EXECUTE = 4 };
struct codelet_region {
    uint64_t start, end;
    uint32_t kind, rights;
    uint32_t name, reserved;
};

struct codelet_stretch {
    uint64_t address, bytes, offset;
};

/* A file that was loaded, the program itself first. */
struct codelet_module {
    uint64_t start, end, bias;
    uint32_t name, reserved;
};

enum codelet_symbol_kind { codelet_FUNCTION, codelet_DATA, codelet_THREAD_DATA, codelet_SYMBOL_KINDS };
struct codelet_symbol {
    uint64_t address, size; /* address 0: an ifunc that could not be resolved; of thread data: its offset */
    uint32_t name, module;
    uint32_t kind;
    uint32_t is_local;
    uint32_t source;   /* name of the source file of a local one; 0: not known */
    uint32_t function; /* name of the function whose static variable it is; 0: none, or not known */
};

/* A variable or what an argument points to. */
struct codelet_object {
    uint64_t address, size; /* size 0: not known */
    uint32_t name;
    uint32_t argument; /* from 1; 0: a variable */
    uint32_t kind;     /* enum codelet_kind of its elements */
    uint32_t bytes;    /* of an element; 0: not known */
};
#endif
