/* Shared declarations of the DWARF reader. libdw finds the debug information (separate files, split units,
   compression, relocation) and reads units, abbreviations, attributes and references; the lists and programs
   that attributes point to (lines, ranges, locations, expressions) are decoded here, because a damaged file
   can make libdw read outside of them or scan them without end.

   Nothing recurses over the file, and all work is charged to one budget in proportion to the size of the
   debug sections.  A file whose parts refer to each other over and over exhausts it: that is recorded as a
   problem of kind limit, and what was read until then stays. */
#ifndef CODE_READ_DWARF_READER_H
#define CODE_READ_DWARF_READER_H
#include "base/number_map.h"
#include "model/model.h"
#include "model/part.h"
#include "code/read/cursor.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <stdbool.h>

enum { MOST_HOPS = 16, MOST_REGISTERS = 256 };

#ifndef DW_AT_APPLE_flags
#define DW_AT_APPLE_flags 0x3fe2
#endif

/* Sections that we decode ourselves. */
enum debug_section {
    SECTION_ABBREV,
    SECTION_ADDR,
    SECTION_INFO,
    SECTION_LINE,
    SECTION_LINE_STR,
    SECTION_LOC,
    SECTION_LOCLISTS,
    SECTION_RANGES,
    SECTION_RNGLISTS,
    SECTION_STR,
    SECTION_COUNT
};

/* One file with debug information: the main one, a .dwo, a dwz file. */
struct debug_file {
    Dwarf *dwarf;
    bool big_endian;
    bool may_share;                      /* forms that refer to the dwz file are usable */
    struct span sections[SECTION_COUNT]; /* string sections end with a zero */
};

/* The attributes of DIEs that we use. */
#define DWARF_ATTRIBUTES(ATTRIBUTE)                                                                          \
    ATTRIBUTE(abstract_origin)                                                                               \
    ATTRIBUTE(addr_base)                                                                                     \
    ATTRIBUTE(allocated)                                                                                     \
    ATTRIBUTE(associated)                                                                                    \
    ATTRIBUTE(bit_size)                                                                                      \
    ATTRIBUTE(bit_stride)                                                                                    \
    ATTRIBUTE(byte_size)                                                                                     \
    ATTRIBUTE(byte_stride)                                                                                   \
    ATTRIBUTE(call_column)                                                                                   \
    ATTRIBUTE(call_file)                                                                                     \
    ATTRIBUTE(call_line)                                                                                     \
    ATTRIBUTE(comp_dir)                                                                                      \
    ATTRIBUTE(const_value)                                                                                   \
    ATTRIBUTE(count)                                                                                         \
    ATTRIBUTE(data_bit_offset)                                                                               \
    ATTRIBUTE(data_location)                                                                                 \
    ATTRIBUTE(data_member_location)                                                                          \
    ATTRIBUTE(decl_file)                                                                                     \
    ATTRIBUTE(decl_line)                                                                                     \
    ATTRIBUTE(declaration)                                                                                   \
    ATTRIBUTE(dwo_name)                                                                                      \
    ATTRIBUTE(encoding)                                                                                      \
    ATTRIBUTE(entry_pc)                                                                                      \
    ATTRIBUTE(external)                                                                                      \
    ATTRIBUTE(frame_base)                                                                                    \
    ATTRIBUTE(high_pc)                                                                                       \
    ATTRIBUTE(language)                                                                                      \
    ATTRIBUTE(linkage_name)                                                                                  \
    ATTRIBUTE(location)                                                                                      \
    ATTRIBUTE(loclists_base)                                                                                 \
    ATTRIBUTE(low_pc)                                                                                        \
    ATTRIBUTE(lower_bound)                                                                                   \
    ATTRIBUTE(name)                                                                                          \
    ATTRIBUTE(producer)                                                                                      \
    ATTRIBUTE(ranges)                                                                                        \
    ATTRIBUTE(rnglists_base)                                                                                 \
    ATTRIBUTE(signature)                                                                                     \
    ATTRIBUTE(specification)                                                                                 \
    ATTRIBUTE(stmt_list)                                                                                     \
    ATTRIBUTE(string_length)                                                                                 \
    ATTRIBUTE(type)                                                                                          \
    ATTRIBUTE(upper_bound)
/* Vendors' own, or the older number of one above. */
#define DWARF_VENDOR_ATTRIBUTES(ATTRIBUTE)                                                                   \
    ATTRIBUTE(MIPS_linkage_name)                                                                             \
    ATTRIBUTE(GNU_addr_base)                                                                                 \
    ATTRIBUTE(GNU_dwo_name)                                                                                  \
    ATTRIBUTE(GNU_ranges_base)                                                                               \
    ATTRIBUTE(APPLE_flags)
