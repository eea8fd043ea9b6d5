/* plugins LIBRARY FUNCTION UNITS…: loads each library, calls its function, unloads it.  With -DNAME=… the
   library: its function is NAME. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef NAME
void NAME(long count)
{
    static volatile unsigned long sum;
    unsigned long value = 1;
    for (long i = 0; i < count; i++)
        value = value * 6364136223846793005UL + 1;
    sum += value;
}
#else
int main(int count, char **words)
{
    for (int i = 1; i + 2 < count; i += 3) {
        void *library = dlopen(words[i], RTLD_NOW);
        if (!library) {
            fprintf(stderr, "%s\n", dlerror());
            return 1;
        }
        void (*function)(long) = (void (*)(long))dlsym(library, words[i + 1]);
        printf("%p\n", (void *)function);
        function(atol(words[i + 2]) * 1000000);
        dlclose(library);
    }
    return 0;
}
#endif
