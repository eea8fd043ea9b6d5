/* Raw bytes as the body of a loop, put through everything after assay report: purposes, metrics, families,
   and every rule.  The first byte chooses the instruction set and the machine; the bytes are followed by a
   jump back to their start, in an object file with one function. */
#include "fuzz/harness.h"

#include "code/quality/quality.h"

#include <elf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct choice {
    const char *machine;
    enum isa isa;
    uint16_t elf;
} choices[] = {{"skylake", isa_X86_64, EM_X86_64},       {"sapphire-rapids", isa_X86_64, EM_X86_64},
               {"zen4", isa_X86_64, EM_X86_64},          {"core2-conroe", isa_X86_64, EM_X86_64},
               {"neoverse-v1", isa_AARCH64, EM_AARCH64}, {"a64fx", isa_AARCH64, EM_AARCH64}};
enum { CHOICES = sizeof choices / sizeof choices[0], LONGEST = 4096, END = 16 };

/* The sections of the object file; names of sections and symbols share one table. */
enum { TEXT = 1, SYMBOLS, NAMES, SECTIONS };
static const char names[] = "\0.text\0.symtab\0.strtab\0loop";
enum { NAME_TEXT = 1, NAME_SYMTAB = 7, NAME_STRTAB = 15, NAME_LOOP = 23 };

struct object {
    Elf64_Ehdr header;
    Elf64_Shdr sections[SECTIONS];
    Elf64_Sym symbols[2];
    char names[sizeof names];
    uint8_t code[LONGEST + END];
};

static struct machine *take_machine(unsigned choice)
{
    static struct machine *machines[CHOICES];
    const char *directory = MACHINES;
    struct error error = {0};
    if (!machines[choice] &&
        !(machines[choice] = machine_load(choices[choice].machine, &directory, 1, &error)))
        harness_wrong("no machine", error.text);
    return machines[choice];
}

/* The jump back, conditional, and a return. */
static size_t put_end(uint8_t *code, size_t size, enum isa isa)
{
    uint8_t *end = code + size;
    if (isa == isa_X86_64) {
        int32_t distance = -(int32_t)(size + 6);
        memcpy(end, "\x0f\x85", 2);
        memcpy(end + 2, &distance, sizeof distance);
        end[6] = 0xc3;
        return size + 7;
    }
    uint32_t back = 0x54000001u | ((uint32_t)(-(int32_t)(size / 4)) & 0x7ffff) << 5, leave = 0xd65f03c0;
    memcpy(end, &back, sizeof back);
    memcpy(end + 4, &leave, sizeof leave);
    return size + 8;
}

static void put_section(struct object *object, unsigned section, uint32_t name, uint32_t type, size_t offset,
                        size_t size)
{
    object->sections[section] = (Elf64_Shdr){
        .sh_name = name, .sh_type = type, .sh_offset = offset, .sh_size = size, .sh_addralign = 1};
}

/* How many bytes of the object there are. */
static size_t make_object(struct object *object, const struct choice *choice, const uint8_t *data,
                          size_t size)
{
    *object = (struct object){
        .header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
                   .e_type = ET_REL,
                   .e_machine = choice->elf,
                   .e_version = EV_CURRENT,
                   .e_shoff = offsetof(struct object, sections),
                   .e_ehsize = sizeof object->header,
                   .e_shentsize = sizeof *object->sections,
                   .e_shnum = SECTIONS,
                   .e_shstrndx = NAMES}};
    size = size > LONGEST ? LONGEST : size;
    size -= choice->isa == isa_AARCH64 ? size % 4 : 0;
    memcpy(object->code, data, size);
    size = put_end(object->code, size, choice->isa);
    memcpy(object->names, names, sizeof names);
    object->symbols[1] = (Elf64_Sym){.st_name = NAME_LOOP,
                                     .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
                                     .st_shndx = TEXT,
                                     .st_size = size};
    put_section(object, TEXT, NAME_TEXT, SHT_PROGBITS, offsetof(struct object, code), size);
    object->sections[TEXT].sh_flags = SHF_ALLOC | SHF_EXECINSTR;
    put_section(object, SYMBOLS, NAME_SYMTAB, SHT_SYMTAB, offsetof(struct object, symbols),
                sizeof object->symbols);
    object->sections[SYMBOLS].sh_link = NAMES;
    object->sections[SYMBOLS].sh_info = 1;
    object->sections[SYMBOLS].sh_entsize = sizeof *object->symbols;
    put_section(object, NAMES, NAME_STRTAB, SHT_STRTAB, offsetof(struct object, names), sizeof names);
    return offsetof(struct object, code) + size;
}

static void check_advice(const struct model *model)
{
    for (uint32_t id = 1; id < model->advice.count; id++) {
        const struct advice *advice = model_advice(model, id);
        if (!advice->text || !*model_text(model, advice->text))
            harness_wrong("advice without text", "quality_build");
        if (isinf(advice->cycles) || advice->cycles < 0 || isinf(advice->gain) || advice->gain < 1)
            harness_wrong("an invalid gain", model_text(model, advice->text));
    }
}

static void check_metrics(const struct model *model)
{
    for (size_t i = 0; i < model->loop_metrics.count; i++) {
        const struct loop_metric *metric = ARRAY_AT(struct loop_metric, &model->loop_metrics, i);
        if (metric->vector_ratio < 0 || metric->vector_ratio > 1 || isinf(metric->cycles) ||
            metric->known_count > metric->instruction_count)
            harness_wrong("a metric is out of range", "quality_build");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct object object;
    struct model model;
    if (size < 2)
        return 0;
    const struct choice *choice = &choices[data[0] % CHOICES];
    struct quality_options options = {.threads = 1};
    options.machines.of[choice->isa] = take_machine(data[0] % CHOICES);
    size_t length = make_object(&object, choice, data + 1, size - 1);
    if (harness_build(&model, (const uint8_t *)&object, length)) {
        struct array loops = ARRAY_OF(uint32_t);
        for (uint32_t id = 1; id < model.loops.count; id++)
            if (model_loop(&model, id)->is_innermost)
                *(uint32_t *)array_push(&loops) = id;
        quality_build(&model, &options, &loops);
        check_advice(&model);
        check_metrics(&model);
        array_free(&loops);
    }
    model_free(&model);
    return 0;
}
