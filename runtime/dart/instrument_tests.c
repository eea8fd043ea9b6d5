/* Inline tests: is a lane of this value denormal?

   The verdict of a stretch is the union of the tests of its values, in a vector register for vectors and in a
   general register for scalars; the guarded call at the end of the stretch looks at both.  A value is tested
   once in a superblock, however many stretches and operations use it.

   Singles: twice the bits drop the sign; of these, minus 2 and as unsigned, only denormals are at most
   0x00fffffc. SSE2 compares signed words only, hence the bias.  Doubles: no 64-bit compare there, so the
   comparison is done in floating point, 0 < |x| < smallest normal number; it costs extra only where there is
   a denormal.

   With settings.binades, results are compared with a higher limit, so that normal numbers close to the
   denormals get to events.c too. */
#include "instrument.h"

static UInt single_bias[4] __attribute__((aligned(16))) = {0x7ffffffe, 0x7ffffffe, 0x7ffffffe, 0x7ffffffe};
static UInt single_limit[4] __attribute__((aligned(16))) = {0x80fffffd, 0x80fffffd, 0x80fffffd, 0x80fffffd};
static UInt single_near[4] __attribute__((aligned(16)));
static ULong double_magnitude[2]
    __attribute__((aligned(16))) = {0x7fffffffffffffffULL, 0x7fffffffffffffffULL};
static ULong double_limit[2] __attribute__((aligned(16))) = {0x0010000000000000ULL, 0x0010000000000000ULL};
static ULong double_near[2] __attribute__((aligned(16)));

enum constant { SINGLE_BIAS, SINGLE_LIMIT, SINGLE_NEAR, DOUBLE_MAGNITUDE, DOUBLE_LIMIT, DOUBLE_NEAR, ZERO };

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

