/* Functions that nobody calls by name, each with a loop: through a table of pointers, by an address that code takes, and
   not at all; and functions with labels that data points to, which are not functions.  Needs no library. */
typedef int work(int *, int);

static int through_table_1(int *a, int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s = (s ^ a[i]) * 3;
    return s;
}

static int through_table_2(int *a, int n)
{
    int s = 1;
    for (int i = n; i > 0; i--)
        s = (s + a[i]) * 5;
    return s;
}

static int taken(int *a, int n)
{
    int s = 2;
    for (int i = 0; i < n; i += 2)
        s = (s - a[i]) * 7;
    return s;
}

__attribute__((used)) static int unused_1(int *a, int n)
{
    int s = 3;
    for (int i = 0; i < n; i += 3)
        s = (s - a[i]) * 9;
    return s;
}

__attribute__((used)) static int unused_2(int *a, int n)
{
    int s = 4;
    for (int i = 0; i < n; i += 4)
        s = (s - a[i]) * 11;
    return s;
}

__attribute__((noinline)) static int with_labels(const unsigned char *code, int *a)
{
    static const void *const labels[] = {&&add, &&multiply, &&negate, &&stop};
    int s = 0;
    goto *labels[*code++ & 3];
add:
    s += *a++;
    goto *labels[*code++ & 3];
multiply:
    s *= *a++;
    goto *labels[*code++ & 3];
negate:
    s = -s;
    goto *labels[*code++ & 3];
stop:
    return s;
}

__attribute__((noinline)) static int with_switch(int which, int *a)
{
    switch (which) {
    case 0: return a[0];
    case 1: return a[3] * a[1];
    case 2: return a[2] - 5;
    case 3: return a[7] / 3;
    case 4: return a[5] ^ a[6];
    case 5: return a[9] << 3;
    default: return 17;
    }
}

work *volatile table[] = {through_table_1, through_table_2};
work *volatile chosen;
int numbers[100];
unsigned char program[100];

void _start(void)
{
    chosen = taken;
    numbers[0] = table[numbers[1] & 1](numbers, 100) + chosen(numbers, 100);
    numbers[1] = with_labels(program, numbers) + with_switch(numbers[2], numbers);
    for (;;)
        ;
}
