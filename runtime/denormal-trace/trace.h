/* Shared declarations of the tracer's parts.

   The tracer (DART) is a Valgrind tool.  Instrumented code tests values inline and calls a helper only if a
   lane holds a denormal, so nearly everything below is rare.

     - instrument*.c: intermediate code: inline tests, values put aside, one guarded call for a stretch
       of code
     - events.c: what a guarded call does: loads, stores, operations on denormals
     - pendings.c: loads that are numbers or integers, which shows later
     - tags.c: a tag says what a denormal value is made of: arrays it was loaded from, births
     - shadow.c: the tag of each word of memory
     - log.c: each operation on a denormal, with its values, one by one
     - births.c: places, with call stacks, where denormals are made of normal numbers
     - sites.c: counts for each instruction
     - arrays.c: which array an address belongs to; counts of each
     - blocks.c, heap.c, fixed.c, stack_arrays.c: heap blocks, malloc, fixed addresses, stacks
     - maps.c: counts for each element
     - parts.c: parts of arrays, as the user laid them out
     - naming.c: which variable a heap block belongs to
     - array_list.c: the list of variables that Assay hands over (array_list_file.h)
     - phases.c, preload.c: marks, signals, ticks
     - write.c: the recording, appended at the end of each phase (trace_file.h)
     - main.c: options, start, end */
#ifndef RUNTIME_DENORMAL_TRACE_TRACE_H
#define RUNTIME_DENORMAL_TRACE_TRACE_H
#include "pub_tool_basics.h"

/* A tag of 0 belongs to every value that is not denormal, and to bit patterns that no arithmetic made.  Its
   upper half is the number of the log's entry that the value comes from (log.h); 0: none. */
typedef ULong Tag;

struct counts { /* of an instruction in the present phase; lanes one by one, but for the events */
    ULong executions, operand_events, underflow_events, operands, results, births, ends;
    ULong loads, stores, move_loads, move_stores, near;
};
struct site {
    Addr address;
    struct counts counts;
};
struct site *site_at(Addr address); /* found or made; stays where it is */
void sites_each(void (*visit)(struct site *site, void *context), void *context);

/* Arrays.  A number stands for all lives of one variable, or of one place of allocation; numbers start at 1.
 */
enum access {
    access_LOAD,
    access_STORE,
    access_MOVE_LOAD,
    access_MOVE_STORE,
    access_INTEGER_LOAD,
    access_INTEGER_STORE,
    access_COUNT
};
UInt array_at(Addr address);                                                /* 0: none */
void array_count(UInt array, Addr address, UInt bytes, enum access access); /* bytes of the value: 4 or 8 */
/* The same for lanes of a vector; access is none of the integer ones.  Bit i of lanes: the value at address +
   i × bytes. */
void array_count_lanes(UInt array, Addr address, UInt bytes, UInt lanes, enum access access);
void array_count_origin(UInt destination, Addr address, UInt bytes, UInt source);
/* Bytes of a value in the array where its variable says so: 4, 8; 0: not known (or not floating-point at
 * all). */
UInt array_element_bytes(UInt array);
Bool array_holds_integers(UInt array); /* so the user says */
/* 0: nothing of interest on this page (neither an array nor a tag).  Instrumented code reads it inline, so it
   has false alarms: pages share an entry. */
enum { PAGE_BITS = 12, PAGE_ENTRIES = 1 << 16, PAGE_HAS_ARRAY = 1, PAGE_HAS_TAGS = 2 };
extern UChar pages_of_interest[PAGE_ENTRIES];

/* Births: an instruction and the calls that led to it; numbers start at 1. */
struct birth {
    Addr address;
    UInt stack; /* number of the call stack */
    ULong values, descendants, removable;
    UInt first_array; /* that most were stored in first; 0: none yet */
};
void births_each(void (*visit)(UInt number, struct birth *birth, void *context), void *context);
/* Pairs: destination × source array (0: born on the way) → values. */
void origins_each(void (*visit)(UInt destination, UInt source, ULong values, void *context), void *context);
/* Call stacks, each once, innermost first; numbers start at 1. */
UInt stack_here(ThreadId thread);
UInt stack_frames(UInt stack, const Addr **frames);

/* Numbers of arrays stay below this; what comes after shares the last one. */
enum { MOST_ARRAYS = 1 << 16 };
/* Several numbers may turn out to be one array (a block whose variable is found later): the number that
   stands for them all.  For who compares numbers, or prints them; counting takes any. */
UInt array_resolve(UInt array);

/* What main.c calls, and when. */
void arrays_initialise(void);   /* before options: replaces malloc, tracks mappings */
void phases_initialise(void);   /* before options: client requests (all but main.c's own), signals, ticks */
void recording_start(void);     /* after options: reads settings.arrays, opens settings.output */
void recording_end(Int status); /* at the end: the last phase, and the end record */
/* What the run could not see or did not do: each text once, counts added.  For the recording. */
struct limit {
    const HChar *text;
    ULong count;
};
void limit_add(const HChar *text, ULong count);
const struct limit *limits_all(UInt *count);
void limits_forget(void);

/* What write.c asks the others for.  A child after fork starts with nothing counted. */
void events_forget(void); /* births.c and tags.c: counts of births and origins become 0 */
/* shadow.c: realloc moves values, and their tags with them. */
void shadow_copy(Addr from, Addr to, SizeT bytes);
/* Memory that is gone: its tags need no room any more. */
void shadow_clear(Addr address, SizeT bytes);
void births_forget(void); /* for events_forget */

struct settings {                 /* main.c, from the command line */
    Bool origins;                 /* follow values; else count only */
    UInt binades;                 /* also count results within so many binades of the denormals */
    UInt phase_milliseconds;      /* 0: none */
    const HChar *arrays, *output; /* files */
    Bool follows_children;        /* programs that it starts are traced, too; else that is a limit */
    Bool log;                     /* each operation on a denormal goes into the recording */
    const HChar *log_array;       /* only those that concern the array of this name; NULL: all */
    ULong log_first;              /* only from this number on */
};
extern struct settings settings;
#endif
