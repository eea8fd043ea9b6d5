/* Instructions that are certain to be what they look like, so that programs know their own number of events.
 */
#ifndef COUNTED_H
#define COUNTED_H
#include <stdio.h>

static volatile float tiny_float = 0x1p-140f, one_float = 1, small_float = 0x1p-100f, result_float;
static volatile double tiny_double = 0x1p-1060, result_double;

/* One operand event, no underflow: a denormal is added to a normal number. */
static inline void operand_event(void)
{
    float value = one_float, tiny = tiny_float;
    __asm__ volatile("addss %1, %0" : "+x"(value) : "x"(tiny));
    result_float = value;
}

/* One underflow event: the product of two small numbers, too small even for a denormal. */
static inline void underflow_event(void)
{
    float value = small_float;
    __asm__ volatile("mulss %0, %0" : "+x"(value));
    result_float = value;
}

/* Both: a denormal plus itself. */
static inline void double_event(void)
{
    float value = tiny_float;
    __asm__ volatile("addss %0, %0" : "+x"(value));
    result_float = value;
}
#endif
