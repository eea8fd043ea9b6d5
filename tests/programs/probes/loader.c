/* Loads a library by its path and calls it. */
#include <dlfcn.h>
#include <stdio.h>
int main(int count, char **words)
{
    void *library = dlopen(words[count - 1], RTLD_NOW);
    int (*many)(int) = library ? (int (*)(int))dlsym(library, "late_many") : NULL;
    printf("%d\n", many ? many(1234) : -1);
    return !many;
}
