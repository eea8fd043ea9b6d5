#include "model/elements.h"

unsigned element_bits(enum element element)
{
    switch (element) {
    case element_INT8:
        return 8;
    case element_INT16:
    case element_FP16:
    case element_BF16:
        return 16;
    case element_INT32:
    case element_FP32:
        return 32;
    case element_INT64:
    case element_FP64:
        return 64;
    case element_X87:
        return 80;
    default:
        return 0;
    }
}

enum element element_integer(unsigned bits)
{
    switch (bits) {
    case 8:
        return element_INT8;
    case 16:
        return element_INT16;
    case 32:
        return element_INT32;
    case 64:
        return element_INT64;
    case 128:
        return element_INT128;
    default:
        return element_NONE;
    }
}

enum element element_float(unsigned bits)
{
    return bits == 16 ? element_FP16 : bits == 32 ? element_FP32 : bits == 64 ? element_FP64 : element_NONE;
}
