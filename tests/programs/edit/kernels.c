#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define N 64
static double A[N][N], B[N][N], C[N][N];
static unsigned long h = 1469598103934665603ul;
static void hash(const void *p, size_t n) { const unsigned char *c = p; while (n--) h = (h ^ *c++) * 1099511628211ul; }
__attribute__((noinline)) static void mm(void) { for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) { double s = 0; for (int k = 0; k < N; k++) s += A[i][k] * B[k][j]; C[i][j] = s; } }
__attribute__((noinline)) static long press(long *a, long n, long k) { long s=0,b=1,c=2,d=3,e=4,g=5,hh=6,i2=7,j=8,l=9,m=10,o=11,p=12,q=13,r=14;
 for(long i=0;i<n;i++){ s+=a[i]*b; b+=s^c; c+=b*d; d-=c; e+=d*g; g^=e; hh+=g*3; i2-=hh; j+=i2*k; l^=j; m+=l; o-=m*k; p^=o; q+=p*d; r-=q; if (s & 1) o += r; else r ^= b; }
 return s+b+c+d+e+g+hh+i2+j+l+m+o+p+q+r; }
static int cmp(const void *x, const void *y) { long a = *(const long *)x, b = *(const long *)y; return a < b ? -1 : a > b; }
__attribute__((noinline)) static int sw(int x) { switch (x & 15) { case 0: return 3; case 1: return x * 7; case 2: return x - 4; case 3: return x / 3; case 4: return x ^ 99; case 5: return -x; case 6: return x << 2; case 7: return x % 5 + 1; case 9: return 8; default: return x + 1; } }
__attribute__((noinline)) static long rec(long n, long *acc) { if (n < 2) { *acc += n; return n; } long t = rec(n - 1, acc); return t + rec(n - 2, acc) + (*acc & 3); }
__attribute__((noinline)) static size_t str(char *d, const char *s) { size_t n = 0; while ((d[n] = s[n] >= 'a' && s[n] <= 'z' ? s[n] - 32 : s[n])) n++; char t[40]; for (size_t i = 0; i < n && i < 39; i++) t[i] = d[n - 1 - i]; memcpy(d, t, n < 39 ? n : 39); return n; }
static double poly(double x, const double *c, int n) { double r = 0; for (int i = n; i--;) r = r * x + c[i]; return r; }
int main(void) {
 for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) { A[i][j] = i * 0.5 - j; B[i][j] = (i ^ j) / 7.0; }
 mm(); hash(C, sizeof C);
 long a[500]; unsigned x = 12345; for (int i = 0; i < 500; i++) { x = x * 1103515245 + 12345; a[i] = x >> 8; }
 long p = press(a, 500, 17); hash(&p, 8); qsort(a, 500, sizeof *a, cmp); hash(a, sizeof a);
 for (int i = 0; i < 100; i++) { int s = sw(i * 3); hash(&s, 4); }
 long acc = 0, f = rec(18, &acc); hash(&f, 8); hash(&acc, 8);
 char b[64]; size_t n = str(b, "Hello assembly, how are You"); hash(b, n);
 double c[] = {1, -2, 0.5, 3, 4.25}; double d = poly(1.7, c, 5); hash(&d, 8);
 printf("%016lx %ld %g\n", h, p, d); return 0; }
