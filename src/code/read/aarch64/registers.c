#include "code/read/aarch64/registers.h"
#include <string.h>

#define EACH_TEN(M, TENS)                                                                                    \
    M(TENS##0)                                                                                               \
    M(TENS##1) M(TENS##2) M(TENS##3) M(TENS##4) M(TENS##5) M(TENS##6) M(TENS##7) M(TENS##8) M(TENS##9)
#define EACH_16(M) EACH_TEN(M, ) M(10) M(11) M(12) M(13) M(14) M(15)
#define EACH_31(M) EACH_TEN(M, ) EACH_TEN(M, 1) EACH_TEN(M, 2) M(30)
#define EACH_32(M) EACH_31(M) M(31)

#define X(N) [REGISTER_X + N] = {"x" #N, register_kind_GENERAL, 64, 0, REGISTER_X + N},
#define W(N) [REGISTER_W + N] = {"w" #N, register_kind_GENERAL, 32, 0, REGISTER_X + N},
#define B(N) [REGISTER_B + N] = {"b" #N, register_kind_VECTOR, 8, 0, REGISTER_Z + N},
#define H(N) [REGISTER_H + N] = {"h" #N, register_kind_VECTOR, 16, 0, REGISTER_Z + N},
#define S(N) [REGISTER_S + N] = {"s" #N, register_kind_VECTOR, 32, 0, REGISTER_Z + N},
#define D(N) [REGISTER_D + N] = {"d" #N, register_kind_VECTOR, 64, 0, REGISTER_Z + N},
#define Q(N) [REGISTER_Q + N] = {"q" #N, register_kind_VECTOR, 128, 0, REGISTER_Z + N},
#define V(N) [REGISTER_V + N] = {"v" #N, register_kind_VECTOR, 128, 0, REGISTER_Z + N},
#define Z(N) [REGISTER_Z + N] = {"z" #N, register_kind_VECTOR, 128, 0, REGISTER_Z + N},
#define P(N) [REGISTER_P + N] = {"p" #N, register_kind_MASK, 16, 0, REGISTER_P + N},

const struct register_fact aarch64_registers[REGISTER_COUNT] = {
    EACH_31(X) EACH_31(W) EACH_32(B) EACH_32(H) EACH_32(S) EACH_32(D) EACH_32(Q) EACH_32(V) EACH_32(Z)
        EACH_16(P)[REGISTER_SP] = {"sp", register_kind_GENERAL, 64, 0, REGISTER_SP},
    [REGISTER_WSP] = {"wsp", register_kind_GENERAL, 32, 0, REGISTER_SP},
    [REGISTER_XZR] = {"xzr", register_kind_GENERAL, 64, 0, REGISTER_XZR},
    [REGISTER_WZR] = {"wzr", register_kind_GENERAL, 32, 0, REGISTER_XZR},
    [REGISTER_FFR] = {"ffr", register_kind_MASK, 16, 0, REGISTER_FFR},
    [REGISTER_NZCV] = {"nzcv", register_kind_FLAGS, 4, 0, REGISTER_NZCV},
    [REGISTER_FPCR] = {"fpcr", register_kind_CONTROL, 64, 0, REGISTER_FPCR},
    [REGISTER_FPSR] = {"fpsr", register_kind_CONTROL, 64, 0, REGISTER_FPSR},
    [REGISTER_ZA] = {"za", register_kind_MATRIX, 2048, 0, REGISTER_ZA},
    [REGISTER_ZT0] = {"zt0", register_kind_MATRIX, 512, 0, REGISTER_ZT0},
};

static const struct {
    char letter;
    uint8_t count;
    uint16_t first;
} files[] = {
    {'x', 31, REGISTER_X}, {'w', 31, REGISTER_W}, {'v', 32, REGISTER_V}, {'z', 32, REGISTER_Z},
    {'p', 16, REGISTER_P}, {'d', 32, REGISTER_D}, {'s', 32, REGISTER_S}, {'q', 32, REGISTER_Q},
    {'b', 32, REGISTER_B}, {'h', 32, REGISTER_H},
};

static const uint16_t singles[] = {REGISTER_SP,   REGISTER_XZR,  REGISTER_WSP,  REGISTER_WZR, REGISTER_FFR,
                                   REGISTER_NZCV, REGISTER_FPCR, REGISTER_FPSR, REGISTER_ZA,  REGISTER_ZT0};

unsigned aarch64_find_register(const char *name, size_t length)
{
    if (length < 2 || length > 4)
        return 0;
    if (name[0] == 'p' && name[1] == 'n') /* a predicate as a counter is the same register */
        return length > 2
                   ? aarch64_find_register((const char[]){'p', name[2], length > 3 ? name[3] : 0}, length - 1)
                   : 0;
    unsigned digits = name[1] >= '0' && name[1] <= '9' ? 1 : 0;
    if (digits && length <= 3) {
        unsigned number = (unsigned)(name[1] - '0');
        if (length == 3) {
            if (number == 0 || name[2] < '0' || name[2] > '9')
                return 0;
            number = number * 10 + (unsigned)(name[2] - '0');
        }
        for (size_t i = 0; i < sizeof files / sizeof *files; i++)
            if (files[i].letter == name[0])
                return number < files[i].count ? files[i].first + number : 0;
        return 0;
    }
    for (size_t i = 0; i < sizeof singles / sizeof *singles; i++) {
        const char *single = aarch64_registers[singles[i]].name;
        if (strlen(single) == length && memcmp(single, name, length) == 0)
            return singles[i];
    }
    return 0;
}
