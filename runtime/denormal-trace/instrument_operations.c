/* Which operations of the intermediate code are floating-point arithmetic, and on what.

   x86 signals a denormal operand in arithmetic, comparisons, minima and conversions between formats, but not
   where it rounds to an integer or estimates a reciprocal; these have traps False.  Sign changes are not
   arithmetic on any processor. */
#include "stretch.h"
#include "libvex_basictypes.h"
#include "libvex_ir.h"

static enum operation_kind known(struct operation *operation, UInt operands, UInt bytes, UInt result_bytes,
                                 UInt lanes)
{
    *operation = (struct operation){
        .operands = operands, .bytes = bytes, .result_bytes = result_bytes, .lanes = lanes, .traps = True};
    return operation_KNOWN;
}

static enum operation_kind lane_zero(struct operation *operation, UInt operands, UInt bytes,
                                     UInt result_bytes)
{
    known(operation, operands, bytes, result_bytes, 1);
    operation->scalar = True;
    return operation_KNOWN;
}

static enum operation_kind quiet(struct operation *operation, UInt bytes, UInt result_bytes, UInt lanes)
{
    known(operation, 1, bytes, result_bytes, lanes);
    operation->traps = False;
    return operation_KNOWN;
}

static enum operation_kind scalars(IROp op, struct operation *operation)
{
    switch (op) {
    case Iop_AddF64:
    case Iop_SubF64:
    case Iop_MulF64:
    case Iop_DivF64:
    case Iop_MaxNumF64:
    case Iop_MinNumF64:
    case Iop_AtanF64:
    case Iop_Yl2xF64:
    case Iop_Yl2xp1F64:
    case Iop_PRemF64:
    case Iop_PRem1F64:
    case Iop_ScaleF64:
        return known(operation, 2, 8, 8, 1);
    case Iop_AddF32:
    case Iop_SubF32:
    case Iop_MulF32:
    case Iop_DivF32:
    case Iop_MaxNumF32:
    case Iop_MinNumF32:
        return known(operation, 2, 4, 4, 1);
    case Iop_SqrtF64:
    case Iop_SinF64:
    case Iop_CosF64:
    case Iop_TanF64:
    case Iop_2xm1F64:
        return known(operation, 1, 8, 8, 1);
    case Iop_SqrtF32:
        return known(operation, 1, 4, 4, 1);
    case Iop_MAddF64:
    case Iop_MSubF64:
        return known(operation, 3, 8, 8, 1);
    case Iop_MAddF32:
    case Iop_MSubF32:
        return known(operation, 3, 4, 4, 1);
    case Iop_CmpF64:
        return known(operation, 2, 8, 0, 1);
    case Iop_CmpF32:
        return known(operation, 2, 4, 0, 1);
    case Iop_F32toF64:
        return known(operation, 1, 4, 8, 1);
    case Iop_F64toF32:
        return known(operation, 1, 8, 4, 1);
    case Iop_F64toI16S:
    case Iop_F64toI32S:
    case Iop_F64toI32U:
    case Iop_F64toI64S:
    case Iop_F64toI64U:
        return quiet(operation, 8, 0, 1);
    case Iop_F32toI32S:
    case Iop_F32toI32U:
    case Iop_F32toI64S:
    case Iop_F32toI64U:
        return quiet(operation, 4, 0, 1);
    case Iop_RoundF64toInt:
#ifdef VALGRIND_ROUNDS_TO_EVEN
    case Iop_RoundF64toIntA0:
    case Iop_RoundF64toIntE:
#endif
    case Iop_RecpExpF64:
        return quiet(operation, 8, 8, 1);
    case Iop_RoundF32toInt:
#ifdef VALGRIND_ROUNDS_TO_EVEN
    case Iop_RoundF32toIntA0:
    case Iop_RoundF32toIntE:
#endif
    case Iop_RecpExpF32:
        return quiet(operation, 4, 4, 1);
    default:
        return operation_NONE;
    }
}

static enum operation_kind lanes_zero(IROp op, struct operation *operation)
{
    switch (op) {
    case Iop_Add32F0x4:
    case Iop_Sub32F0x4:
    case Iop_Mul32F0x4:
    case Iop_Div32F0x4:
    case Iop_Max32F0x4:
    case Iop_Min32F0x4:
        return lane_zero(operation, 2, 4, 4);
    case Iop_Add64F0x2:
    case Iop_Sub64F0x2:
    case Iop_Mul64F0x2:
    case Iop_Div64F0x2:
    case Iop_Max64F0x2:
    case Iop_Min64F0x2:
        return lane_zero(operation, 2, 8, 8);
    case Iop_CmpEQ32F0x4:
    case Iop_CmpLT32F0x4:
    case Iop_CmpLE32F0x4:
    case Iop_CmpUN32F0x4:
        return lane_zero(operation, 2, 4, 0);
    case Iop_CmpEQ64F0x2:
    case Iop_CmpLT64F0x2:
    case Iop_CmpLE64F0x2:
    case Iop_CmpUN64F0x2:
        return lane_zero(operation, 2, 8, 0);
    case Iop_Sqrt32F0x4:
        return lane_zero(operation, 1, 4, 4);
    case Iop_Sqrt64F0x2:
        return lane_zero(operation, 1, 8, 8);
    case Iop_RecipEst32F0x4:
    case Iop_RSqrtEst32F0x4:
        lane_zero(operation, 1, 4, 4);
        operation->traps = False;
        return operation_KNOWN;
    default:
        return operation_NONE;
    }
}

