/* The replay program for one variant: runtime/replay, the variant's object, and a linker script that says
   where everything is.

   Names that the variant needs are given their addresses in the captured process.  A function out of reach of
   a call gets a stub, a jump through an address.  Data that the variant has of its own, though the process
   has it, too (a whole file was compiled), is copied before and after each call; Fortran's COMMON blocks are
   the process's own.  What the process does not have may be in libgcc; otherwise it gets an address where
   nothing is, so that a variant that uses it is ended and told (a whole file has more functions than the call
   reaches). */
#include "change/optimise/replay/replaying.h"

#include "base/child.h"
#include "run/launch/elf_file.h"
#include "run/launch/launch.h"

#include <ctype.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SYMBOLS = 1000000, LINK_SECONDS = 60 };
static const uint64_t link_memory = UINT64_C(2) << 30;

#ifdef __aarch64__
static const char isa_name[] = "aarch64";
static const uint64_t reach = 120 << 20;
#else
static const char isa_name[] = "x86_64";
static const uint64_t reach = UINT64_C(1900) << 20;
#endif

struct linking {
    const struct link_request *request;
    struct replay_image *image;
    struct array script, stubs; /* of char */
    struct array wanted;        /* of struct replay_copy, with the name's place in names instead of own */
    struct array names;         /* of char *: data that is copied */
    bool is_incomplete;         /* something may be in libgcc */
    bool *is_unlinked;
    struct error *error;
};

