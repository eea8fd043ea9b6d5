/* Shared by the files about arrays: the list of variables from Assay, and the arrays met so far. */
#ifndef RUNTIME_DENORMAL_TRACE_ARRAYS_H
#define RUNTIME_DENORMAL_TRACE_ARRAYS_H
#include "array_list_file.h"
#include "trace.h"
#include "trace_file.h"

/* array_list.c: the list as it was read.  Things are known by their places in these tables. */
struct list_module {
    const HChar *path;
    Bool is_loaded;
    PtrdiffT bias; /* address in memory - address in the file */
    UInt first_function, function_count;
};
struct list_function {
    Addr low, high;
    UInt module, first_variable, variable_count, first_saved, saved_count;
};
struct list_saved { /* registers of the caller that a function has put on the stack */
    Addr low, high;
    UInt count;
    UChar registers[ARRAY_LIST_SAVED];
    Int offsets[ARRAY_LIST_SAVED]; /* from the call frame address */
};
struct list_place {
    Addr low, high; /* of code in the file; both 0: always */
    HChar how;
    UInt dwarf_register;
    Long value;
};
struct list_variable {
    UInt row, function, module;
    HChar kind;
    UInt first_place, place_count, first_data, data_count;
};
struct list_data {
    UInt variable;
    Long indirect; /* -1: none */
    ULong target_bytes;
    HChar how;
    ULong offset;
    UInt value_bytes, element_bytes, rank;
    ULong dimensions[ARRAY_LIST_DIMENSIONS];
    const HChar *element, *name;
    UInt part_count;  /* rows after this one: its parts */
    Bool is_part;     /* no variable leads to it */
    Bool holds_integers;
    ULong part_offset, part_bytes; /* of a part; bytes 0: to the end */
    UInt first_array; /* the first record of arrays.c that bears this name; 0: none */
    Bool is_vague;    /* a parameter that led to several arrays at a time: no name for any of them */
};
struct list {
    struct list_module *modules;
    struct list_function *functions;
    struct list_variable *variables;
    struct list_place *places;
    struct list_data *data;
    struct list_saved *saved;
    UInt module_count, function_count, variable_count, place_count, data_count, saved_count;
    UInt *fixed; /* variables at fixed addresses */
    UInt fixed_count;
};
extern struct list list;
void array_list_read(const HChar *path);
/* The function that an address in memory belongs to, of a module that is loaded; NULL: none that is listed.
 */
const struct list_function *array_list_function(Addr address);
/* Size of the data if all its dimensions are known; 0: unknown. */
ULong array_list_bytes(const struct list_data *data);

/* A heap block. */
struct block {
    Addr start;
    SizeT bytes;
    UInt stack; /* where it was allocated */
    UInt array; /* 0: nothing happened in it yet */
    Int rank;   /* how good its name is (naming.c) */
    ULong events, next_try;
    Addr data_start;    /* where its elements begin */
    struct part *parts; /* members of a structure in it */
};
struct part { /* of a block: a member of a structure that is an array of its own */
    struct part *next;
    Addr start, end;
    UInt array;
};

/* blocks.c */
struct block *block_at(Addr address);
extern struct _OSet *blocks;
void blocks_initialise(void);
void block_event(struct block *block,
                 Addr address); /* something happened in it: looks for its name at times */
void block_search_name(struct block *block, Addr address); /* now */
void block_stay_nameless(struct block *block);             /* gives it a record without a name */
void block_settle(struct block *block);                    /* it ends, or everything does */
void block_end_life(UInt array);

/* fixed.c */
void fixed_initialise(void);
UInt fixed_array_at(Addr address, Addr *start, Addr *end); /* 0: none */
void arrays_mark_pages(Addr start, SizeT bytes);

/* Counts for each cell of an array, in pieces that are made when they are needed. */
enum { MAP_PIECE = 4096 };
struct map {
    struct map *next; /* of the same array: another source */
    UInt kind, source;
    UInt piece_count;
    UInt **pieces;
};

