/* The peak of a machine per cycle, from the forms of its file.

   Floating-point operations: those of multiply-adds on its longest vectors, as vendors count them, or, if it
   has none, of simultaneous additions and multiplications. A core with separate units for additions beside
   those for multiply-adds (AMD's, Intel's from Alder Lake on) can do a little more in code written for it.
   Shorter vectors are tried as well, because some machines have more units for them. Instructions on matrices
   are left out.

   Bytes: those of the widest loads and stores, limited by their ports and by the paths to the cache in the
   machine file. */
#include "code/cost/core/port_balance.h"
#include "code/quality/metrics/metrics.h"

enum { SCALABLE = 0, MOST_OPERATIONS = 2 };

/* Operations on vectors of this many bits, SCALABLE: the machine's; NULL: there is none. For a machine
   without forms (Itanium) the figure `floating` has the number of multiply-adds per cycle. */
static const struct peak_forms {
    enum isa isa;
    enum element element;
    unsigned bits;
    const char *fma, *add, *multiply;
} operations[] = {
    {isa_X86_64, element_FP64, 512, "vfmadd231pd zmm,zmm,zmm", "vaddpd zmm,zmm,zmm", "vmulpd zmm,zmm,zmm"},
    {isa_X86_64, element_FP64, 256, "vfmadd231pd ymm,ymm,ymm", "vaddpd ymm,ymm,ymm", "vmulpd ymm,ymm,ymm"},
    {isa_X86_64, element_FP64, 128, "vfmadd231pd xmm,xmm,xmm", "addpd xmm,xmm", "mulpd xmm,xmm"},
    {isa_X86_64, element_FP32, 512, "vfmadd231ps zmm,zmm,zmm", "vaddps zmm,zmm,zmm", "vmulps zmm,zmm,zmm"},
    {isa_X86_64, element_FP32, 256, "vfmadd231ps ymm,ymm,ymm", "vaddps ymm,ymm,ymm", "vmulps ymm,ymm,ymm"},
    {isa_X86_64, element_FP32, 128, "vfmadd231ps xmm,xmm,xmm", "addps xmm,xmm", "mulps xmm,xmm"},
    {isa_X86_64, element_FP16, 512, "vfmadd231ph zmm,zmm,zmm", "vaddph zmm,zmm,zmm", "vmulph zmm,zmm,zmm"},
    {isa_X86_64, element_FP16, 256, "vfmadd231ph ymm,ymm,ymm", "vaddph ymm,ymm,ymm", "vmulph ymm,ymm,ymm"},
    {isa_X86_64, element_BF16, 512, "vdpbf16ps zmm,zmm,zmm", NULL, NULL},
    {isa_X86_64, element_BF16, 256, "vdpbf16ps ymm,ymm,ymm", NULL, NULL},
    {isa_X86_64, element_X87, 80, NULL, "fadd st,st", "fmul st,st"},
    {isa_K1OM, element_FP64, 512, "vfmadd231pd zmm,zmm,zmm", "vaddpd zmm,zmm,zmm", "vmulpd zmm,zmm,zmm"},
    {isa_K1OM, element_FP32, 512, "vfmadd231ps zmm,zmm,zmm", "vaddps zmm,zmm,zmm", "vmulps zmm,zmm,zmm"},
    {isa_AARCH64, element_FP64, 128, "fmla 2d,2d,2d", "fadd 2d,2d,2d", "fmul 2d,2d,2d"},
    {isa_AARCH64, element_FP64, SCALABLE, "fmla z.d,p/m,z.d,z.d", "fadd z.d,z.d,z.d", "fmul z.d,z.d,z.d"},
    {isa_AARCH64, element_FP32, 128, "fmla 4s,4s,4s", "fadd 4s,4s,4s", "fmul 4s,4s,4s"},
    {isa_AARCH64, element_FP32, SCALABLE, "fmla z.s,p/m,z.s,z.s", "fadd z.s,z.s,z.s", "fmul z.s,z.s,z.s"},
    {isa_AARCH64, element_FP16, 128, "fmla 8h,8h,8h", "fadd 8h,8h,8h", "fmul 8h,8h,8h"},
    {isa_AARCH64, element_FP16, SCALABLE, "fmla z.h,p/m,z.h,z.h", "fadd z.h,z.h,z.h", "fmul z.h,z.h,z.h"},
    {isa_AARCH64, element_BF16, 128, "bfdot 4s,8h,8h", NULL, NULL},
    {isa_AARCH64, element_BF16, SCALABLE, "bfdot z.s,z.h,z.h", NULL, NULL},
    {isa_IA64, element_FP64, 64, NULL, NULL, NULL},
    {isa_IA64, element_FP32, 64, NULL, NULL, NULL},
    {isa_IA64, element_X87, 80, NULL, NULL, NULL},
};