static void append(struct array *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void append(struct array *text, const char *format, ...)
{
    char line[1200];
    va_list words;
    va_start(words, format);
    int length = vsnprintf(line, sizeof line, format, words);
    va_end(words);
    if (length > 0 && length < (int)sizeof line)
        memcpy(array_push_many(text, (size_t)length), line, (size_t)length);
}

static bool refuse(struct linking *linking, const char *format, const char *name)
{
    *linking->is_unlinked = true;
    return error_set(linking->error, linking->request->object, format, name);
}

static bool is_printable(const char *name)
{
    for (const char *c = name; *c; c++)
        if ((unsigned char)*c <= ' ' || *c == '"' || *c == '\\' || *c == 127)
            return false;
    return strlen(name) < 1000;
}

static void put_function(struct linking *linking, const char *name, uint64_t address)
{
    const struct codelet_header *header = linking->request->codelet->header;
    uint64_t low = header->room, high = header->room + header->room_size;
    uint64_t distance = address < low ? high - address : address - low;
    if (distance < reach) {
        append(&linking->script, "\"%s\" = 0x%" PRIx64 ";\n", name, address);
        return;
    }
#ifdef __aarch64__
    append(&linking->stubs,
           "    . = ALIGN(16); \"%s\" = .; LONG(0x58000050) LONG(0xd61f0200) QUAD(0x%" PRIx64 ")\n", name,
           address);
#else
    append(&linking->stubs,
           "    . = ALIGN(16); \"%s\" = .; BYTE(0xff) BYTE(0x25) LONG(0) QUAD(0x%" PRIx64 ")\n", name,
           address);
#endif
}

/* name: NAME..FUNCTION */
static bool refuse_static(struct linking *linking, const char *name, bool is_doubtful)
{
    const char *dots = strstr(name, CODELET_STATIC), *function = dots + strlen(CODELET_STATIC);
    *linking->is_unlinked = true;
    return error_set(linking->error, linking->request->object,
                     is_doubtful ? "needs the static variable %.*s of %s, and the captured program has "
                                   "several of that name; compile it with -g, or measure the whole program"
                                 : "needs the static variable %.*s of %s, which the captured program does "
                                   "not have; measure the whole program",
                     (int)(dots - name), name, function);
}

/* A call of the captured data may never reach it; libgcc may have it. */
static bool miss(struct linking *linking, const char *name)
{
    struct array *missing = &linking->image->missing;
    if (missing->count >= MISSING_BYTES / MISSING_DISTANCE)
        return refuse(linking, "needs %s and thousands of others, which the captured program does not have",
                      name);
    append(&linking->script, "PROVIDE(\"%s\" = 0x%" PRIx64 ");\n", name,
           linking->image->first_missing + MISSING_DISTANCE * missing->count);
    *(char **)array_push(missing) = memory_copy_text(name, strlen(name));
    linking->is_incomplete = true;
    return true;
}

static bool need(struct linking *linking, const char *name, const GElf_Sym *symbol)
{
    bool is_doubtful;
    const struct codelet_symbol *found =
        codelet_find(linking->request->codelet, name, linking->request->source, &is_doubtful);
    if (GELF_ST_TYPE(symbol->st_info) == STT_TLS)
        return refuse(linking, "uses the thread-local variable %s, which a replay cannot give it", name);
    if (is_doubtful)
        return refuse(linking, "needs %s, and several source files of the program have a static one", name);
    if (!found && strstr(name, CODELET_STATIC)) {
        found = codelet_find_static(linking->request->codelet, name, linking->request->source, &is_doubtful);
        if (!found || is_doubtful)
            return refuse_static(linking, name, is_doubtful);
    }
    if (found && found->kind == codelet_THREAD_DATA)
        return refuse(linking, "uses the thread-local variable %s, which a replay cannot give it", name);
    if (!found)
        return GELF_ST_BIND(symbol->st_info) == STB_WEAK || miss(linking, name);
    if (found->kind == codelet_FUNCTION)
        put_function(linking, name, found->address);
    else
        append(&linking->script, "\"%s\" = 0x%" PRIx64 ";\n", name, found->address);
    return true;
}

/* "count.12" and "count.0" are the static variable count of a function, numbered by the compiler. */
static const struct codelet_symbol *find_numbered(const struct codelet *codelet, const char *name)
{
    const char *dot = strrchr(name, '.');
    if (!dot || dot == name || !dot[1] || dot[1 + strspn(dot + 1, "0123456789")])
        return NULL;
    const struct codelet_symbol *only = NULL;
    size_t length = (size_t)(dot - name) + 1;
    for (uint64_t i = 0; i < codelet->header->symbols.count; i++) {
        const char *other = codelet_text(codelet, codelet->symbols[i].name);
        if (strncmp(other, name, length) || other[length + strspn(other + length, "0123456789")] ||
            codelet->symbols[i].module != codelet->header->module)
            continue;
        if (only)
            return NULL;
        only = &codelet->symbols[i];
    }
    return only;
}

/* A variable of the variant's object. */
static bool share(struct linking *linking, const char *name, const GElf_Sym *symbol)
{
    bool is_doubtful;
    const struct codelet *codelet = linking->request->codelet;
    const struct codelet_symbol *found = codelet_find(codelet, name, linking->request->source, &is_doubtful);
    found = found ? found : find_numbered(codelet, name);
    if (!found || is_doubtful || found->kind != codelet_DATA ||
        (found->size && found->size != symbol->st_size))
        return refuse(linking,
                      "has a variable %s of its own that the captured program does not have (or not once)",
                      name);
    if (linking->wanted.count >= REPLAY_MOST_COPIES)
        return refuse(linking, "has too many variables of its own, %s among them", name);
    *(struct replay_copy *)array_push(&linking->wanted) =
        (struct replay_copy){linking->names.count, found->address, symbol->st_size};
    *(char **)array_push(&linking->names) = memory_copy_text(name, strlen(name));
    return true;
}

static bool is_variable(Elf *elf, const GElf_Sym *symbol)
{
    GElf_Shdr header;
    size_t names;
    Elf_Scn *section = symbol->st_shndx < SHN_LORESERVE ? elf_getscn(elf, symbol->st_shndx) : NULL;
    if (GELF_ST_TYPE(symbol->st_info) != STT_OBJECT || !symbol->st_size || !section ||
        !gelf_getshdr(section, &header) || !(header.sh_flags & SHF_WRITE) || elf_getshdrstrndx(elf, &names))
        return false;
    const char *name = elf_strptr(elf, names, header.sh_name);
    return name && strncmp(name, ".data.rel.ro", 12);
}

static bool take_symbol(struct linking *linking, Elf *elf, const char *name, const GElf_Sym *symbol)
{
    if (!name || !*name || !strcmp(name, "_GLOBAL_OFFSET_TABLE_"))
        return true;
    if (!is_printable(name))
        return refuse(linking, "has a name with odd characters, near %.20s", name);
    if (symbol->st_shndx == SHN_UNDEF || symbol->st_shndx == SHN_COMMON)
        return need(linking, name, symbol);
    if (GELF_ST_TYPE(symbol->st_info) == STT_TLS)
        return refuse(linking, "has the thread-local variable %s, which a replay cannot give it", name);
    return !is_variable(elf, symbol) || share(linking, name, symbol);
}

static bool take_object(struct linking *linking)
{
    const char *path = linking->request->object;
    struct elf_file file = elf_file_open(path, INT64_MAX);
    GElf_Ehdr head;
    bool is_read =
        file.elf && elf_kind(file.elf) == ELF_K_ELF && gelf_getehdr(file.elf, &head) && head.e_type == ET_REL;
    if (!is_read)
        error_set(linking->error, path, "is not an object file (cc -c makes one)");
    for (Elf_Scn *section = NULL; is_read && (section = elf_nextscn(file.elf, section));) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header) || header.sh_type != SHT_SYMTAB)
            continue;
        Elf_Data *data = elf_getdata(section, NULL);
        size_t count = data && header.sh_entsize ? data->d_size / header.sh_entsize : 0;
        for (size_t i = 1; is_read && i < count && i < MOST_SYMBOLS; i++) {
            GElf_Sym symbol;
            if (gelf_getsym(data, (int)i, &symbol))
                is_read = take_symbol(linking, file.elf, elf_strptr(file.elf, header.sh_link, symbol.st_name),
                                      &symbol);
        }
    }
    elf_file_close(&file);
    return is_read;
}