static enum operation_kind singles(IROp op, struct operation *operation)
{
    switch (op) {
    case Iop_Add32Fx4:
    case Iop_Sub32Fx4:
    case Iop_Mul32Fx4:
    case Iop_Div32Fx4:
    case Iop_Max32Fx4:
    case Iop_Min32Fx4:
    case Iop_RecipStep32Fx4:
    case Iop_RSqrtStep32Fx4:
        return known(operation, 2, 4, 4, 4);
    case Iop_Add32Fx8:
    case Iop_Sub32Fx8:
    case Iop_Mul32Fx8:
    case Iop_Div32Fx8:
    case Iop_Max32Fx8:
    case Iop_Min32Fx8:
        return known(operation, 2, 4, 4, 8);
    case Iop_CmpEQ32Fx4:
    case Iop_CmpLT32Fx4:
    case Iop_CmpLE32Fx4:
    case Iop_CmpUN32Fx4:
    case Iop_CmpGT32Fx4:
    case Iop_CmpGE32Fx4:
        return known(operation, 2, 4, 0, 4);
    case Iop_Sqrt32Fx4:
        return known(operation, 1, 4, 4, 4);
    case Iop_Sqrt32Fx8:
        return known(operation, 1, 4, 4, 8);
    case Iop_RecipEst32Fx4:
    case Iop_RSqrtEst32Fx4:
    case Iop_RoundF32x4_RM:
    case Iop_RoundF32x4_RP:
    case Iop_RoundF32x4_RN:
    case Iop_RoundF32x4_RZ:
        return quiet(operation, 4, 4, 4);
    case Iop_RecipEst32Fx8:
    case Iop_RSqrtEst32Fx8:
        return quiet(operation, 4, 4, 8);
    case Iop_F32toI32Ux4_RZ:
    case Iop_F32toI32Sx4_RZ:
    case Iop_QF32toI32Ux4_RZ:
    case Iop_QF32toI32Sx4_RZ:
    case Iop_F32toI32Sx4:
        return quiet(operation, 4, 0, 4);
    case Iop_F32toI32Sx8:
        return quiet(operation, 4, 0, 8);
    default:
        return operation_NONE;
    }
}

static enum operation_kind doubles(IROp op, struct operation *operation)
{
    switch (op) {
    case Iop_Add64Fx2:
    case Iop_Sub64Fx2:
    case Iop_Mul64Fx2:
    case Iop_Div64Fx2:
    case Iop_Max64Fx2:
    case Iop_Min64Fx2:
    case Iop_RecipStep64Fx2:
    case Iop_RSqrtStep64Fx2:
        return known(operation, 2, 8, 8, 2);
    case Iop_Add64Fx4:
    case Iop_Sub64Fx4:
    case Iop_Mul64Fx4:
    case Iop_Div64Fx4:
    case Iop_Max64Fx4:
    case Iop_Min64Fx4:
        return known(operation, 2, 8, 8, 4);
    case Iop_CmpEQ64Fx2:
    case Iop_CmpLT64Fx2:
    case Iop_CmpLE64Fx2:
    case Iop_CmpUN64Fx2:
        return known(operation, 2, 8, 0, 2);
    case Iop_Sqrt64Fx2:
        return known(operation, 1, 8, 8, 2);
    case Iop_Sqrt64Fx4:
        return known(operation, 1, 8, 8, 4);
    case Iop_RecipEst64Fx2:
    case Iop_RSqrtEst64Fx2:
        return quiet(operation, 8, 8, 2);
    default:
        return operation_NONE;
    }
}

/* Arithmetic that is not followed: half precision, 128 bits, and what no decoder of today's two guests makes.
 */
static enum operation_kind unseen(IROp op)
{
    switch (op) {
    case Iop_SqrtF16:
    case Iop_AddF16:
    case Iop_SubF16:
    case Iop_CmpF16:
    case Iop_F16toF64:
    case Iop_F64toF16:
    case Iop_F16toF32:
    case Iop_F32toF16:
    case Iop_F32toF16x4_DEP:
    case Iop_F16toF32x4:
    case Iop_F32toF16x8:
    case Iop_F16toF32x8:
    case Iop_AddF128:
    case Iop_SubF128:
    case Iop_MulF128:
    case Iop_DivF128:
    case Iop_SqrtF128:
    case Iop_PwMax32Fx4:
    case Iop_PwMin32Fx4:
    case Iop_PwAdd32Fx2:
    case Iop_Add32Fx2:
    case Iop_Sub32Fx2:
    case Iop_Mul32Fx2:
    case Iop_Max32Fx2:
    case Iop_Min32Fx2:
        return operation_UNSEEN;
    default:
        return operation_NONE;
    }
}

enum operation_kind operation_of(UInt op, struct operation *operation)
{
    enum operation_kind kind = scalars(op, operation);
    if (kind == operation_NONE)
        kind = lanes_zero(op, operation);
    if (kind == operation_NONE)
        kind = singles(op, operation);
    if (kind == operation_NONE)
        kind = doubles(op, operation);
    return kind == operation_NONE ? unseen(op) : kind;
}
