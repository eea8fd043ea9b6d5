/* Results in a structure behind a pointer; characters may overlap anything, so all of them are stored for each.
   build: gcc -O2
   says: stores potential keep-local restrict
   remedy: stores restrict -DRESTRICT=restrict
   measured: stores restrict neoverse-v1 2.40
   remedy: stores keep-local -DREMEDY
   measured: stores keep-local neoverse-v1 2.38 */
#include <stdint.h>
typedef unsigned char number;
#include "arrays.h"
#ifndef RESTRICT
#define RESTRICT
#endif

struct check {
    uint64_t sum, mixed, any, all;
};

KERNEL void kernel(unsigned char *RESTRICT to, const unsigned char *RESTRICT from, struct check *RESTRICT check, int n)
{
#ifdef REMEDY
    struct check local = *check;
    for (int i = 0; i < n; i++) {
        uint64_t value = from[i];
        to[i] = (unsigned char) (value + 1);
        local.sum += value;
        local.mixed ^= value * 3;
        local.any |= value;
        local.all &= value;
    }
    *check = local;
#else
    for (int i = 0; i < n; i++) {
        uint64_t value = from[i];
        to[i] = (unsigned char) (value + 1);
        check->sum += value;
        check->mixed ^= value * 3;
        check->any |= value;
        check->all &= value;
    }
#endif
}

void run(void)
{
    struct check check = {0, 0, 0, 255};
    kernel(y, x, &check, N);
    total = (double) (check.sum + check.mixed + check.any + check.all);
}
