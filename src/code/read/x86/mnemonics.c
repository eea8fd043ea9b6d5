/* The tables of mnemonics: x86/mnemonics.def, x86/knights_corner.def and x86/operations.def expanded at
   compile time.  A name that Zydis does not have, or that appears twice, does not compile; the unit test,
   which goes through all opcodes, finds names that the first two miss. */
#include "code/read/x86/x86.h"
#include "code/read/x86/classes.h"

#define ROW(class_, element_, packed, name)                                                                  \
    [ZYDIS_MNEMONIC_##                                                                                       \
        name] = {.class = (class_), .element = (element_), .is_packed = (packed), .is_known = true},

/* FOR_EACH(word, a, b, names …) is word(a, b, name) for each of up to 20 names. */
#define FOR_1(word, a, b, name) word(a, b, name)
#define FOR_2(word, a, b, name, ...) word(a, b, name) FOR_1(word, a, b, __VA_ARGS__)
#define FOR_3(word, a, b, name, ...) word(a, b, name) FOR_2(word, a, b, __VA_ARGS__)
#define FOR_4(word, a, b, name, ...) word(a, b, name) FOR_3(word, a, b, __VA_ARGS__)
#define FOR_5(word, a, b, name, ...) word(a, b, name) FOR_4(word, a, b, __VA_ARGS__)
#define FOR_6(word, a, b, name, ...) word(a, b, name) FOR_5(word, a, b, __VA_ARGS__)
#define FOR_7(word, a, b, name, ...) word(a, b, name) FOR_6(word, a, b, __VA_ARGS__)
#define FOR_8(word, a, b, name, ...) word(a, b, name) FOR_7(word, a, b, __VA_ARGS__)
#define FOR_9(word, a, b, name, ...) word(a, b, name) FOR_8(word, a, b, __VA_ARGS__)
#define FOR_10(word, a, b, name, ...) word(a, b, name) FOR_9(word, a, b, __VA_ARGS__)
#define FOR_11(word, a, b, name, ...) word(a, b, name) FOR_10(word, a, b, __VA_ARGS__)
#define FOR_12(word, a, b, name, ...) word(a, b, name) FOR_11(word, a, b, __VA_ARGS__)
#define FOR_13(word, a, b, name, ...) word(a, b, name) FOR_12(word, a, b, __VA_ARGS__)
#define FOR_14(word, a, b, name, ...) word(a, b, name) FOR_13(word, a, b, __VA_ARGS__)
#define FOR_15(word, a, b, name, ...) word(a, b, name) FOR_14(word, a, b, __VA_ARGS__)
#define FOR_16(word, a, b, name, ...) word(a, b, name) FOR_15(word, a, b, __VA_ARGS__)
#define FOR_17(word, a, b, name, ...) word(a, b, name) FOR_16(word, a, b, __VA_ARGS__)
#define FOR_18(word, a, b, name, ...) word(a, b, name) FOR_17(word, a, b, __VA_ARGS__)
#define FOR_19(word, a, b, name, ...) word(a, b, name) FOR_18(word, a, b, __VA_ARGS__)
#define FOR_20(word, a, b, name, ...) word(a, b, name) FOR_19(word, a, b, __VA_ARGS__)
#define CHOOSE(_1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, _12, _13, _14, _15, _16, _17, _18, _19, _20,    \
               word, ...)                                                                                    \
    word
#define FOR_EACH(word, a, b, ...)                                                                            \
    CHOOSE(__VA_ARGS__, FOR_20, FOR_19, FOR_18, FOR_17, FOR_16, FOR_15, FOR_14, FOR_13, FOR_12, FOR_11,      \
           FOR_10, FOR_9, FOR_8, FOR_7, FOR_6, FOR_5, FOR_4, FOR_3, FOR_2, FOR_1, )                          \
    (word, a, b, __VA_ARGS__)

#define SCALAR(c, e, name) ROW(class_##c, element_##e, false, name)
#define PACKED(c, e, name) ROW(class_##c, element_##e, true, name)
#define EACH(c, e, ...) FOR_EACH(SCALAR, c, e, __VA_ARGS__)
#define WIDE(c, e, ...) FOR_EACH(PACKED, c, e, __VA_ARGS__)
#define BOTH(c, e, name) PACKED(c, e, name) PACKED(c, e, V##name)

