/* Inline tests: is a lane of this value denormal?

   The verdict of a stretch is the union of the tests of its values, in vector registers for vectors and in a
   general register for scalars; the guarded call at the end of the stretch looks at all.  A value is tested
   once in a stretch, however many operations use it.

   Vectors: of the bits without the sign, minus 1, only those of denormals are less than a limit; zero becomes
   all ones.  On x86 the least of them is kept by the processor's minimum of floating-point numbers, for
   positive ones are in the order of their bits; all ones are no number, and the minimum then is its second
   operand, so zeros are passed over.  AArch64's minimum is another, so there each value is compared at once:
   words as integers (twice the bits, minus 2, with a bias, as comparisons are signed), doubles as numbers.

   With settings.binades the limits are higher, so that normal numbers close to the denormals get to events.c
   too. */
#include "instrument.h"

static UInt single_magnitude[4]
    __attribute__((aligned(16))) = {0x7fffffff, 0x7fffffff, 0x7fffffff, 0x7fffffff};
static ULong double_magnitude[2] __attribute__((aligned(16))) = {~0ULL >> 1, ~0ULL >> 1};
static UInt single_infinity[4]
    __attribute__((aligned(16))) = {0x7f800000, 0x7f800000, 0x7f800000, 0x7f800000};
static ULong double_infinity[2] __attribute__((aligned(16))) = {0x7ff0000000000000ULL, 0x7ff0000000000000ULL};
static UInt single_bias[4] __attribute__((aligned(16))) = {0x7ffffffe, 0x7ffffffe, 0x7ffffffe, 0x7ffffffe};
static UInt single_limit[4] __attribute__((aligned(16)));
static ULong double_limit[2] __attribute__((aligned(16)));

enum constant {
    SINGLE_MAGNITUDE,
    DOUBLE_MAGNITUDE,
    SINGLE_INFINITY,
    DOUBLE_INFINITY,
    SINGLE_BIAS,
    SINGLE_LIMIT,
    DOUBLE_LIMIT,
    ONES,
    ZERO
};

/* Valgrind puts off what nothing needs yet, so all values of a stretch would stay in registers for the test
   at its end, of which there are too few: after so many the verdict so far is stored, which nobody reads. */
enum { VECTORS_IN_FLIGHT = 5 };

IRTemp emit(struct work *work, IRType type, IRExpr *expression)
{
    IRTemp number = newIRTemp(work->block->tyenv, type);
    addStmtToIRSB(work->block, IRStmt_WrTmp(number, expression));
    return number;
}

IRExpr *temporary(IRTemp number)
{
    return IRExpr_RdTmp(number);
}

static IRExpr *number64(ULong value)
{
    return IRExpr_Const(IRConst_U64(value));
}

static void limits_set(void)
{
#if defined(VGA_amd64)
    UInt single = ((settings.binades + 1) << 23) - 1;
    ULong number = ((ULong)(settings.binades + 1) << 52) - 1;
#else
    UInt single = 0x80000000 + ((settings.binades + 1) << 24) - 3;
    ULong number = (ULong)(settings.binades + 1) << 52;
#endif
    for (UInt i = 0; i < 4; i++)
        single_limit[i] = single;
    for (UInt i = 0; i < 2; i++)
        double_limit[i] = number;
}

static IRExpr *constant(struct work *work, enum constant which)
{
    static const void *const places[] = {single_magnitude, double_magnitude, single_infinity, double_infinity,
                                         single_bias,      single_limit,     double_limit};
    if (work->constants[which] == IRTemp_INVALID) {
        if (which == SINGLE_LIMIT || which == DOUBLE_LIMIT)
            limits_set();
        work->constants[which] =
            emit(work, Ity_V128,
                 which == ZERO   ? IRExpr_Const(IRConst_V128(0))
                 : which == ONES ? IRExpr_Const(IRConst_V128(0xffff))
                                 : IRExpr_Load(Iend_LE, Ity_V128, number64((ULong)(Addr)places[which])));
    }
    return temporary(work->constants[which]);
}

static IRExpr *binary(struct work *work, IRType type, IROp op, IRExpr *left, IRExpr *right)
{
    return temporary(emit(work, type, IRExpr_Binop(op, left, right)));
}

static IRExpr *unary(struct work *work, IRType type, IROp op, IRExpr *argument)
{
    return temporary(emit(work, type, IRExpr_Unop(op, argument)));
}

#if defined(VGA_amd64)
/* What is tested: bits of the magnitudes, minus 1. */
static IRExpr *test_vector(struct work *work, IRExpr *value, UInt width)
{
    IRExpr *magnitude = binary(work, Ity_V128, Iop_AndV128, value,
                               constant(work, width == 4 ? SINGLE_MAGNITUDE : DOUBLE_MAGNITUDE));
    return binary(work, Ity_V128, width == 4 ? Iop_Add32x4 : Iop_Add64x2, magnitude, constant(work, ONES));
}

