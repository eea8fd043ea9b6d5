/* The computer that Assay runs on. */
#ifndef CODE_MACHINE_HOST_H
#define CODE_MACHINE_HOST_H
#include "code/machine/extensions.h"

/* What the processor and the kernel say, as they say it. */
struct host_facts {
    enum isa isa; /* isa_NONE: another one than Assay knows */
    /* x86: registers after CPUID with 1, with 7, and with 7 and 1 in ecx, and what the kernel has switched on (XGETBV). */
    uint32_t leaf1_eax, leaf1_ecx, leaf7_ebx, leaf7_ecx, leaf7_edx, leaf7_1_eax;
    uint64_t xcr0;
    /* AArch64: the register MIDR_EL1, and the kernel's AT_HWCAP. */
    uint64_t midr, hwcap;
};
struct host_facts host_read_facts(void);

/* What a processor says it is: `cpuid FAMILY MODEL…` or `midr IMPLEMENTER PART…` of a machine file, both as
   numbers; and what it has. */
struct machine_identity {
    enum isa isa; /* isa_NONE: not known */
    uint32_t family, model, stepping;
    uint32_t extensions; /* of those that a machine may be without (code/machine/extensions.h) */
    uint32_t features;   /* that tell generations apart (code/machine/generation.h) */
    bool guards_gathers; /* its gathers are as slow as microcode makes them (code/machine/guards.h) */
};
struct machine_identity host_identify(const struct host_facts *facts);
/* Of another computer, as perf writes it: "GenuineIntel,6,85,4", or the MIDR of AArch64, "0x00000000410fd401".  It is
   taken to have every extension that its model has.  false: it is something else. */
bool host_identity_of(const char *text, struct machine_identity *identity);
/* Of this computer. */
struct machine_identity machine_host(void);
/* host_caches.c: caches of data of this computer, as the system reports them, the nearest first; the number
 * of them. */
struct machine_cache;
unsigned host_caches(struct machine_cache *caches, unsigned most);
/* The same of a folder that has index0, index1, … */
unsigned host_caches_in(const char *folder, struct machine_cache *caches, unsigned most);
/* Why this computer is taken to lack what its model has: "its kernel reports no"; it goes on with titles. */
const char *host_lack_words(enum isa isa);
#endif
