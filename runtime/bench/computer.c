/* The computer that results come from, as comments at the top of their file: what its processor and kernel
   report as numbers, its name, and the day.  Assay makes the machine file's identity from the numbers. */
#include "runtime/bench/bench.h"

#include <string.h>
#include <time.h>

#if defined(__aarch64__)
#include <sys/auxv.h>

static unsigned long long midr(void)
{
    unsigned long long value = 0;
    unsigned implementer = 0, part = 0;
    char line[256];
    FILE *file = fopen("/sys/devices/system/cpu/cpu0/regs/identification/midr_el1", "r");
    int got = file ? fscanf(file, "%llx", &value) : 0;
    if (file)
        fclose(file);
    if (got == 1)
        return value;
    file = fopen("/proc/cpuinfo", "r");
    while (file && fgets(line, sizeof line, file) && !(implementer && part)) {
        sscanf(line, "CPU implementer : %x", &implementer);
        sscanf(line, "CPU part : %x", &part);
    }
    if (file)
        fclose(file);
    return (unsigned long long)implementer << 24 | part << 4;
}

static void print_facts(FILE *out)
{
    fprintf(out, "# computer %llx %lx\n", midr(), getauxval(AT_HWCAP));
}

void bench_identify(unsigned *family, unsigned *model)
{
    static unsigned long long register_; /* it is read from files */
    register_ = register_ ? register_ : midr();
    *family = register_ >> 24 & 0xff;
    *model = register_ >> 4 & 0xfff;
}
#elif defined(__x86_64__)
#include <cpuid.h>

static void print_facts(FILE *out)
{
    unsigned eax = 0, b, ecx = 0, c, d, leaf7_a = 0, leaf7_b = 0, leaf7_c = 0, leaf7_d = 0, leaf7_1_a = 0;
    unsigned long long kept = 0;
    if (!__get_cpuid(1, &eax, &b, &ecx, &d))
        return;
    if (!__get_cpuid_count(7, 0, &leaf7_a, &leaf7_b, &leaf7_c, &leaf7_d))
        leaf7_b = leaf7_c = leaf7_d = 0;
    else if (leaf7_a >= 1)
        __get_cpuid_count(7, 1, &leaf7_1_a, &b, &c, &d);
    if (ecx & 1 << 27) { /* OSXSAVE */
        uint32_t low, high;
        __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
        kept = (unsigned long long)high << 32 | low;
    }
    fprintf(out, "# computer %x %x %x %llx %x %x %x\n", eax, ecx, leaf7_b, kept, leaf7_c, leaf7_d, leaf7_1_a);
}

void bench_identify(unsigned *family, unsigned *model)
{
    unsigned eax = 0, b, c, d;
    __get_cpuid(1, &eax, &b, &c, &d);
    *family = eax >> 8 & 0xf;
    *model = (eax >> 4 & 0xf) | (eax >> 12 & 0xf0);
    *family += *family == 0xf ? eax >> 20 & 0xff : 0;
}
#else
static void print_facts(FILE *out)
{
    (void)out;
}

void bench_identify(unsigned *family, unsigned *model)
{
    *family = *model = 0;
}
#endif

/* As the kernel calls it; Arm's processors have no name there. */
static void print_name(FILE *out)
{
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && fgets(line, sizeof line, file))
        if (!strncmp(line, "model name", strlen("model name")) && strchr(line, ':')) {
            const char *name = strchr(line, ':') + 1;
            fprintf(out, "# processor %.*s\n", (int)strcspn(name + strspn(name, " "), "\n"),
                    name + strspn(name, " "));
            break;
        }
    if (file)
        fclose(file);
}

void bench_print_computer(FILE *out)
{
    print_facts(out);
    print_name(out);
}

void bench_print_session(FILE *out, const char *version)
{
    time_t now = time(NULL);
    struct tm day;
    if (gmtime_r(&now, &day))
        fprintf(out, "# measured %04d-%02d-%02d by assay %s\n", day.tm_year + 1900, day.tm_mon + 1, day.tm_mday,
                version);
}