static IRExpr *constant(struct work *work, enum constant which)
{
    static const void *const places[] = {single_bias,      single_limit, single_near,
                                         double_magnitude, double_limit, double_near};
    if (work->constants[which] == IRTemp_INVALID) {
        for (UInt i = 0; i < 4; i++)
            single_near[i] = 0x80fffffd + (settings.binades << 24);
        for (UInt i = 0; i < 2; i++)
            double_near[i] = (ULong)(settings.binades + 1) << 52;
        work->constants[which] =
            emit(work, Ity_V128,
                 which == ZERO ? IRExpr_Const(IRConst_V128(0))
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

static IRExpr *test_vector(struct work *work, IRExpr *value, UInt width, Bool near)
{
    if (width == 4) {
        IRExpr *doubled = binary(work, Ity_V128, Iop_Add32x4, value, value);
        IRExpr *biased = binary(work, Ity_V128, Iop_Add32x4, doubled, constant(work, SINGLE_BIAS));
        return binary(work, Ity_V128, Iop_CmpGT32Sx4, constant(work, near ? SINGLE_NEAR : SINGLE_LIMIT),
                      biased);
    }
    IRExpr *magnitude = binary(work, Ity_V128, Iop_AndV128, value, constant(work, DOUBLE_MAGNITUDE));
    IRExpr *small =
        binary(work, Ity_V128, Iop_CmpLT64Fx2, magnitude, constant(work, near ? DOUBLE_NEAR : DOUBLE_LIMIT));
    IRExpr *something = binary(work, Ity_V128, Iop_CmpLT64Fx2, constant(work, ZERO), magnitude);
    return binary(work, Ity_V128, Iop_AndV128, small, something);
}

static IRExpr *test_word(struct work *work, IRExpr *bits, Bool near)
{
    IRExpr *doubled = binary(work, Ity_I32, Iop_Shl32, bits, IRExpr_Const(IRConst_U8(1)));
    IRExpr *less = binary(work, Ity_I32, Iop_Sub32, doubled, IRExpr_Const(IRConst_U32(2)));
    UInt limit = 0x00fffffd + (near ? settings.binades << 24 : 0);
    IRExpr *is = binary(work, Ity_I1, Iop_CmpLT32U, less, IRExpr_Const(IRConst_U32(limit)));
    return unary(work, Ity_I64, Iop_1Uto64, is);
}

static IRExpr *test_double_word(struct work *work, IRExpr *bits, UInt width, Bool near)
{
    if (width == 4)
        return binary(work, Ity_I64, Iop_Or64, test_word(work, unary(work, Ity_I32, Iop_64to32, bits), near),
                      test_word(work, unary(work, Ity_I32, Iop_64HIto32, bits), near));
    IRExpr *doubled = binary(work, Ity_I64, Iop_Shl64, bits, IRExpr_Const(IRConst_U8(1)));
    IRExpr *less = binary(work, Ity_I64, Iop_Sub64, doubled, number64(2));
    ULong limit = 0x001ffffffffffffdULL + (near ? (ULong)settings.binades << 53 : 0);
    IRExpr *is = binary(work, Ity_I1, Iop_CmpLT64U, less, number64(limit));
    return unary(work, Ity_I64, Iop_1Uto64, is);
}

/* A V128 mask for vectors, an I64 (0: no) for scalars; NULL where the value has no lane so wide. */
static IRExpr *test(struct work *work, const struct cell *cell, UInt width)
{
    IRExpr *value = temporary(cell->temporary);
    Bool near = cell->result && settings.binades != 0;
    switch (cell->type) {
    case Ity_F32:
        value = unary(work, Ity_I32, Iop_ReinterpF32asI32, value); /* fall through */
    case Ity_I32:
        return width == 4 ? test_word(work, value, near) : NULL;
    case Ity_F64:
        value = unary(work, Ity_I64, Iop_ReinterpF64asI64, value); /* fall through */
    case Ity_I64:
        return test_double_word(work, value, width, near);
    case Ity_V128:
        return test_vector(work, value, width, near);
    case Ity_V256:
        return binary(work, Ity_V128, Iop_OrV128,
                      test_vector(work, unary(work, Ity_V128, Iop_V256toV128_0, value), width, near),
                      test_vector(work, unary(work, Ity_V128, Iop_V256toV128_1, value), width, near));
    default:
        return NULL;
    }
}

static void unite(struct work *work, IRTemp *verdict, IRType type, IROp op, IRTemp part)
{
    *verdict = *verdict == IRTemp_INVALID
                   ? part
                   : emit(work, type, IRExpr_Binop(op, temporary(*verdict), temporary(part)));
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
    if (is_vector(cell))
        unite(work, &work->vector_verdict, Ity_V128, Iop_OrV128, part);
    else
        unite(work, &work->integer_verdict, Ity_I64, Iop_Or64, part);
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
    unite(work, &work->integer_verdict, Ity_I64, Iop_Or64, part->Iex.RdTmp.tmp);
}

static IRExpr *any_lane(struct work *work, IRTemp mask)
{
    return binary(work, Ity_I64, Iop_Or64, unary(work, Ity_I64, Iop_V128to64, temporary(mask)),
                  unary(work, Ity_I64, Iop_V128HIto64, temporary(mask)));
}

void verdict_add_cell_on_page(struct work *work, UInt number, IRExpr *address)
{
    struct cell *cell = &work->cells[number];
    IRExpr *mask = binary(work, Ity_V128, Iop_OrV128, temporary(tested(work, cell, 4)),
                          temporary(tested(work, cell, 8)));
    IRExpr *interesting = unary(work, Ity_I1, Iop_CmpNEZ8, page_entry(work, address));
    IRTemp part =
        emit(work, Ity_I64, IRExpr_ITE(interesting, any_lane(work, mask->Iex.RdTmp.tmp), number64(0)));
    unite(work, &work->integer_verdict, Ity_I64, Iop_Or64, part);
}

IRExpr *verdict(struct work *work)
{
    IRTemp all = work->integer_verdict;
    if (work->vector_verdict != IRTemp_INVALID)
        unite(work, &all, Ity_I64, Iop_Or64, any_lane(work, work->vector_verdict)->Iex.RdTmp.tmp);
    return all == IRTemp_INVALID ? NULL : unary(work, Ity_I1, Iop_CmpNEZ64, temporary(all));
}
