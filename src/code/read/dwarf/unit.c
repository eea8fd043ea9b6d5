/* Rows of compile units: language, compiler and options.

   GCC writes "GNU C17 12.2.0 -mtune=generic -march=x86-64 -O2 -g" as the producer: the compiler's name and
   version end at the first option.  If Clang records its options, its path and the options follow its name.
   On Apple's systems the options have an attribute of their own. */
#include "code/read/dwarf/reader.h"

#include <string.h>

static enum language language_of(int language)
{
    switch (language) {
    case DW_LANG_C:
    case DW_LANG_C89:
    case DW_LANG_C99:
    case DW_LANG_C11:
    case 0x2c: /* C17 */
        return language_C;
    case DW_LANG_C_plus_plus:
    case DW_LANG_C_plus_plus_03:
    case DW_LANG_C_plus_plus_11:
    case DW_LANG_C_plus_plus_14:
    case 0x2b: /* C++20 */
    case 0x2a: /* C++17 */
        return language_CPLUSPLUS;
    case DW_LANG_Fortran77:
    case DW_LANG_Fortran90:
    case DW_LANG_Fortran95:
    case DW_LANG_Fortran03:
    case DW_LANG_Fortran08:
    case 0x2d: /* Fortran 2018 */
        return language_FORTRAN;
    case DW_LANG_Ada83:
    case DW_LANG_Ada95:
        return language_ADA;
    case DW_LANG_Cobol74:
    case DW_LANG_Cobol85:
        return language_COBOL;
    case DW_LANG_Pascal83:
        return language_PASCAL;
    case DW_LANG_Modula2:
        return language_MODULA_2;
    case DW_LANG_Modula3:
        return language_MODULA_3;
    case DW_LANG_Java:
        return language_JAVA;
    case DW_LANG_PLI:
        return language_PLI;
    case DW_LANG_ObjC:
        return language_OBJECTIVE_C;
    case DW_LANG_ObjC_plus_plus:
        return language_OBJECTIVE_C_PLUSPLUS;
    case DW_LANG_UPC:
        return language_UPC;
    case DW_LANG_D:
        return language_D;
    case DW_LANG_Python:
        return language_PYTHON;
    case DW_LANG_OpenCL:
        return language_OPENCL;
    case DW_LANG_Go:
        return language_GO;
    case DW_LANG_Haskell:
        return language_HASKELL;
    case DW_LANG_OCaml:
        return language_OCAML;
    case DW_LANG_Rust:
        return language_RUST;
    case DW_LANG_Swift:
        return language_SWIFT;
    case DW_LANG_Julia:
        return language_JULIA;
    case DW_LANG_Dylan:
        return language_DYLAN;
    case DW_LANG_RenderScript:
        return language_RENDERSCRIPT;
    case DW_LANG_BLISS:
        return language_BLISS;
    case DW_LANG_Mips_Assembler:
        return language_ASSEMBLY;
    }
    return language_UNKNOWN;
}

static void split_producer(struct model *model, const char *producer, struct unit *row)
{
    const char *options = NULL;
    size_t length = strlen(producer);
    for (const char *at = producer; !options && (at = strstr(at, " -")); at++)
        if (at[2] && at[2] != ' ')
            options = at + 1;
    if (options)
        length = (size_t)(options - 1 - producer);
    while (length && producer[length - 1] == ' ')
        length--;
    /* The path in a recorded command line is not part of the name. */
    const char *last = options ? memrchr(producer, ' ', length) : NULL;
    if (last && last[1] == '/')
        length = (size_t)(last - producer);
    row->compiler = strings_add_length(&model->strings, producer, length);
    if (options)
        row->flags = model_string(model, options);
}

uint32_t debug_unit_row(struct debug_reader *reader, const struct unit_context *unit, struct facts *facts,
                        struct facts *skeleton)
{
    struct model *model = reader->model;
    struct unit row = {
        .program = reader->program,
        .directory = unit->directory,
        .language = (uint8_t)language_of(unit->language),
        .dwarf_version = unit->version,
    };
    const char *name = debug_text(reader, FACT(facts, name));
    const char *producer = debug_text(reader, FACT(facts, producer));
    const char *flags = debug_text(reader, FACT(facts, APPLE_flags));
    if (!producer && skeleton)
        producer = debug_text(reader, FACT(skeleton, producer));
    row.name = model_string(model, name ? name : skeleton ? debug_text(reader, FACT(skeleton, name)) : NULL);
    row.producer = model_string(model, producer);
    if (producer)
        split_producer(model, producer, &row);
    if (flags)
        row.flags = model_string(model, flags);
    *(struct unit *)model_add(&model->units) = row;
    return model_last(&model->units);
}
