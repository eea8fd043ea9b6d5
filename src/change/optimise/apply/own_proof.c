/* Whether a function in a file of its own is what was judged and measured, and whether the program can be
   linked with it.

   1. The new file, compiled with the variant's options, has the same code and constants as the extract has
      with them: the text that was judged, and run where anything was.
   2. The source without the function compiles as before. Its object and the new one together define all
      symbols that the object of the source defines, none of them twice, and others only if these are hidden;
      they need nothing that the source did not need before, or the variant does.
   3. The linker joins them. */
#include "base/child.h"
#include "base/leftovers.h"
#include "change/optimise/apply/apply_parts.h"
#include "change/optimise/judge/judge_parts.h"

#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum object_kind { object_JUDGED, object_OWN, object_CHANGED, object_BEFORE, OBJECTS };

struct proof {
    const struct patching *patching;
    char *folder;
    char *objects[OBJECTS];
    char **why;
};

struct linker_symbol {
    char *name;
    bool is_defined, is_weak, is_hidden;
};

static bool refuse(const struct proof *proof, char *why)
{
    *proof->why = why;
    return false;
}

static bool refuse_error(const struct proof *proof, const struct error *error)
{
    return refuse(proof, memory_format("%s", error->text));
}

/* --- objects --- */
static bool compile(struct proof *proof, enum object_kind kind, const char *text, bool is_source,
                    const struct variant *variant)
{
    static const char *const names[] = {"judged", "own", "changed", "before"};
    struct extract extract = *proof->patching->extract;
    struct error error = {0};
    char *problem = NULL;
    if (is_source)
        extract.suffix = extract.compilation->language == source_CPP ? ".cpp" : ".c";
    char *path = memory_format("%s/%s%s", proof->folder, names[kind], extract.suffix);
    proof->objects[kind] = memory_format("%s/%s.o", proof->folder, names[kind]);
    struct judge_job job = {.extract = &extract,
                            .choices = proof->patching->choices,
                            .variant = variant,
                            .text = text,
                            .text_path = path,
                            .object = proof->objects[kind]};
    bool is_fine = judge_compile(&job, &problem, &error);
    if (!is_fine)
        refuse_error(proof, &error);
    else if (problem) {
        is_fine = refuse(proof, memory_format("it does not compile there (%s)", problem));
        free(problem);
    }
    free(path);
    return is_fine;
}

static bool has_same_code(struct proof *proof, const struct own_file *own)
{
    const struct patching *patching = proof->patching;
    char *text = extract_variant(patching->extract, patching->choices, patching->variant);
    char judged[65], moved[65];
    struct error error = {0};
    bool is_fine = compile(proof, object_JUDGED, text, false, patching->variant) &&
                   compile(proof, object_OWN, own->text, true, patching->variant);
    free(text);
    if (!is_fine)
        return false;
    if (!judge_digest(proof->objects[object_JUDGED], patching->extract->symbol, false, judged, &error) ||
        !judge_digest(proof->objects[object_OWN], patching->extract->symbol, false, moved, &error))
        return refuse_error(proof, &error);
    return !strcmp(judged, moved) ||
           refuse(proof, memory_format("its code there is not the code that was judged"));
}

/* --- symbols --- */
static void read_table(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, struct array *symbols)
{
    Elf_Data *data = elf_getdata(section, NULL);
    size_t count = data && header->sh_entsize ? header->sh_size / header->sh_entsize : 0;
    for (size_t i = 0; i < count; i++) {
        GElf_Sym symbol;
        const char *name =
            gelf_getsym(data, (int)i, &symbol) ? elf_strptr(elf, header->sh_link, symbol.st_name) : NULL;
        if (name && *name && GELF_ST_BIND(symbol.st_info) != STB_LOCAL)
            *(struct linker_symbol *)array_push(symbols) =
                (struct linker_symbol){.name = memory_copy_text(name, strlen(name)),
                                       .is_defined = symbol.st_shndx != SHN_UNDEF,
                                       .is_weak = GELF_ST_BIND(symbol.st_info) != STB_GLOBAL,
                                       .is_hidden = GELF_ST_VISIBILITY(symbol.st_other) == STV_HIDDEN};
    }
}

static struct array read_symbols(const char *path)
{
    struct array symbols = ARRAY_OF(struct linker_symbol);
    elf_version(EV_CURRENT);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    Elf *elf = file < 0 ? NULL : elf_begin(file, ELF_C_READ_MMAP, NULL);
    GElf_Shdr header;
    for (Elf_Scn *section = NULL; elf && (section = elf_nextscn(elf, section));)
        if (gelf_getshdr(section, &header) && header.sh_type == SHT_SYMTAB)
            read_table(elf, section, &header, &symbols);
    elf_end(elf);
    if (file >= 0)
        close(file);
    return symbols;
}