#define ATTRIBUTE(name) HAS_##name,
enum attribute_slot { DWARF_ATTRIBUTES(ATTRIBUTE) DWARF_VENDOR_ATTRIBUTES(ATTRIBUTE) ATTRIBUTE_COUNT };
#undef ATTRIBUTE

/* A DIE's attributes.  present has a bit for each attribute that it has. */
struct facts {
    uint64_t present;
    Dwarf_Attribute at[ATTRIBUTE_COUNT];
};
static inline Dwarf_Attribute *facts_get(const struct facts *facts, enum attribute_slot slot)
{
    return facts->present >> slot & 1 ? (Dwarf_Attribute *)&facts->at[slot] : NULL;
}
#define FACT(facts, name) facts_get(facts, HAS_##name)

struct range {
    uint64_t address, end;
};

/* A file table of a line program, its paths made into rows on first use. */
struct line_table {
    uint8_t version;
    string_id directory;      /* of the compilation */
    struct array directories; /* of const char * */
    struct array files;       /* of struct line_file */
};
struct line_file {
    const char *name;
    uint64_t directory;
    uint32_t row;
};

/* What references into a unit need: every unit that some DIE refers to has a context. */
struct unit_context {
    Dwarf_CU *cu;
    const struct debug_file *file;     /* that the DIEs are in */
    const struct debug_file *skeleton; /* that the addresses are in; the same unless the unit is split */
    Dwarf_Die die;
    uint8_t version, address_size, offset_size;
    bool is_split;
    string_id directory;
    int language;
    uint64_t base, addr_base, ranges_base, loclists_base;
    uint32_t row;        /* in units; 0 for units that only others refer to */
    uint32_t line_table; /* index; 0 for none */
};

/* What a declaration says about its instances: the chain of origins and specifications, followed once. */
struct declaration {
    string_id name, linkage_name;
    uint32_t file, line;
    bool is_external, has_type, has_fixed_location;
    Dwarf_Attribute type;
};

struct inlined_range {
    uint64_t address, end;
    uint32_t call, depth;
};

struct known_symbol {
    uint64_t address;
    string_id name;
};

struct pending_type {
    Dwarf_Die die;
    uint32_t row;
};

struct debug_reader {
    struct model *model;
    uint32_t program;
    Dwfl_Module *module;
    const struct model_part *part; /* only units with code of its functions are read; NULL: all */
    struct array spans; /* of struct range, by address: where the functions of the part seem to be */
    Dwarf *dwarf;
    uint64_t adjust; /* added to addresses of the debug information */
    bool has_slots;  /* IA-64: the low bits of an address are the number of a slot */
    unsigned address_size;
    struct range thread_storage; /* address of its image */
    uint64_t budget;
    bool exhausted;
    struct array code;          /* of struct range, sorted: where code is */
    struct array known_symbols; /* of struct known_symbol, sorted */
    struct array files;         /* of struct debug_file *; index from 1 */
    struct array contexts;      /* of struct unit_context *; index from 1 */
    struct array line_tables;   /* of struct line_table; index from 1 */
    struct array origins;       /* of struct declaration; index from 1 */
    struct arena memory;
    struct number_map file_of, context_of, line_table_at, line_program_at, origin_of, type_of;
    struct array pending_types; /* of struct pending_type, first in first out */
    size_t next_pending;
    struct array ranges;          /* of struct range: of the DIE at hand */
    struct array rows;            /* of struct source_line: before sorting and splitting */
    struct array inlined_ranges;  /* of struct inlined_range */
    struct array function_starts; /* of uint64_t: where ranges of functions start */
    string_id registers[MOST_REGISTERS];
};

/* dwarf.c: whether libdw may look for the file that a file shares with others (dwz) */
bool debug_may_share(const struct debug_reader *reader, Dwarf *dwarf);

/* dwarf/die.c: DIEs, attributes, references */
uint32_t *debug_number_at(struct number_map *map, const void *pointer); /* 0 if it is new */
bool debug_spend(struct debug_reader *reader, uint64_t cost);           /* false if the budget is exhausted */
void debug_damaged(struct debug_reader *reader, const char *what);
const struct debug_file *debug_file_of(struct debug_reader *reader, Dwarf *dwarf);
bool debug_facts(struct debug_reader *reader, Dwarf_Die *die, struct facts *facts);
const char *debug_text(struct debug_reader *reader,
                       Dwarf_Attribute *attribute); /* NULL if it is not a text */
bool debug_number(Dwarf_Attribute *attribute, uint64_t *number);
bool debug_signed_number(Dwarf_Attribute *attribute, int64_t *number);
bool debug_is_set(Dwarf_Attribute *attribute);
bool debug_follow(Dwarf_Attribute *attribute, Dwarf_Die *die);
struct unit_context *debug_context_of(struct debug_reader *reader, Dwarf_CU *cu);
/* The origin that a DIE's attributes name; NULL for none.  Valid until the next call. */
const struct declaration *debug_declaration(struct debug_reader *reader, const struct facts *facts);
/* The row of the file whose number is in an attribute of a DIE of this unit; 0 for none. */
uint32_t debug_file_row(struct debug_reader *reader, struct unit_context *unit, Dwarf_Attribute *attribute);
static inline uint32_t debug_small(Dwarf_Attribute *attribute) /* 0 if it is not a number or does not fit */
{
    uint64_t number;
    return attribute && debug_number(attribute, &number) && number <= UINT32_MAX ? (uint32_t)number : 0;
}