static void write_script(struct linking *linking, const char *own)
{
    struct array *script = &linking->script;
    const struct codelet_header *header = linking->request->codelet->header;
    append(
        script,
        "replay_image_start = 0x%" PRIx64 ";\nreplay_image_end = 0x%" PRIx64 ";\nENTRY(_start)\nSECTIONS\n{\n"
        "  . = 0x%" PRIx64 " + SIZEOF_HEADERS;\n"
        "  .replay_text : { replay_code_start = .; *%s(.text .text.* .ltext .ltext.*) replay_code_end = .;\n"
        "    *%s(.rodata .rodata.* .lrodata .lrodata.*) }\n",
        header->room, header->room + header->room_size, header->room, own, own);
    append(script, "  .text : { *(.text .text.* .ltext .ltext.*)\n");
    if (linking->stubs.count)
        memcpy(array_push_many(script, linking->stubs.count), linking->stubs.data, linking->stubs.count);
    append(script,
           "  }\n  .rodata : { *(.rodata .rodata.* .lrodata .lrodata.* .gcc_except_table "
           ".gcc_except_table.*) }\n"
           "  .eh_frame : { KEEP(*(.eh_frame)) }\n  . = ALIGN(0x10000);\n"
           "  .replay_data : { *%s(.data .data.* .ldata .ldata.* .bss .bss.* .lbss .lbss.* COMMON) }\n"
           "  .got : { *(.got .got.plt .igot .igot.plt) }\n"
           "  .data : { *(.data .data.* .ldata .ldata.* .init_array .init_array.* .fini_array .fini_array.* "
           ".tm_clone_table) }\n"
           "  .bss : { *(.bss .bss.* .lbss .lbss.* COMMON) }\n"
           "  /DISCARD/ : { *(.comment .note .note.* .debug_* .eh_frame_hdr .llvm_addrsig .gnu.lto_*) }\n}\n",
           own);
}

/* After lines that only say where. */
static char *first_complaint(char *messages)
{
    char *line = messages;
    for (char *end; (end = strchr(line, '\n')) && end[1]; line = end + 1) {
        char *place = strstr(line, ": in function `");
        if (!place || place > end)
            break;
    }
    return line;
}

