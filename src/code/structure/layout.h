/* How the code of one program is laid out while its structure is being found.

   Code sections are cut into pieces: functions, and what lies between them.  Every byte of every code section
   is in exactly one piece.  Pieces are decoded from first byte to last, one instruction after another, as
   objdump does; bytes that do not decode become an entry without encoding.

     starts.c    symbols say where functions start                        → pieces
     choose.c    if only a part of the program is needed: which pieces     → pieces know
     extracts.c  … and which parts of large pieces without a size
     sweep.c     pieces are decoded, several at a time                     → instructions
     discover.c  calls show further functions; padding is separated    → more pieces
     cuts.c      pieces are cut where functions start and padding lies
     divide.c    functions that run together are separated             → more pieces
     references.c  addresses of code in data and code
     returns.c   which functions never return                              → pieces know
     part_returns.c  the same for what a part calls
     trial.c     what the shapes of a part need besides it
     functions.c rows of functions
     shape.c     the shape of each function: its blocks, with
                   shape_calls.c   which functions its calls reach
                   shape_tables.c  where its indirect jumps go
                   shape_edges.c   edges, and how blocks end
                   shape_loops.c   dominators, loops, paths
     assemble.c  everything becomes rows
     listing_tables.c  jump tables in the text of listings
     bundles.c   bundles and issue groups of IA-64
     compiler_blocks.c  where the compiler says that blocks start, and whether it is right about the edges
     sources.c   source lines of rows
   and when all programs are there, listing_rows.c and pipelines.c. */
#ifndef CODE_STRUCTURE_LAYOUT_H
#define CODE_STRUCTURE_LAYOUT_H
#include "code/read/isa.h"
#include "model/part.h"
#include "code/structure/meanings.h"

enum { BUNDLE_SIZE = 16 }; /* of IA-64 */

struct sweep_instruction {
    uint32_t offset;   /* from the start of the section */
    uint32_t encoding; /* row of encodings; 0: bytes up to the next entry that do not decode */
    uint64_t target;   /* address that a PC-relative operand means, or NO_ADDRESS */
};

struct piece {
    uint64_t start, end;
    uint32_t section;      /* row */
    uint32_t first, count; /* its entries in the stream */
    uint32_t symbol;       /* row of symbols that names it, or 0 */
    uint32_t function;     /* row of functions; 0 for code between functions */
    uint8_t origin;        /* enum origin */
    uint8_t stream;        /* of the worker that swept it */
    bool is_function, is_guessed;
    bool is_size_known; /* its end comes from the file, not from the next start */
    bool is_entered;    /* by the system (functions.is_entered) */
    bool returns;
    bool is_searched;     /* discover.c has seen its calls */
    bool is_swept;        /* decoded; always, unless the program is read in part */
    bool is_chosen;       /* read in part: it becomes rows */
    bool is_named;        /* read in part: rows refer to it, so it has a row of functions */
    bool lacks_followers; /* read in part: its shape depends on code after it that is not decoded */
    bool has_ways;        /* read in part: ways into its middle are looked for */
    uint64_t divided_by; /* divide.c: what its division depended on, when no other function was found in it */
};

struct layout {
    struct model *model;
    struct meanings *meanings;
    const struct isa_reader *reader;
    uint32_t program;
    unsigned threads;
    const struct model_part *part; /* only these functions become rows (choose.c); NULL: all */
    bool keeps_code;               /* instructions become rows of code; else only their ids are given out */
    struct array sections; /* of uint32_t: rows of sections whose bytes are loaded, by address; disjoint */
    struct array pieces;   /* of struct piece, by address; changed by layout_set_pieces only */
    struct array starts;   /* of uint64_t: their first addresses, close together for searching */
    struct array
        *streams; /* of struct sweep_instruction: one for each worker, the last for what is swept again */
    unsigned stream_count;
    struct array entries; /* of uint64_t, sorted: addresses inside functions that other functions jump to */
    struct array
        second_entries;    /* of uint64_t, sorted: those of them that a symbol names, which may be called */
    struct array ways_out; /* of uint64_t, sorted; read in part: where edges of the part's functions lead */
    struct array stated_blocks;                /* of uint64_t, sorted: starts of the compiler's blocks */
    struct listing_tables *tables;             /* jump tables of a listing, or NULL */
    uint32_t first_relocation, relocation_end; /* rows of this program, by address */
    uint32_t first_data, data_end;             /* rows of data_ranges of this program, by address */
    uint32_t first_pad, pad_end;               /* rows of landing_pads of this program, by address */
    uint32_t first_block, first_instruction,
        first_edge; /* its rows after assembly, to the ends of the tables */
};