#define V_FP_PACKED(c, stem) PACKED(c, FP32, V##stem##PS) PACKED(c, FP64, V##stem##PD)
#define V_FP_SCALAR(c, stem) SCALAR(c, FP32, V##stem##SS) SCALAR(c, FP64, V##stem##SD)
#define V_FP_HALF(c, stem) PACKED(c, FP16, V##stem##PH) SCALAR(c, FP16, V##stem##SH)
#define V_FP_ALL(c, stem) V_FP_PACKED(c, stem) V_FP_SCALAR(c, stem)
#define FP_PACKED(c, stem) V_FP_PACKED(c, stem) PACKED(c, FP32, stem##PS) PACKED(c, FP64, stem##PD)
#define FP_SINGLE(c, stem) BOTH(c, FP32, stem##PS) EACH(c, FP32, stem##SS, V##stem##SS)
#define FP_ALL_BUT_HALF(c, stem)                                                                             \
    FP_PACKED(c, stem) V_FP_SCALAR(c, stem) SCALAR(c, FP32, stem##SS) SCALAR(c, FP64, stem##SD)
#define FP_ALL(c, stem) FP_ALL_BUT_HALF(c, stem) V_FP_HALF(c, stem)
/* three orders of operands, and the four-operand form of FMA4 */
#define V_FMA_PACKED(stem)                                                                                   \
    V_FP_PACKED(FMA, stem)                                                                                   \
    V_FP_PACKED(FMA, stem##132)                                                                              \
    V_FP_PACKED(FMA, stem##213)                                                                              \
    V_FP_PACKED(FMA, stem##231) WIDE(FMA, FP16, V##stem##132PH, V##stem##213PH, V##stem##231PH)
#define V_FMA(stem)                                                                                          \
    V_FMA_PACKED(stem)                                                                                       \
    V_FP_SCALAR(FMA, stem)                                                                                   \
    V_FP_SCALAR(FMA, stem##132)                                                                              \
    V_FP_SCALAR(FMA, stem##213)                                                                              \
    V_FP_SCALAR(FMA, stem##231) EACH(FMA, FP16, V##stem##132SH, V##stem##213SH, V##stem##231SH)

#define V_INT_B(c, stem) PACKED(c, INT8, V##stem##B)
#define V_INT_W(c, stem) PACKED(c, INT16, V##stem##W)
#define V_INT_D(c, stem) PACKED(c, INT32, V##stem##D)
#define V_INT_Q(c, stem) PACKED(c, INT64, V##stem##Q)
#define V_INT_DQ(c, stem) V_INT_D(c, stem) V_INT_Q(c, stem)
#define V_INT_WDQ(c, stem) V_INT_W(c, stem) V_INT_DQ(c, stem)
#define V_INT_BWDQ(c, stem) V_INT_B(c, stem) V_INT_WDQ(c, stem)
#define INT_B(c, stem) V_INT_B(c, stem) PACKED(c, INT8, stem##B)
#define INT_W(c, stem) V_INT_W(c, stem) PACKED(c, INT16, stem##W)
#define INT_D(c, stem) V_INT_D(c, stem) PACKED(c, INT32, stem##D)
#define INT_Q(c, stem) V_INT_Q(c, stem) PACKED(c, INT64, stem##Q)
#define INT_BW(c, stem) INT_B(c, stem) INT_W(c, stem)
#define INT_WD(c, stem) INT_W(c, stem) INT_D(c, stem)
#define INT_WDQ(c, stem) INT_WD(c, stem) INT_Q(c, stem)
#define INT_BWD(c, stem) INT_B(c, stem) INT_WD(c, stem)
#define INT_BWDQ(c, stem) INT_BWD(c, stem) INT_Q(c, stem)

static const struct x86_mnemonic mnemonics[ZYDIS_MNEMONIC_MAX_VALUE + 1] = {
#include "code/read/x86/mnemonics.def"
#ifdef ZYDIS_HAS_AADD
#include "code/read/x86/mnemonics_of_zydis_4_1.def"
#endif
#undef ROW
#define ROW(class_, element_, packed, name)                                                                  \
    [ZYDIS_MNEMONIC_##name] = {.class = (class_),                                                            \
                               .element = (element_),                                                        \
                               .is_packed = (packed),                                                        \
                               .is_known = true,                                                             \
                               .is_of_knights_corner = true},
#include "code/read/x86/knights_corner.def"
};

#define DO(o, unused, name) [ZYDIS_MNEMONIC_##name] = {.operation = operation_##o},
#define DO_BOTH(o, unused, name) DO(o, , name) DO(o, , V##name)
#define DO_FP(o, unused, stem) DO_BOTH(o, , stem##PS) DO_BOTH(o, , stem##PD)
#define TAKE(e, unused, name) [ZYDIS_MNEMONIC_##name] = {.takes = element_##e},
#define TAKE_BOTH(e, unused, name) TAKE(e, , name) TAKE(e, , V##name)
#define DECIDE(c, unused, name) [ZYDIS_MNEMONIC_##name] = {.condition = condition_##c},
#define DOES(o, ...) FOR_EACH(DO, o, , __VA_ARGS__)
#define DOES_BOTH(o, ...) FOR_EACH(DO_BOTH, o, , __VA_ARGS__)
#define DOES_FP(o, ...) FOR_EACH(DO_FP, o, , __VA_ARGS__)
#define TAKES(e, ...) FOR_EACH(TAKE, e, , __VA_ARGS__)
#define TAKES_BOTH(e, ...) FOR_EACH(TAKE_BOTH, e, , __VA_ARGS__)
#define DECIDES(c, ...) FOR_EACH(DECIDE, c, , __VA_ARGS__)

static const struct x86_operation operations[ZYDIS_MNEMONIC_MAX_VALUE + 1] = {
#include "code/read/x86/operations.def"
};

const struct x86_operation *x86_operation(ZydisMnemonic mnemonic)
{
    return &operations[mnemonic <= ZYDIS_MNEMONIC_MAX_VALUE ? mnemonic : 0];
}

const struct x86_mnemonic *x86_mnemonic(ZydisMnemonic mnemonic)
{
    return &mnemonics[mnemonic <= ZYDIS_MNEMONIC_MAX_VALUE ? mnemonic : 0];
}