/* What the linker complains about, for a person. */
static bool tell_linker(struct linking *linking, const struct child_answer *answer)
{
    static const char missing[] = "undefined reference to `";
    char *messages = answer->messages.data, *found = strstr(messages, missing);
    *linking->is_unlinked = true;
    if (found) {
        found += strlen(missing);
        return error_set(linking->error, linking->request->object,
                         "needs %.*s, which the captured program does not have; measure the whole program",
                         (int)strcspn(found, "'\n"), found);
    }
    if ((found = strstr(messages, "relocation truncated to fit")))
        return error_set(linking->error, linking->request->object,
                         "cannot reach data of the captured program (%.*s); compile it with -fPIE",
                         (int)strcspn(found, "\n"), found);
    found = first_complaint(messages);
    return error_set(linking->error, linking->request->object, "cannot be linked for a replay: %.*s",
                     (int)strcspn(found, "\n"), found);
}

static char *libgcc(void)
{
    static const char *const words[] = {"gcc", "-print-libgcc-file-name", NULL};
    struct child_job job = {
        .words = words,
        .limits = {.memory = link_memory, .file_size = 1 << 20, .output = 4096, .seconds = LINK_SECONDS}};
    struct child_answer answer;
    struct error ignored = {0};
    char *path = NULL;
    if (!child_run(&job, &answer, &ignored))
        return NULL;
    if (answer.end == child_end_DONE && answer.output.count && *(char *)answer.output.data == '/')
        path = memory_copy_text(answer.output.data, strcspn(answer.output.data, "\n"));
    child_answer_free(&answer);
    return path;
}

static bool run_linker(struct linking *linking, const char *own, const struct memory_file *script)
{
    /* Without relaxation: on x86 it fails for data after a GOT that has an absolute address. */
    const char *words[20] = {"ld",
                             "-static",
                             "-nostdlib",
                             "--no-relax",
                             "-z",
                             "noexecstack",
                             "-z",
                             "max-page-size=65536",
                             "--build-id=none",
                             "-T",
                             script->path,
                             "-o",
                             linking->image->file.path,
                             own};
    size_t count = 14;
    if (linking->request->object)
        words[count++] = linking->request->object;
    char *extra = linking->is_incomplete ? libgcc() : NULL;
    if (extra)
        words[count++] = extra;
    struct child_job job = {
        .words = words,
        .place = child_place_PRESENT, /* the object may have a relative name */
        .limits = {
            .memory = link_memory, .file_size = link_memory, .output = 1 << 20, .seconds = LINK_SECONDS}};
    struct child_answer answer;
    bool is_done = child_run(&job, &answer, linking->error);
    free(extra);
    if (!is_done)
        return false;
    if (answer.end == child_end_MISSING)
        is_done = error_set(linking->error, NULL, "the linker ld is not installed: apt install binutils");
    else if (answer.end != child_end_DONE)
        is_done = tell_linker(linking, &answer);
    child_answer_free(&answer);
    return is_done;
}

/* --- addresses in the linked program --- */

static void settle(struct linking *linking, const char *function, const char *name, const GElf_Sym *symbol)
{
    int type = GELF_ST_TYPE(symbol->st_info);
    if (type == STT_FUNC && !strcmp(name, function))
        linking->image->variant = symbol->st_value;
    for (size_t i = 0; type == STT_OBJECT && i < linking->wanted.count; i++) {
        const struct replay_copy *wanted = ARRAY_AT(struct replay_copy, &linking->wanted, i);
        if (wanted->size == symbol->st_size && !strcmp(*ARRAY_AT(char *, &linking->names, wanted->own), name))
            *(struct replay_copy *)array_push(&linking->image->copies) =
                (struct replay_copy){symbol->st_value, wanted->captured, wanted->size};
    }
}

static bool is_own_section(Elf *elf, size_t names, size_t index)
{
    GElf_Shdr header;
    Elf_Scn *section = index < SHN_LORESERVE ? elf_getscn(elf, index) : NULL;
    const char *name =
        section && gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
    return !name || !strncmp(name, ".replay_", 8);
}