static inline struct piece *layout_piece(const struct layout *layout, size_t number)
{
    return ARRAY_AT(struct piece, &layout->pieces, number);
}
static inline struct sweep_instruction *layout_instructions(const struct layout *layout,
                                                            const struct piece *piece)
{
    return ARRAY_AT(struct sweep_instruction, &layout->streams[piece->stream], piece->first);
}
static inline uint64_t layout_section_start(const struct layout *layout, const struct piece *piece)
{
    return model_section(layout->model, piece->section)->address;
}
/* Whether the piece becomes rows: every one does, unless the program is read in part. */
static inline bool layout_is_chosen(const struct layout *layout, const struct piece *piece)
{
    return !layout->part || piece->is_chosen;
}
/* Relocations decide the values of operands: in object files, and in listings, which are assembled to one or
   have none. */
static inline bool layout_is_relocatable(const struct layout *layout)
{
    uint8_t format = model_program(layout->model, layout->program)->format;
    return format == format_OBJECT || format == format_LISTING;
}
/* The bytes are made up by a listing reader: they go into no table. */
static inline bool layout_is_invented(const struct layout *layout)
{
    return model_program(layout->model, layout->program)->reader != NULL;
}
/* Whether control may continue after a return, a trap or a call that does not return: on IA-64 the
   instruction may be under a predicate.  (A jump under a predicate is a branch already in the table
   encodings.) */
static inline bool layout_may_go_on(const struct encoding *encoding)
{
    return encoding->predicate != 0;
}
/* Whether all of count entries are no-ops. */
static inline bool layout_are_no_ops(const struct layout *layout, const struct sweep_instruction *entries,
                                     uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (model_encoding(layout->model, entries[i].encoding)->class != class_NOP)
            return false;
    return true;
}
/* Fills layout->sections. */
void layout_find_sections(struct layout *layout);
/* The one of them that holds an address, or 0. */
uint32_t layout_section_at(const struct layout *layout, uint64_t address);
/* size bytes of initialised, loaded memory, or NULL if the file does not have all of them. */
const uint8_t *layout_bytes(const struct layout *layout, uint64_t address, size_t size);
/* Takes the array over. */
void layout_set_pieces(struct layout *layout, struct array pieces);
/* The piece that holds an address, or NULL. */
struct piece *layout_find(const struct layout *layout, uint64_t address);
/* Sorts an array of uint64_t and removes duplicates. */
void layout_sort_addresses(struct array *addresses);
/* The same for an array of uint32_t. */
void layout_sort_numbers(struct array *numbers);
/* Index of the first address that is not below this one, in a sorted array of uint64_t; and whether it is
 * there.
 */
size_t layout_first_address(const struct array *addresses, uint64_t address);
bool layout_has_address(const struct array *addresses, uint64_t address);
/* Row of relocations with low <= address < high, or 0. */
uint32_t layout_relocation(const struct layout *layout, uint64_t low, uint64_t high);
/* Landing pad of the call at this address, or NULL. */
const struct landing_pad *layout_pad(const struct layout *layout, uint64_t address);
/* The one of the blocks low … high-1 that starts at an address, or 0. */
uint32_t layout_block_at(const struct layout *layout, uint32_t low, uint32_t high, uint64_t address);
/* Index of the entry of the piece that starts at this address, or UINT32_MAX. */
uint32_t layout_index(const struct layout *layout, const struct piece *piece, uint64_t address);
/* End address of entry number index of the piece. */
uint64_t layout_entry_end(const struct layout *layout, const struct piece *piece, uint32_t index);
void layout_free(struct layout *layout);