static IRTemp unite_vectors(struct work *work, IRTemp all, IRTemp part, UInt width)
{
    IRExpr *before = all == IRTemp_INVALID ? constant(work, width == 4 ? SINGLE_INFINITY : DOUBLE_INFINITY)
                                           : temporary(all);
    return emit(work, Ity_V128,
                IRExpr_Binop(width == 4 ? Iop_Min32Fx4 : Iop_Min64Fx2, temporary(part), before));
}

/* Lanes of what was united that are denormal. */
static IRExpr *mask_of(struct work *work, IRTemp all, UInt width)
{
    return width == 4 ? binary(work, Ity_V128, Iop_CmpGT32Sx4, constant(work, SINGLE_LIMIT), temporary(all))
                      : binary(work, Ity_V128, Iop_CmpLT64Fx2, temporary(all), constant(work, DOUBLE_LIMIT));
}
#else
static IRExpr *test_vector(struct work *work, IRExpr *value, UInt width)
{
    if (width == 4) {
        IRExpr *doubled = binary(work, Ity_V128, Iop_Add32x4, value, value);
        IRExpr *biased = binary(work, Ity_V128, Iop_Add32x4, doubled, constant(work, SINGLE_BIAS));
        return binary(work, Ity_V128, Iop_CmpGT32Sx4, constant(work, SINGLE_LIMIT), biased);
    }
    IRExpr *magnitude = binary(work, Ity_V128, Iop_AndV128, value, constant(work, DOUBLE_MAGNITUDE));
    IRExpr *small = binary(work, Ity_V128, Iop_CmpLT64Fx2, magnitude, constant(work, DOUBLE_LIMIT));
    IRExpr *something = binary(work, Ity_V128, Iop_CmpLT64Fx2, constant(work, ZERO), magnitude);
    return binary(work, Ity_V128, Iop_AndV128, small, something);
}

static IRTemp unite_vectors(struct work *work, IRTemp all, IRTemp part, UInt width)
{
    (void)width;
    return all == IRTemp_INVALID
               ? part
               : emit(work, Ity_V128, IRExpr_Binop(Iop_OrV128, temporary(all), temporary(part)));
}

static IRExpr *mask_of(struct work *work, IRTemp all, UInt width)
{
    (void)work, (void)width;
    return temporary(all);
}
#endif

static IRExpr *test_word(struct work *work, IRExpr *bits)
{
    IRExpr *doubled = binary(work, Ity_I32, Iop_Shl32, bits, IRExpr_Const(IRConst_U8(1)));
    IRExpr *less = binary(work, Ity_I32, Iop_Sub32, doubled, IRExpr_Const(IRConst_U32(2)));
    UInt limit = ((settings.binades + 1) << 24) - 3;
    IRExpr *is = binary(work, Ity_I1, Iop_CmpLT32U, less, IRExpr_Const(IRConst_U32(limit)));
    return unary(work, Ity_I64, Iop_1Uto64, is);
}

static IRExpr *test_double_word(struct work *work, IRExpr *bits, UInt width)
{
    if (width == 4)
        return binary(work, Ity_I64, Iop_Or64, test_word(work, unary(work, Ity_I32, Iop_64to32, bits)),
                      test_word(work, unary(work, Ity_I32, Iop_64HIto32, bits)));
    IRExpr *doubled = binary(work, Ity_I64, Iop_Shl64, bits, IRExpr_Const(IRConst_U8(1)));
    IRExpr *less = binary(work, Ity_I64, Iop_Sub64, doubled, number64(2));
    ULong limit = ((ULong)(settings.binades + 1) << 53) - 3;
    IRExpr *is = binary(work, Ity_I1, Iop_CmpLT64U, less, number64(limit));
    return unary(work, Ity_I64, Iop_1Uto64, is);
}

/* A V128 for vectors, an I64 (0: no) for scalars; NULL where the value has no lane so wide. */
static IRExpr *test(struct work *work, const struct cell *cell, UInt width)
{
    IRExpr *value = temporary(cell->temporary);
    switch (cell->type) {
    case Ity_F32:
        value = unary(work, Ity_I32, Iop_ReinterpF32asI32, value); /* fall through */
    case Ity_I32:
        return width == 4 ? test_word(work, value) : NULL;
    case Ity_F64:
        value = unary(work, Ity_I64, Iop_ReinterpF64asI64, value); /* fall through */
    case Ity_I64:
        return test_double_word(work, value, width);
    case Ity_V128:
        return test_vector(work, value, width);
    case Ity_V256: {
        IRExpr *low = test_vector(work, unary(work, Ity_V128, Iop_V256toV128_0, value), width);
        IRExpr *high = test_vector(work, unary(work, Ity_V128, Iop_V256toV128_1, value), width);
        IRTemp first = unite_vectors(work, IRTemp_INVALID, low->Iex.RdTmp.tmp, width);
        return temporary(unite_vectors(work, first, high->Iex.RdTmp.tmp, width));
    }
    default:
        return NULL;
    }
}