/* dwarf/bytes.c: bytes of sections, read with bounds */
struct cursor debug_cursor(const struct debug_file *file, enum debug_section section, uint64_t offset);
bool debug_indexed_address(const struct unit_context *unit, uint64_t index, uint64_t *address);

/* dwarf/lists.c: lists of ranges and of locations */
/* Fills reader->ranges with the code of a DIE that is in code sections, in the order of the debug
   information; false for none. */
bool debug_ranges_of(struct debug_reader *reader, const struct unit_context *unit, struct facts *facts);
/* Whether code of the part's functions lies in reader->ranges; true without a part. */
bool debug_ranges_are_wanted(const struct debug_reader *reader);
/* The model's address for an address of the debug information: slots are 6 bytes apart. */
static inline uint64_t debug_place(const struct debug_reader *reader, uint64_t address)
{
    address += reader->adjust;
    unsigned slot = reader->has_slots ? address % 16 : 0;
    return slot == 1 || slot == 2 ? address + 5 * slot : address;
}
bool debug_in_code(const struct debug_reader *reader, uint64_t address, uint64_t *end);
/* Where a list attribute starts, ready to be read with debug_list_next. */
struct list {
    struct cursor at;
    const struct unit_context *unit;
    uint64_t base;
    bool is_old, is_locations, is_old_split;
};
bool debug_list_start(const struct unit_context *unit, Dwarf_Attribute *attribute, bool is_locations,
                      struct list *list);
/* false at the end of the list and if it is damaged (list->at.failed).  The whole scope is 0 … UINT64_MAX. */
bool debug_list_next(struct debug_reader *reader, struct list *list, struct range *range,
                     struct span *expression);

/* dwarf/expression.c: DWARF expressions as text and as locations */
struct frame {
    bool is_register; /* the frame base is a register and an offset; otherwise the call frame address */
    string_id register_name;
    int64_t offset;
};
void debug_registers(struct debug_reader *reader, Dwfl_Module *module);
/* frame may be NULL. */
string_id debug_expression_text(struct debug_reader *reader, const struct unit_context *unit,
                                struct span bytes, const struct frame *frame);
/* Sets kind, register_name, value and expression of location only. */
void debug_classify(struct debug_reader *reader, const struct unit_context *unit, struct span bytes,
                    const struct frame *frame, struct location *location);
bool debug_block(Dwarf_Attribute *attribute, struct span *bytes); /* false if the form is not a block */
string_id debug_block_text(struct debug_reader *reader, struct span bytes);

/* dwarf/lines.c, dwarf/rows.c: line programs, source lines */
void debug_line_program(struct debug_reader *reader, struct unit_context *lines, uint32_t unit_row);
/* The line table at an offset of a unit's file; 0 for none. */
uint32_t debug_line_table(struct debug_reader *reader, const struct debug_file *file, uint64_t offset,
                          unsigned address_size, string_id directory);
uint32_t debug_line_file(struct debug_reader *reader, uint32_t table, uint64_t number);
void debug_finish_lines(struct debug_reader *reader);
char *debug_path(const char *directory, const char *name); /* joined and normalised; to be freed */

/* dwarf/scopes.c: functions, inlined calls, variables */
void debug_walk(struct debug_reader *reader, struct unit_context *unit);

/* dwarf/variables.c */
struct scope {
    uint8_t kind; /* enum scope_kind */
    uint32_t inlined_call, depth;
    uint64_t function_address;
    string_id common;
    struct frame frame;
};
enum scope_kind {
    SCOPE_FILE,
    SCOPE_FUNCTION,
    SCOPE_ABSTRACT,
    SCOPE_TYPE,
    SCOPE_UNREAD, /* a function that is not in the part; only functions inside it matter */
};
void debug_variable(struct debug_reader *reader, struct unit_context *unit, int tag, struct facts *facts,
                    const struct scope *scope);

/* dwarf/types.c: types */
uint32_t debug_type(struct debug_reader *reader, Dwarf_Attribute *attribute); /* row; 0 for none (void) */
void debug_finish_types(struct debug_reader *reader); /* describes all types that were requested */
void debug_size_types(struct debug_reader *reader, uint32_t first); /* sizes that follow from other types */

/* dwarf/unit.c: rows of units */
uint32_t debug_unit_row(struct debug_reader *reader, const struct unit_context *unit, struct facts *facts,
                        struct facts *skeleton);
#endif
