/* One ELF file in memory, between the file and the model.

   elf_open checks the headers and makes the rows of programs and sections; the other functions each fill one
   table from the struct, in the order in which they are declared, because later ones look up what earlier
   ones found. elf_close frees the struct; the rows and the bytes they point into stay.

   Invariants.  sections[n] is the file's section n (sections[0] is unused); if the file has no section
   headers, its segments and the tables of the dynamic linker replace them.  A section damaged beyond use has
   type SHT_NULL, no contents and no row. contents lies inside the file.  Loaded sections do not overlap.  The
   addresses of a relocatable file are those of the layout made here.

   A hostile file can make tables share bytes and so describe far more than it has bytes for.  Three budgets
   stop that, each in proportion to the size of the file: bytes of all sections, entries (rows, of any table)
   and bytes of names. */
#ifndef CODE_READ_ELF_ELF_H
#define CODE_READ_ELF_ELF_H
#include "model/model.h"
#include "code/read/cursor.h"
#include <gelf.h>

struct elf_section {
    const char *name;
    uint32_t type, link, info;
    uint64_t flags, address, size, entry_size;
    struct span contents;
    uint32_t row;   /* in the table sections; 0 for none */
    bool is_loaded; /* is in memory: can be found by address */
    bool is_code;
    bool is_plt; /* holds linkage stubs */
};

/* Knights Corner; the system's elf.h does not have it. */
enum { EM_K1OM = 181 };

/* Symbols of a listing's object file that are not functions. */
struct elf_listing {
    const char *mark_prefix; /* prefix of their names */
    struct strings labels;   /* local ones without a type */
};

struct elf {
    struct model *model;
    const char *path; /* for messages */
    uint32_t program;
    enum isa isa;
    enum format format;
    uint16_t type;                    /* ET_… */
    uint8_t address_size;             /* 4 or 8 */
    bool is_headerless;               /* sections stand for segments */
    bool has_debug;                   /* there are debug sections */
    bool has_symbol_table;            /* there is an SHT_SYMTAB */
    bool has_undefined, uses_fortran; /* symbols of other files, and those of Fortran's libraries */
    uint64_t entry;
    struct span file;
    Elf *handle;                  /* libelf's view of the same bytes */
    struct elf_section *sections; /* section_count of them */
    uint32_t section_count;
    uint32_t *by_address; /* loaded sections that are not empty, ascending */
    uint32_t loaded_count;
    const struct elf_section *section_numbers; /* of symbols whose section number does not fit; or NULL */
    uint64_t entries_left, name_bytes_left, section_bytes_left;
    bool limit_noted;
    size_t first_relocation;           /* row of the program's first */
    const struct elf_listing *listing; /* of the object file of a listing; NULL for others */
};

/* Bytes of an ELF file, or of a member of an archive (NULL outside archives).  On failure the model is
   unchanged; the file's bytes must outlive the model. */
bool elf_open(struct elf *elf, struct model *model, const char *path, const char *member, struct span file,
              struct error *error);
/* For a relocatable file: every address moves by the same distance. */
void elf_move(struct elf *elf, uint64_t distance);
void elf_read_compilers(struct elf *elf);
void elf_read_symbols(struct elf *elf);
void elf_read_relocations(struct elf *elf);
void elf_read_linkage_stubs(struct elf *elf);
void elf_read_entries(struct elf *elf);
void elf_read_unwind(struct elf *elf);
void elf_close(struct elf *elf);

/* One symbol of a function, from a symbol table found elsewhere (a separate debug file). */
void elf_add_symbol(struct elf *elf, const char *name, const GElf_Sym *symbol, enum origin origin);

/* Bounds of the code that call-frame information describes.  contents are those of an .eh_frame section at
   address, or of a .debug_frame section. */
void elf_read_frames(struct elf *elf, struct span contents, uint64_t address, bool is_eh_frame);
/* Landing pads of the function at start, from the language-specific data at address. */
void elf_read_exceptions(struct elf *elf, uint64_t address, uint64_t start);

/* Shared by the files above: */
const struct elf_section *elf_section_at(const struct elf *elf, uint64_t address); /* loaded; NULL for none */
const struct elf_section *elf_section_named(const struct elf *elf, const char *name);
const struct elf_section *elf_section_of_type(const struct elf *elf, uint32_t type);
bool elf_is_code(const struct elf *elf, uint64_t address);
/* The bytes of loaded memory from address to the end of its section; empty if the file holds none. */
struct cursor elf_bytes_at(const struct elf *elf, uint64_t address);
/* The text at offset of a string table, or NULL. */
const char *elf_text(const struct elf_section *table, uint64_t offset);
/* Interned, within the budget. */
string_id elf_name(struct elf *elf, const char *text);
/* false, with a row in problems, when the budget is exhausted. */
bool elf_take_entry(struct elf *elf);
void elf_note(struct elf *elf, uint64_t address, uint64_t count, const char *text);
struct symbol *elf_new_symbol(struct elf *elf, string_id name, uint64_t address, uint64_t size,
                              enum origin origin);

/* Symbols: entry number of a symbol table, with the section it lies in (SHN_UNDEF, SHN_ABS, SHN_COMMON or a
   section number).  false beyond the end. */
bool elf_symbol(const struct elf *elf, const struct elf_section *table, uint64_t number, GElf_Sym *symbol,
                uint32_t *section);
uint64_t elf_symbol_count(const struct elf *elf, const struct elf_section *table);

/* Relocations: entry number of an SHT_REL or SHT_RELA section.  type, symbol, offset as in the file. */
struct elf_relocation {
    uint64_t offset, symbol;
    uint32_t type;
    int64_t addend; /* 0 for SHT_REL, which keeps it at the place */
};
bool elf_relocation(const struct elf *elf, const struct elf_section *table, uint64_t number,
                    struct elf_relocation *relocation);
/* The program's relocation of a place, found by search; NULL for none. */
const struct relocation *elf_relocation_at(const struct elf *elf, uint64_t address);
/* Bytes that a relocation of this type changes; 0 if they are not a plain number. */
unsigned elf_relocation_width(enum isa isa, uint32_t type, bool *is_relative);

/* The value of a tag of the dynamic section; false if it is missing. */
bool elf_dynamic(const struct elf *elf, int64_t tag, uint64_t *value);
#endif