static const struct linker_symbol *find(const struct array *symbols, const char *name, bool is_defined)
{
    for (size_t i = 0; i < symbols->count; i++) {
        const struct linker_symbol *one = ARRAY_AT(struct linker_symbol, symbols, i);
        if (one->is_defined == is_defined && !strcmp(one->name, name))
            return one;
    }
    return NULL;
}

/* One of the two objects beside the other and the one before. */
static bool fits(const struct proof *proof, const struct array *mine, const struct array *other,
                 const struct array *before, const struct array *judged)
{
    for (size_t i = 0; i < mine->count; i++) {
        const struct linker_symbol *one = ARRAY_AT(struct linker_symbol, mine, i);
        if (one->is_defined && !one->is_weak && find(other, one->name, true))
            return refuse(proof, memory_format("%s would be defined twice", one->name));
        if (one->is_defined && !one->is_hidden && !one->is_weak && !find(before, one->name, true))
            return refuse(proof, memory_format("%s would be seen from other files", one->name));
        if (!one->is_defined && !find(other, one->name, true) && !find(before, one->name, false) &&
            !find(before, one->name, true) && !find(judged, one->name, false))
            return refuse(proof, memory_format("it would need %s, which nobody has", one->name));
    }
    return true;
}

static bool has_all(const struct proof *proof, const struct array *before, const struct array *own,
                    const struct array *changed)
{
    for (size_t i = 0; i < before->count; i++) {
        const struct linker_symbol *one = ARRAY_AT(struct linker_symbol, before, i);
        if (one->is_defined && !one->is_weak && !find(own, one->name, true) &&
            !find(changed, one->name, true))
            return refuse(proof, memory_format("%s would be missing", one->name));
    }
    return true;
}

static void symbols_free(struct array *symbols)
{
    for (size_t i = 0; i < symbols->count; i++)
        free(ARRAY_AT(struct linker_symbol, symbols, i)->name);
    array_free(symbols);
}

static bool have_same_symbols(struct proof *proof)
{
    struct array own = read_symbols(proof->objects[object_OWN]),
                 changed = read_symbols(proof->objects[object_CHANGED]),
                 before = read_symbols(proof->objects[object_BEFORE]),
                 judged = read_symbols(proof->objects[object_JUDGED]);
    bool is_fine = fits(proof, &own, &changed, &before, &judged) &&
                   fits(proof, &changed, &own, &before, &judged) && has_all(proof, &before, &own, &changed);
    symbols_free(&own);
    symbols_free(&changed);
    symbols_free(&before);
    symbols_free(&judged);
    return is_fine;
}

static bool can_be_linked(struct proof *proof)
{
    const struct compilation *compilation = proof->patching->extract->compilation;
    char *joined = memory_format("%s/joined.o", proof->folder);
    const char *const words[] = {
        compilation->compiler,          "-r", "-nostdlib", "-o", joined, proof->objects[object_OWN],
        proof->objects[object_CHANGED], NULL};
    struct child_job job = {
        .words = words,
        .place = child_place_PRIVATE,
        .limits = {.memory = 4ull << 30, .file_size = 256ull << 20, .output = 1 << 16, .seconds = 30}};
    struct child_answer answer;
    struct error error = {0};
    bool is_run = child_run(&job, &answer, &error), is_fine = is_run && answer.end == child_end_DONE;
    if (!is_run)
        refuse_error(proof, &error);
    else if (!is_fine)
        refuse(proof, memory_format("the linker refuses it (%.*s)", (int)strcspn(answer.messages.data, "\n"),
                                    (char *)answer.messages.data));
    if (is_run)
        child_answer_free(&answer);
    free(joined);
    return is_fine;
}

bool own_file_prove(const struct patching *patching, const struct own_file *own, const char *changed,
                    char **why)
{
    struct error error = {0};
    *why = NULL;
    struct proof proof = {.patching = patching, .why = why, .folder = leftovers_make_folder(&error)};
    bool is_proven = proof.folder;
    if (is_proven) {
        is_proven = has_same_code(&proof, own) && compile(&proof, object_CHANGED, changed, true, NULL) &&
                    compile(&proof, object_BEFORE, patching->text, true, NULL) && have_same_symbols(&proof) &&
                    can_be_linked(&proof);
        leftovers_remove_folder(proof.folder);
        leftovers_drop(proof.folder);
    } else
        refuse(&proof, memory_format("%s", error.text));
    for (int i = 0; i < OBJECTS; i++)
        free(proof.objects[i]);
    free(proof.folder);
    return is_proven;
}