static const struct access_forms {
    enum isa isa;
    unsigned bytes; /* SCALABLE: those of the machine's vectors */
    const char *load, *store;
} accesses[] = {
    {isa_X86_64, 64, "vmovaps zmm,m512", "vmovaps m512,zmm"},
    {isa_X86_64, 32, "vmovaps ymm,m256", "vmovaps m256,ymm"},
    {isa_X86_64, 16, "movaps xmm,m128", "movaps m128,xmm"},
    {isa_K1OM, 64, "vmovaps zmm,m512", "vmovaps m512,zmm"},
    {isa_AARCH64, 16, "ldr q,[x]", "str q,[x]"},
    {isa_AARCH64, SCALABLE, "ld1d {z.d},p/z,[x]", "st1d {z.d},p,[x]"},
};

static double larger(double one, double other)
{
    return one > other ? one : other;
}

/* Cycles for one of each of these forms, which may be NULL; 0: the machine lacks one, or has no figures for
   it. */
static double cycles_of(const struct machine *machine, const char *const texts[MOST_OPERATIONS])
{
    struct port_group groups[MOST_GROUPS];
    unsigned count = 0, slots = 0;
    uint32_t critical;
    double measured = 0;
    for (unsigned i = 0; i < MOST_OPERATIONS; i++) {
        const struct machine_form *form = texts[i] ? machine_form(machine, texts[i]) : NULL;
        if (!texts[i])
            continue;
        if (!form || form->is_missing)
            return 0;
        slots += form->fused;
        measured = form->throughput > measured ? (double)form->throughput : measured;
        for (unsigned k = 0; k < form->ports.count && count < MOST_GROUPS; k++) {
            const struct form_ports *ports =
                ARRAY_AT(struct form_ports, &machine->form_ports, form->ports.first + k);
            if (ports->ports)
                groups[count++] = (struct port_group){ports->ports, (double)ports->times};
        }
    }
    if (!count)
        return 0;
    double cycles = larger(measured, ports_balance(groups, count, &critical));
    if (machine->core.issue)
        cycles = larger(cycles, (double)slots / machine->core.issue);
    return machine->core.issue_every ? cycles * machine->core.issue_every : cycles;
}

static unsigned bits_of(enum element element)
{
    switch (element) {
    case element_FP16:
    case element_BF16:
        return 16;
    case element_FP32:
        return 32;
    case element_FP64:
        return 64;
    case element_X87:
        return 80;
    default:
        return 0;
    }
}

/* flops of this many lanes, for one of each of these forms. */
static double rate(const struct machine *machine, const char *one, const char *other, double flops)
{
    double cycles = one ? cycles_of(machine, (const char *const[MOST_OPERATIONS]){one, other}) : 0;
    return cycles > 0 ? flops / cycles : 0;
}

static double flops_of(const struct machine *machine, const struct peak_forms *row)
{
    unsigned bits = row->bits == SCALABLE ? machine->core.vector_bits : row->bits;
    double lanes = bits / bits_of(row->element);
    if (!row->fma && !row->add)
        return machine->forms.count ? 0 : machine->floating * 2 * lanes;
    if (machine->core.vector_bits && bits > machine->core.vector_bits)
        return 0;
    double best = rate(machine, row->fma, NULL, 2 * lanes);
    best = larger(best, rate(machine, row->add, NULL, lanes));
    best = larger(best, rate(machine, row->multiply, NULL, lanes));
    return larger(best, row->add && row->multiply ? rate(machine, row->add, row->multiply, 2 * lanes) : 0);
}

/* Bytes per cycle: limited by the ports of the form, and by the number of such accesses per cycle. */
static double bytes_of(const struct machine *machine, const char *form, unsigned bytes, unsigned way,
                       double at_a_time)
{
    double cycles = cycles_of(machine, (const char *const[MOST_OPERATIONS]){form});
    if (!(cycles > 0))
        return 0;
    if (at_a_time > 0)
        cycles = larger(cycles, cost_pieces(way, bytes) / at_a_time);
    return bytes / cycles;
}

void machine_peak_find(struct machine_peak *peak, const struct machine *machine, enum element element)
{
    const struct machine_core *core = &machine->core;
    *peak = (struct machine_peak){0};
    for (unsigned i = 0; i < sizeof operations / sizeof operations[0]; i++)
        if (operations[i].isa == machine->isa && operations[i].element == element)
            peak->flops = larger(peak->flops, flops_of(machine, &operations[i]));
    for (unsigned i = 0; i < sizeof accesses / sizeof accesses[0]; i++) {
        const struct access_forms *row = &accesses[i];
        unsigned bytes = row->bytes == SCALABLE ? core->vector_bits / 8 : row->bytes;
        if (row->isa != machine->isa || (core->vector_bits && bytes > core->vector_bits / 8))
            continue;
        bool is_wide = core->wide_load && bytes > core->wide_load && core->wide_loads < machine->loads;
        double loads = is_wide ? core->wide_loads : machine->loads;
        peak->loaded = larger(peak->loaded, bytes_of(machine, row->load, bytes, core->load_bytes, loads));
        peak->stored =
            larger(peak->stored, bytes_of(machine, row->store, bytes, core->store_bytes, machine->stores));
    }
}
