/* kernel_body.h - the functions of kernel.c for one set of instructions: NAME(x) makes their names, TARGET is the attribute
 * that allows the instructions, LANES how many
 * numbers they take. Included once for each by kernel.c alone, because compilers split vectors before they inline. */
typedef float NAME(vec) __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
typedef int NAME(ivec) __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
#define vec NAME(vec)
#define ivec NAME(ivec)

/* Halves added to halves: lanes are few, and floats do for them. */
TARGET static float NAME(lanes_sum)(float *x)
{
    for (size_t half = LANES / 2; half; half /= 2)
        for (size_t l = 0; l < half; l++)
            x[l] += x[l + half];
    return x[0];
}

TARGET static float NAME(add)(float *z, size_t n, const float *bias)
{
    float top[LANES], largest = -INFINITY;
    vec max = (vec){0} - INFINITY;
    ivec odd = {0};
    bool any_odd = false;
    size_t j = 0;
    for (; j + LANES <= n; j += LANES) {
        vec x = *(vec *)(z + j);
        if (bias)
            x += *(const vec *)(bias + j);
        ivec more = x > max;
        max = (vec)(((ivec)x & more) | ((ivec)max & ~more));
        odd |= x != x;
        *(vec *)(z + j) = x;
    }
    for (; j < n; j++) {
        z[j] += bias ? bias[j] : 0;
        largest = z[j] > largest ? z[j] : largest;
        any_odd |= isnan(z[j]) != 0;
    }
    for (size_t l = 0; l < KERNEL_PAD; l++)
        z[n + l] = -INFINITY;
    *(vec *)top = max;
    for (size_t l = 0; l < LANES; l++) {
        largest = top[l] > largest ? top[l] : largest;
        any_odd |= odd[l] != 0;
    }
    return any_odd ? NAN : largest;
}

TARGET static void NAME(exp)(float *z, size_t n, float max, float first, struct kernel_sums *sums)
{
    const float magic = 12582912;       /* 1.5 * 2^23: adding it rounds to a whole number, kept in the low bits */
    vec least = (vec){0} - 87, index, sum, sum_logit, sum_distance;
    float part[LANES];
    for (size_t l = 0; l < LANES; l++)
        index[l] = first + (float)l;
    for (size_t start = 0; start < n; start += CHUNK) {
        size_t end = start + CHUNK < n ? start + CHUNK : n;
        sum = sum_logit = sum_distance = (vec){0};
        for (size_t j = start; j < end; j += LANES) {
            vec x = *(vec *)(z + j) - max, k, r, w;
            ivec keep = x > least;
            x = (vec)(((ivec)x & keep) | ((ivec)least & ~keep));
            k = x * 1.44269504f + magic;
            ivec power = (ivec)k << 23;
            k -= magic;
            r = x - k * 0.693359375f + k * 2.12194440e-4f;
            w = 1.0f + r + r * r * (0.49999231f + r * (0.16667116f + r * (0.041890331f + r * 0.008312501f)));
            w = (vec)(((ivec)w + power) & keep);
            *(vec *)(z + j) = w;
            sum += w;
            sum_logit += w * x;
            sum_distance += w * (vec)((ivec)(index + (float)j) & 0x7fffffff);
        }
        *(vec *)part = sum;
        sums->weight += NAME(lanes_sum)(part);
        *(vec *)part = sum_logit;
        sums->weight_logit += NAME(lanes_sum)(part);
        *(vec *)part = sum_distance;
        sums->weight_distance += NAME(lanes_sum)(part);
    }
}

TARGET static void NAME(pool)(const float *z, const size_t *begin, const size_t *end, size_t n, double factor, double *out)
{
    float part[LANES];
    for (size_t c = 0; c < n; c++) {
        double total = 0;
        for (size_t start = begin[c]; start < end[c]; start += CHUNK) {
            size_t stop = start + CHUNK < end[c] ? start + CHUNK : end[c], j = start;
            float rest = 0;
            vec sum = {0};
            for (; j + LANES <= stop; j += LANES)
                sum += *(const vec *)(z + j);
            for (; j < stop; j++)
                rest += z[j];
            *(vec *)part = sum;
            total += (double)(NAME(lanes_sum)(part) + rest);
        }
        out[c] += factor * total;
    }
}

TARGET static void NAME(dots)(const float *a, size_t step, const float *b, size_t n, size_t d, float *out)
{
    float part[LANES];
    for (size_t i = 0; i < n; i++, a += step, b += d) {
        size_t c = 0;
        float rest = 0;
        vec sum = {0};
        for (; c + LANES <= d; c += LANES)
            sum += *(const vec *)(a + c) * *(const vec *)(b + c);
        for (; c < d; c++)
            rest += a[c] * b[c];
        *(vec *)part = sum;
        out[i] += NAME(lanes_sum)(part) + rest;
    }
}

#undef vec
#undef ivec
