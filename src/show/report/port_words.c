/* Machine files give the ports of each form, thousands of them. A few plain forms stand for the kinds of work
   that people know: a port is for those whose forms may go there. The first form of a line that the machine
   has counts. Forms with more than one µop say nothing about a single port, except for stores: their µops
   for the address go to the ports that also load, or to those that the file names. */
#include "show/report/port_words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FORMS = 5 };

struct port_work {
    const char *group, *words;
    const char *forms[MOST_FORMS]; /* of any instruction set; NULL after the last */
};

static const struct port_work works[] = {
    {"integer", "additions", {"add r64,r64", "add x,x,x"}},
    {"integer", "shifts", {"shl r64,i8", "lsl x,x,x"}},
    {"integer", "multiplications", {"imul r64,r64", "mul x,x,x"}},
    {"integer", "divisions", {"div r64", "sdiv x,x,x"}},
    {"", "branches", {"jne rel8", "jne rel32", "b.cond rel"}},
    {"floating-point", "additions", {"addsd xmm,xmm", "fadd d,d,d", "vaddpd zmm,zmm,zmm"}},
    {"floating-point", "multiplications", {"mulsd xmm,xmm", "fmul d,d,d", "vmulpd zmm,zmm,zmm"}},
    {"floating-point", "divisions", {"divsd xmm,xmm", "fdiv d,d,d"}},
    {"vector", "integers", {"paddd xmm,xmm", "add 4s,4s,4s", "vpaddd zmm,zmm,zmm"}},
    {"vector", "shuffles", {"pshufd xmm,xmm,i8", "zip1 4s,4s,4s", "vpshufd zmm,zmm,i8"}},
};
static const char *const loads[MOST_FORMS] = {"mov r64,m64", "ldr x,[x]"};
static const char *const stores[MOST_FORMS] = {"mov m64,r64", "str x,[x]"};
static const char *const vector_stores[MOST_FORMS] = {"movaps m128,xmm", "str q,[x]"};

/* The kinds of slots of Itanium, whose machine file has no forms. */
static const struct {
    char letter;
    const char *words;
} slots[] = {{'M', "loads; stores; integer additions"},
             {'I', "integer additions, shifts; vector integers, shuffles"},
             {'F', "floating point; integer multiplications"},
             {'B', "branches"}};

static const struct machine_form *find(const struct machine *machine, const char *const *texts)
{
    for (unsigned i = 0; i < MOST_FORMS && texts[i]; i++) {
        const struct machine_form *form = machine_form(machine, texts[i]);
        if (form && !form->is_missing && form->ports.count)
            return form;
    }
    return NULL;
}

static const struct form_ports *uop(const struct machine *machine, const struct machine_form *form,
                                    unsigned place)
{
    return ARRAY_AT(struct form_ports, &machine->form_ports, form->ports.first + place);
}

static void say(FILE *out, const char **group, const char *of, const char *words)
{
    bool continues = *group && **group && !strcmp(*group, of);
    fprintf(out, "%s%s%s%s",
            !*group     ? ""
            : continues ? ", "
                        : "; ",
            continues ? "" : of, *of && !continues ? " " : "", words);
    *group = of;
}

/* The ports whose µops of a store are its address. */
static uint32_t address_ports(const struct machine *machine)
{
    const struct machine_form *load = find(machine, loads);
    if (machine->core.address_ports)
        return machine->core.address_ports;
    return load ? uop(machine, load, 0)->ports : 0;
}

/* The ports of a store's µops: those for its address, or the others. */
static uint32_t store_ports(const struct machine *machine, const char *const *texts, bool wants_address)
{
    const struct machine_form *form = find(machine, texts);
    uint32_t addresses = address_ports(machine), all = 0;
    for (unsigned i = 0; form && i < form->ports.count; i++) {
        uint32_t ports = uop(machine, form, i)->ports;
        all |= wants_address == !!(ports & addresses) ? ports : 0;
    }
    return all;
}

static void say_stores(FILE *out, const char **group, const struct machine *machine, uint32_t port)
{
    uint32_t data = store_ports(machine, stores, false), addresses = store_ports(machine, stores, true);
    if (addresses & port)
        say(out, group, "", data ? "addresses of stores" : "stores");
    if (data & port)
        say(out, group, "", addresses ? "data of stores" : "stores");
    else if (store_ports(machine, vector_stores, false) & port)
        say(out, group, "", "data of vector stores");
}

static void say_works(FILE *out, const struct machine *machine, uint32_t port)
{
    const char *group = NULL;
    for (size_t i = 0; i < sizeof works / sizeof *works; i++) {
        const struct machine_form *form = find(machine, works[i].forms);
        if (form && form->ports.count == 1 && uop(machine, form, 0)->ports & port)
            say(out, &group, works[i].group, works[i].words);
    }
    const struct machine_form *load = find(machine, loads);
    if (load && uop(machine, load, 0)->ports & port)
        say(out, &group, "", "loads");
    say_stores(out, &group, machine, port);
}

char *port_words(const struct machine *machine, unsigned port)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return memory_format("%s", "");
    if (machine->forms.count)
        say_works(out, machine, UINT32_C(1) << port);
    else if (machine->bundles)
        for (size_t i = 0; i < sizeof slots / sizeof *slots; i++)
            if (slots[i].letter == machine->ports[port][0])
                fputs(slots[i].words, out);
    fclose(out);
    return text;
}

char *port_name(const struct machine *machine, unsigned port)
{
    const char *name = machine->ports[port];
    return memory_format("%s%s", name[0] && !name[1] ? "p" : "", name);
}
