/* Extensions of instruction sets, and machines without them.

   A machine file describes a processor with all of its extensions.  The computer that runs the code may have
   less: a kernel without SVE, a client with AVX-512 switched off.  Such a machine is the same one,
   restricted: forms of the extension are missing, its vectors are shorter, and it is called NAME+noWORD.  For
   the cost of an instruction, the length of vectors and the peaks it is like a machine that never had the
   extension.
 */
#ifndef CODE_MACHINE_EXTENSIONS_H
#define CODE_MACHINE_EXTENSIONS_H
#include "model/model.h"

enum machine_extension {
#define EXTENSION(symbol, isa, word, title, bits, registers, takes, option) extension_##symbol,
#include "code/machine/extensions.def"
    extension_COUNT
};

struct extension {
    enum isa isa;
    const char *word, *title;
    unsigned bits, registers; /* of vectors, without it; 0: as before */
    uint32_t takes;           /* bits: extensions that go with it */
    const char *option;       /* of compilers */
};
extern const struct extension extensions[extension_COUNT];

/* Sets of extensions are bits by enum machine_extension. */

/* Those of an instruction set that a machine may be without. */
uint32_t extensions_of_isa(enum isa isa);
/* By its word; extension_COUNT where there is none. */
enum machine_extension extension_named(const char *word, size_t length);
/* The one that a form of instruction belongs to, as a set; 0 for what every processor has. */
uint32_t extension_of_form(enum isa isa, const char *form);
/* Without these, and those that go with them. */
uint32_t extensions_closure(uint32_t set);
/* Those that the others of the set do not take with them. */
uint32_t extensions_named_of(uint32_t set);
/* Bits of the longest vector without a set. */
unsigned extensions_vector_bits(unsigned bits, uint32_t without);
/* "SVE", "AVX2 and AVX-512": the titles of a set; to be freed. */
char *extensions_titles(uint32_t set);

struct machine;
/* Those that some form of the machine belongs to. */
uint32_t machine_extensions(const struct machine *machine);
/* Takes a set away, and what goes with it, of what the machine has. */
void machine_restrict(struct machine *machine, uint32_t without);
/* The same for what its file says that it lacks or is without, which may be missing in its table already. */
void machine_restrict_as_stated(struct machine *machine);
/* Sets its name: NAME+noWORD…, with the words that say all, and +guarded-gathers (guards.h). */
void machine_name_variant(struct machine *machine);
/* "neoverse-v1 without SVE"; to be freed. */
char *machine_words(const struct machine *machine);
/* The options of GCC and Clang for code that runs on this machine, "-mcpu=neoverse-v1+nosve"; NULL where the
   file does not say what compilers call it.  To be freed. */
char *machine_compiler_options(const struct machine *machine);
#endif