static bool find_addresses(struct linking *linking, const char *function)
{
    Elf *elf = elf_begin(linking->image->file.descriptor, ELF_C_READ_MMAP, NULL);
    size_t names = 0;
    bool is_read = elf && !elf_getshdrstrndx(elf, &names);
    for (Elf_Scn *section = NULL; is_read && (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header) || header.sh_type != SHT_SYMTAB)
            continue;
        Elf_Data *data = elf_getdata(section, NULL);
        size_t count = data && header.sh_entsize ? data->d_size / header.sh_entsize : 0;
        for (size_t i = 1; i < count && i < MOST_SYMBOLS; i++) {
            GElf_Sym symbol;
            const char *name;
            if (gelf_getsym(data, (int)i, &symbol) &&
                (name = elf_strptr(elf, header.sh_link, symbol.st_name)) && symbol.st_shndx != SHN_UNDEF &&
                !is_own_section(elf, names, symbol.st_shndx))
                settle(linking, function, name, &symbol);
        }
    }
    if (elf)
        elf_end(elf);
    if (!linking->image->variant)
        return error_set(linking->error, linking->request->object, "has no function %s", function);
    return linking->image->copies.count == linking->wanted.count ||
           refuse(linking, "has several variables of one name in it%s", "");
}

static bool link_with(struct linking *linking, const char *own)
{
    const struct link_request *request = linking->request;
    const char *function = request->function
                               ? request->function
                               : codelet_text(request->codelet, request->codelet->header->function);
    if (request->object && !take_object(linking))
        return false;
    write_script(linking, strrchr(own, '/') + 1);
    struct memory_file script;
    if (!memory_file_make(&script, linking->script.data, linking->script.count, linking->error))
        return false;
    bool is_done =
        run_linker(linking, own, &script) && (!request->object || find_addresses(linking, function));
    memory_file_close(&script);
    return is_done;
}

bool link_image(const struct link_request *request, struct replay_image *image, bool *is_unlinked,
                struct error *error)
{
    const struct codelet_header *header = request->codelet->header;
    *image = (struct replay_image){.file.descriptor = -1,
                                   .copies = ARRAY_OF(struct replay_copy),
                                   .missing = ARRAY_OF(char *),
                                   .first_missing = header->room + header->room_size - MISSING_BYTES};
    *is_unlinked = false;
    unsigned isa = isa_name[0] == 'a' ? codelet_AARCH64 : codelet_X86_64;
    if (request->codelet->header->isa != isa)
        return error_set(error, request->codelet->path,
                         "was captured on another kind of processor; replay it there");
    char *name = memory_format("assay-replay-%s.o", isa_name);
    char *own = request->runtime ? launch_find_part(request->runtime, "replay", name) : NULL;
    struct linking linking = {.request = request,
                              .image = image,
                              .script = ARRAY_OF(char),
                              .stubs = ARRAY_OF(char),
                              .wanted = ARRAY_OF(struct replay_copy),
                              .names = ARRAY_OF(char *),
                              .is_unlinked = is_unlinked,
                              .error = error};
    bool is_done = false;
    if (!own)
        error_set(error, NULL, "the replay program (%s) is missing; it is installed with Assay", name);
    else if (memory_file_make(&image->file, NULL, 0, error))
        is_done = link_with(&linking, own);
    free(name);
    free(own);
    array_free(&linking.script);
    array_free(&linking.stubs);
    array_free(&linking.wanted);
    for (size_t i = 0; i < linking.names.count; i++)
        free(*ARRAY_AT(char *, &linking.names, i));
    array_free(&linking.names);
    if (!is_done)
        link_free(image);
    return is_done;
}

void link_free(struct replay_image *image)
{
    if (image->file.descriptor >= 0)
        memory_file_close(&image->file);
    image->file.descriptor = -1;
    array_free(&image->copies);
    for (size_t i = 0; i < image->missing.count; i++)
        free(*ARRAY_AT(char *, &image->missing, i));
    array_free(&image->missing);
}
