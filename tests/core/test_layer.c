/* Masks say which pairs attend. If a count or a run is wrong, costs, windows and blocks that a mask cuts are wrong with it. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>

#include "core/layer.h"

static void pairs_are_counted_as_the_mask_allows_them(void **state)
{
    (void)state;
    for (int type = 0; type < MASK_TYPE_COUNT; type++) {
        for (double size = 1; size < 40; size += 6) {
            for (double n = 1; n < 50; n += 7) {
                struct mask m = {(enum mask_type)type, size};
                double count = 0, most = 0;
                for (double i = 0; i < n; i++) {
                    double back = 0;
                    for (double j = 0; j < n; j++) {
                        count += mask_allows(m, i, j);
                        back += j <= i && mask_allows(m, i, j);
                    }
                    most = fmax(most, back);
                }
                if (most != mask_keys_back(m, n))
                    fail_msg("%s, size %g, n %g: %g keys back, counted %g", mask_names[type], size, n, mask_keys_back(m, n), most);
                if (count != mask_pairs(m, n))
                    fail_msg("%s, size %g, n %g: %g pairs, counted %g", mask_names[type], size, n, mask_pairs(m, n), count);
            }
        }
    }
}

static void the_last_encoding_that_sets_a_scale_decides(void **state)
{
    (void)state;
    struct item items[2];
    struct err err = {0};
    struct shape shape = {.length = 16, .n_heads = 2, .d_head = 16, .d_model = 32};
    item_init(&items[0], encoding_find("t5_bias", &err));
    item_init(&items[1], encoding_find("rope", &err));
    struct layer *both = layer_open(items, 2, &shape, &err), *none = layer_open(items, 0, &shape, &err);
    assert_non_null(both);
    assert_true(both->scale == 1);              /* T5 does not divide by the root of the width */
    assert_true(none->scale == 0.25);
    assert_int_equal(none->axes, 1);
    layer_close(both);
    layer_close(none);
    item_done(&items[0]);
    item_done(&items[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_are_counted_as_the_mask_allows_them),
        cmocka_unit_test(the_last_encoding_that_sets_a_scale_decides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