void layout_find_starts(struct layout *layout); /* starts.c */
/* Decodes all pieces. */
void layout_sweep(struct layout *layout); /* sweep.c */
/* Decodes these pieces, of uint32_t: numbers of pieces, each once.  Those that are decoded already are left
   alone. */
void layout_sweep_some(struct layout *layout, const struct array *numbers);
/* The program is read in part: chooses the pieces that become rows, and decodes them and what else leads into
   them. */
void layout_choose(struct layout *layout); /* choose.c */
/* Edges of the part's functions lead to these addresses, too, of uint64_t: what is there is chosen as well.
   False if all of that was known before; else functions have to be found once more. */
bool layout_choose_targets(struct layout *layout, const struct array *targets);
/* Chooses the small ones of these callees, of uint32_t: numbers of pieces.  Advice asks whether they call and
   loop; what leads into their middle does not matter.  Whether there was one that was not chosen. */
bool layout_choose_small(struct layout *layout, struct array *numbers);
/* Whether an address of the part is in the piece. */
bool layout_is_wanted(const struct layout *layout, const struct piece *piece);
/* Parts of large pieces of unknown size become pieces of their own, not decoded yet. */
struct extract {
    uint64_t start, end;
};
enum { LARGE_PIECE = 1 << 18 };                                          /* bytes */
void layout_cut_extracts(struct layout *layout, struct array *extracts); /* extracts.c; of struct extract */
bool layout_is_large(const struct piece *piece);                         /* and not decoded */
/* When functions are known: of pieces of unknown size those are chosen that have an address of the part, or
   to which an edge of its functions leads; and padding beside chosen functions is. */
void layout_choose_again(struct layout *layout);
/* Shapes the chosen functions for trial: decodes what their jump tables depend on, and marks what their rows
   refer to.  True if that chose more of the program: then functions have to be found once more. */
bool layout_try_shapes(struct layout *layout); /* trial.c */
/* Decodes one piece again from its start, alone; for pieces that discover.c cut inside an instruction. */
void layout_sweep_again(struct layout *layout, struct piece *piece);
/* A place where a function seems to start, and why. */
struct found_start {
    uint64_t address;
    uint8_t origin;
};
/* Functions start at these addresses, of struct found_start in any order: pieces without a known size are cut
   there, and in others they are further entries.  Returns whether something was decoded anew. */
bool layout_cut(struct layout *layout, struct array *starts); /* cuts.c */
/* Removes padding that is not known to belong to a function, and makes functions of the code between
   functions. */
void layout_trim_padding(struct layout *layout);
/* Whether the entry is padding before the next function or block. */
bool layout_is_padding(const struct layout *layout, const struct piece *piece, uint32_t index);
void layout_discover(struct layout *layout); /* discover.c */
/* Functions of unknown size were cut: what they jump to may lie in another one now. */
void layout_search_again(struct layout *layout);
void layout_divide(struct layout *layout);        /* divide.c */
void layout_add_functions(struct layout *layout); /* functions.c */
/* Library functions with known names do not return; then, which others do not. */
void layout_judge_names(struct layout *layout); /* returns.c */
void layout_find_returns(struct layout *layout);
/* For the functions that the chosen ones call. */
void layout_find_part_returns(struct layout *layout);             /* part_returns.c */
void layout_assemble(struct layout *layout, unsigned path_limit); /* assemble.c, with shape.c */
/* Rows of bundles and issue_groups, when the blocks and edges of the program are there. */
void layout_find_bundles(struct layout *layout); /* bundles.c */
/* Before the blocks are cut: starts of blocks from the compiler's comments. */
void layout_take_stated_blocks(struct layout *layout); /* compiler_blocks.c */
/* Afterwards: which rows they are, and whether the edges are those of the comments. */
void layout_compare_stated_blocks(struct layout *layout); /* compiler_blocks.c */
/* Source lines of code and loops, functions of inlined calls and variables; for the whole model. */
void sources_attach(struct model *model); /* sources.c */
#endif
