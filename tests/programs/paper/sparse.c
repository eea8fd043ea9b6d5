/* Figure 12, QMC=Chem: four columns of A times two rows of numbers.  With ALIGNED the compiler knows that columns start on
   borders of vectors, with LENGTH it knows their length, too. */
#ifdef LENGTH
enum { lda = LENGTH };
#define BORDER __attribute__((aligned(32)))
float c1[lda] BORDER, c2[lda] BORDER, a[64][lda] BORDER;
#define COLUMN(k) a[k_vec[k]]

void product(const int k_vec[4], const float d1[4], const float d2[4])
#else
#ifdef ALIGNED
#define COLUMN(k) (const float *)__builtin_assume_aligned(a + (long)k_vec[k] * lda, 32)
#else
#define COLUMN(k) a + (long)k_vec[k] * lda
#endif

void product(int lda, float *c1, float *c2, float *a, const int k_vec[4], const float d1[4], const float d2[4])
#endif
{
    const float *first = COLUMN(0), *second = COLUMN(1), *third = COLUMN(2), *fourth = COLUMN(3);
    float d11 = d1[0], d21 = d1[1], d31 = d1[2], d41 = d1[3];
    float d12 = d2[0], d22 = d2[1], d32 = d2[2], d42 = d2[3];
#ifdef ALIGNED
    c1 = __builtin_assume_aligned(c1, 32);
    c2 = __builtin_assume_aligned(c2, 32);
#endif

    for (int j = 0; j < lda; j++) {
        c1[j] += first[j] * d11 + second[j] * d21 + third[j] * d31 + fourth[j] * d41;
        c2[j] += first[j] * d12 + second[j] * d22 + third[j] * d32 + fourth[j] * d42;
    }
}
