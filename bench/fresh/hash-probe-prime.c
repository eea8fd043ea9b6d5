/* Look-ups in a table of open addresses, whose size is a prime that is known at run time.
   build: gcc -O2
   cure: divide-less -DCURE=1
   best: -DCURE=1 */
#include "fresh.h"
enum { ASKED = 1000 };
static uint64_t table[4096], asked[ASKED];
KERNEL int kernel(const uint64_t *slots, uint64_t size, const uint64_t *keys, int n)
{
    int found = 0;
    for (int i = 0; i < n; i++) {
#if CURE == 1
        uint64_t place = keys[i] * 0x9e3779b97f4a7c15 >> 52;
        while (slots[place] && slots[place] != keys[i])
            place = (place + 1) & 4095;
#else
        uint64_t place = keys[i] % size;
        while (slots[place] && slots[place] != keys[i])
            place = (place + 1) % size;
#endif
        found += slots[place] == keys[i];
    }
    return found;
}
void set_up(void)
{
    for (int i = 0; i < ASKED; i++) {
        asked[i] = (uint64_t)draw() << 20 | draw() | 1;
#if CURE == 1
        uint64_t place = asked[i] * 0x9e3779b97f4a7c15 >> 52;
        while (table[place])
            place = (place + 1) & 4095;
#else
        uint64_t place = asked[i] % 4093;
        while (table[place])
            place = (place + 1) % 4093;
#endif
        table[place] = asked[i];
    }
}
void run(void)
{
    total = kernel(table, 4093, asked, ASKED);
}
RESULT_TOTAL