struct array {
    UInt same_as;
    UInt kind;    /* enum trace_array_kind */
    UInt data;    /* row of list.data + 1; 0: no variable */
    UInt ordinal; /* 1, 2, …: arrays of the same name that were there at the same time */
    UInt next_same_name;
    UInt element_bytes, value_bytes, rank;
    ULong dimensions[TRACE_DIMENSIONS];
    Addr address;
    SizeT bytes;
    UInt lives, live_blocks, stack;
    Addr function;
    UInt cell_shift; /* a cell of its maps has so many bytes: 2 to the power of this */
    ULong counts[access_COUNT];
    struct map *maps;
    UInt source_count;
    UInt *parts; /* numbers of its parts, 0: not made yet; NULL: none */
    UInt parts_of; /* data that they were made for */
    Bool is_rest;    /* stands for all that are too many */
    Bool is_private; /* one block without a name */
    Bool is_counted; /* something to write in this phase */
    Bool is_size_open;
    Bool is_changed; /* since its definition was written */
};
struct array *array_of(UInt number);    /* what the number stands for; NULL: none */
struct array *array_plain(UInt number); /* as it is, though it may be the same as another one */
UInt arrays_made(void);                 /* the highest number */
void arrays_forget_counts(void);
void arrays_forget_answers(void); /* a block went, or was named */
UInt array_new(void);
void array_join(UInt number, UInt other); /* they are the same array */
void array_describe(struct array *array, UInt data, UInt kind, Addr address, ULong bytes, Addr function);
void array_add_name(UInt number, UInt data);
void array_drop_name(UInt number);

/* parts.c: the part of an array that an address lies in, or the array itself.  *end: where the array ends;
   becomes, with *start, the part's (both the address: the answer is for it alone). */
UInt array_part_at(UInt array, Addr data_start, Addr address, Addr *start, Addr *end);
void array_parts_join(struct array *from, struct array *to);

/* naming.c: the variable that leads to a block. */
struct name_found {
    UInt data;            /* row of list.data + 1; 0: none */
    Int rank;             /* the higher the better */
    Addr start;           /* of the data */
    UInt dimension_count; /* that were found at run time; 0: none */
    ULong dimensions[TRACE_DIMENSIONS];
    UInt kind; /* enum trace_array_kind */
    Addr function;
};
enum { BEST_NAME = 700 }; /* a rank that is not looked beyond */
void naming_find(const struct block *block, Addr address, struct name_found *found);
/* The functions that are active, innermost first; addresses of callers are in the call, not after it. */
enum { MOST_FRAMES = 16 };
struct frames {
    ThreadId thread;
    UInt count;
    Addr ips[MOST_FRAMES + 1], sps[MOST_FRAMES + 1], fps[MOST_FRAMES + 1];
};
void naming_frames(ThreadId thread, struct frames *frames);
Bool naming_frame_address(const struct frames *frames, UInt frame, Addr *address);
/* Where a variable is: at an address, or its value is in a register. */
struct where {
    Bool is_value;
    Addr address; /* or the value */
};
Bool naming_where(const struct list_variable *variable, const struct frames *frames, UInt frame,
                  Addr address_in_file, struct where *where);
/* stack_arrays.c: the array on a stack that an address belongs to. */
UInt stack_array_at(ThreadId thread, Addr address, Addr *start);
Bool naming_read(Addr address, void *value, SizeT bytes); /* memory of the program; False: not there */

/* maps.c */
void map_count_lanes(struct array *array, UInt kind, UInt source, Addr offset, UInt bytes, UInt lanes);
void map_count(struct array *array, UInt kind, UInt source, Addr offset);
void maps_merge(struct array *to, struct map *map, Bool is_kept); /* map is gone afterwards */
void maps_clear(struct array *array);

void arrays_refresh(void); /* where modules lie, if that may have changed */
void arrays_settle(void);  /* at the end: blocks that stayed without a name */
/* arrays.c for naming.c: the record of a variable that lies at a fixed or a stack address. */
UInt array_of_variable(UInt data, Addr address, ULong bytes, UInt kind, Addr function);
void array_has_open_size(UInt number);
/* Whether another array that is there now bears the name. */
Bool array_name_is_taken(UInt data, const struct block *block);

/* write.c */
void recording_phase(const HChar *name, UInt start, UInt end);
void recording_part(const HChar *name, UInt start, UInt now); /* of the current phase */
void recording_modules(void);                                 /* all that are there now */
void recording_before_exec(void); /* another program is about to take this one's place */
/* phases.c */
void phases_start(void);
void phases_last(void); /* ends the phase at hand */
Int phases_exit_status(void);
#endif
