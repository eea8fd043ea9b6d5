/* Called from loops.f90. */
void touch_(int *i);
void touch_(int *i)
{
    __asm__ volatile("" : : "r"(i) : "memory");
}
