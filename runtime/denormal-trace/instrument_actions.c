/* What an operation of the intermediate code does, in the words of the log (trace_file.h). */
#include "stretch.h"
#include "trace_file.h"
#include "libvex_basictypes.h"
#include "libvex_ir.h"

static UInt of_sums(IROp op)
{
    switch (op) {
    case Iop_AddF64:
    case Iop_AddF32:
    case Iop_Add32F0x4:
    case Iop_Add64F0x2:
    case Iop_Add32Fx4:
    case Iop_Add32Fx8:
    case Iop_Add64Fx2:
    case Iop_Add64Fx4:
        return TRACE_ADD;
    case Iop_SubF64:
    case Iop_SubF32:
    case Iop_Sub32F0x4:
    case Iop_Sub64F0x2:
    case Iop_Sub32Fx4:
    case Iop_Sub32Fx8:
    case Iop_Sub64Fx2:
    case Iop_Sub64Fx4:
        return TRACE_SUBTRACT;
    case Iop_MAddF64:
    case Iop_MSubF64:
    case Iop_MAddF32:
    case Iop_MSubF32:
        return TRACE_MULTIPLY_ADD;
    default:
        return TRACE_OTHER;
    }
}

static UInt of_products(IROp op)
{
    switch (op) {
    case Iop_MulF64:
    case Iop_MulF32:
    case Iop_Mul32F0x4:
    case Iop_Mul64F0x2:
    case Iop_Mul32Fx4:
    case Iop_Mul32Fx8:
    case Iop_Mul64Fx2:
    case Iop_Mul64Fx4:
        return TRACE_MULTIPLY;
    case Iop_DivF64:
    case Iop_DivF32:
    case Iop_Div32F0x4:
    case Iop_Div64F0x2:
    case Iop_Div32Fx4:
    case Iop_Div32Fx8:
    case Iop_Div64Fx2:
    case Iop_Div64Fx4:
        return TRACE_DIVIDE;
    case Iop_SqrtF64:
    case Iop_SqrtF32:
    case Iop_Sqrt32F0x4:
    case Iop_Sqrt64F0x2:
    case Iop_Sqrt32Fx4:
    case Iop_Sqrt32Fx8:
    case Iop_Sqrt64Fx2:
    case Iop_Sqrt64Fx4:
        return TRACE_SQRT;
    default:
        return TRACE_OTHER;
    }
}

static UInt of_extremes(IROp op)
{
    switch (op) {
    case Iop_MinNumF64:
    case Iop_MinNumF32:
    case Iop_Min32F0x4:
    case Iop_Min64F0x2:
    case Iop_Min32Fx4:
    case Iop_Min32Fx8:
    case Iop_Min64Fx2:
    case Iop_Min64Fx4:
        return TRACE_MINIMUM;
    case Iop_MaxNumF64:
    case Iop_MaxNumF32:
    case Iop_Max32F0x4:
    case Iop_Max64F0x2:
    case Iop_Max32Fx4:
    case Iop_Max32Fx8:
    case Iop_Max64Fx2:
    case Iop_Max64Fx4:
        return TRACE_MAXIMUM;
    default:
        return TRACE_OTHER;
    }
}

/* Without a floating-point result: comparisons of two, conversions of one. */
UInt action_of(UInt op, const struct operation *operation)
{
    if (operation->result_bytes == 0)
        return operation->operands == 2 ? TRACE_COMPARE : TRACE_CONVERT;
    if (operation->bytes != operation->result_bytes)
        return TRACE_CONVERT;
    UInt action = of_sums(op);
    if (action == TRACE_OTHER)
        action = of_products(op);
    if (action == TRACE_OTHER)
        action = of_extremes(op);
    if (action != TRACE_OTHER)
        return action;
    switch (op) {
    case Iop_RoundF64toInt:
    case Iop_RoundF32toInt:
#ifdef VALGRIND_ROUNDS_TO_EVEN
    case Iop_RoundF64toIntA0:
    case Iop_RoundF64toIntE:
    case Iop_RoundF32toIntA0:
    case Iop_RoundF32toIntE:
#endif
    case Iop_RoundF32x4_RM:
    case Iop_RoundF32x4_RP:
    case Iop_RoundF32x4_RN:
    case Iop_RoundF32x4_RZ:
        return TRACE_ROUND;
    default:
        return TRACE_OTHER;
    }
}