static void unite(struct work *work, IRTemp *verdict, IRTemp part)
{
    *verdict = *verdict == IRTemp_INVALID
                   ? part
                   : emit(work, Ity_I64, IRExpr_Binop(Iop_Or64, temporary(*verdict), temporary(part)));
}

static IRTemp tested(struct work *work, struct cell *cell, UInt width)
{
    UInt index = width == 8;
    if (cell->test[index] == IRTemp_INVALID) {
        IRExpr *made = test(work, cell, width);
        if (made)
            cell->test[index] = made->Iex.RdTmp.tmp;
    }
    return cell->test[index];
}

static Bool is_vector(const struct cell *cell)
{
    return cell->type == Ity_V128 || cell->type == Ity_V256;
}

void verdict_add_cell(struct work *work, UInt number, UInt width)
{
    struct cell *cell = &work->cells[number];
    if (cell->counted[width == 8])
        return;
    cell->counted[width == 8] = True;
    IRTemp part = tested(work, cell, width);
    if (part == IRTemp_INVALID)
        return;
    IRTemp *vectors = &work->vector_verdict[width == 8];
    if (is_vector(cell)) {
        *vectors = unite_vectors(work, *vectors, part, width);
        if (++work->vectors_tested % VECTORS_IN_FLIGHT == 0)
            addStmtToIRSB(work->block, IRStmt_Put(area_offset + 4 * SO_FAR_WORD, temporary(*vectors)));
    } else
        unite(work, &work->integer_verdict, part);
}

static IRExpr *page_entry(struct work *work, IRExpr *address)
{
    IRExpr *page = binary(work, Ity_I64, Iop_Shr64, address, IRExpr_Const(IRConst_U8(PAGE_BITS)));
    IRExpr *index = binary(work, Ity_I64, Iop_And64, page, number64(PAGE_ENTRIES - 1));
    IRExpr *place = binary(work, Ity_I64, Iop_Add64, index, number64((ULong)(Addr)pages_of_interest));
    return temporary(emit(work, Ity_I8, IRExpr_Load(Iend_LE, Ity_I8, place)));
}

void verdict_add_page(struct work *work, IRExpr *address)
{
    IRExpr *part = unary(work, Ity_I64, Iop_8Uto64, page_entry(work, address));
    unite(work, &work->page_verdict, part->Iex.RdTmp.tmp);
}

static IRExpr *any_lane(struct work *work, IRExpr *mask)
{
    return binary(work, Ity_I64, Iop_Or64, unary(work, Ity_I64, Iop_V128to64, mask),
                  unary(work, Ity_I64, Iop_V128HIto64, mask));
}

static IRExpr *mask_of_cell(struct work *work, struct cell *cell, UInt width)
{
    return mask_of(work, unite_vectors(work, IRTemp_INVALID, tested(work, cell, width), width), width);
}

void verdict_add_cell_on_page(struct work *work, UInt number, IRExpr *address)
{
    struct cell *cell = &work->cells[number];
    IRExpr *mask =
        binary(work, Ity_V128, Iop_OrV128, mask_of_cell(work, cell, 4), mask_of_cell(work, cell, 8));
    IRExpr *interesting = unary(work, Ity_I1, Iop_CmpNEZ8, page_entry(work, address));
    unite(work, &work->integer_verdict,
          emit(work, Ity_I64, IRExpr_ITE(interesting, any_lane(work, mask), number64(0))));
}

/* Of floating-point values; IRTemp_INVALID: none were tested. */
static IRTemp verdict_of_values(struct work *work)
{
    IRTemp all = work->integer_verdict;
    IRExpr *mask = NULL;
    for (UInt i = 0; i < 2; i++)
        if (work->vector_verdict[i] != IRTemp_INVALID) {
            IRExpr *here = mask_of(work, work->vector_verdict[i], i ? 8 : 4);
            mask = mask ? binary(work, Ity_V128, Iop_OrV128, mask, here) : here;
        }
    if (mask)
        unite(work, &all, any_lane(work, mask)->Iex.RdTmp.tmp);
    return all;
}

IRExpr *verdict(struct work *work)
{
    IRTemp all = verdict_of_values(work);
    if (work->page_verdict != IRTemp_INVALID) {
        IRExpr *values = all == IRTemp_INVALID ? number64(0) : temporary(all);
        addStmtToIRSB(work->block, IRStmt_Put(area_offset + 4 * VERDICT_WORD, values));
        unite(work, &all, work->page_verdict);
    }
    if (work->has_integer_store) {
        IRTemp under_way =
            emit(work, Ity_I8, IRExpr_Load(Iend_LE, Ity_I8, number64((ULong)(Addr)&moves_under_way)));
        unite(work, &all, unary(work, Ity_I64, Iop_8Uto64, temporary(under_way))->Iex.RdTmp.tmp);
    }
    return all == IRTemp_INVALID ? NULL : unary(work, Ity_I1, Iop_CmpNEZ64, temporary(all));
}
