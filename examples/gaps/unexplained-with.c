/* Follows a list of 64 nodes in as many pages.  Their 64 lines fit the first cache, and each has a set of
   its own, but Neoverse V1 keeps the addresses of 48 pages at hand (TLB): no rule knows that.  In
   unexplained-without.c the list has 40 nodes.

   Neoverse V1: 8.3 cycles a step, 4.04 without; predicted: 4.0. */
#define NODES 64
#define DISTANCE 4160
#define STEPS 100000000
#include "sets-with.c"
