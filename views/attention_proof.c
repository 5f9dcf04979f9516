/* attention_proof.c - does a head notice the order? It is computed for a second sentence with the same words in another order: without
 * positions and without a mask its rows are the same rows in another order. The guide's own pair of sentences is not a reordering: one
 * holds 在, the other 有; that is shown too. */
#include "attention_scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "figure/draw.h"

/* The guide prints this pair as one sentence reordered (section 1). */
static const char *const pairs[][2] = {
    [VERSUS_GUIDE] = {"猫在椅子上", "椅子上有猫"},
    [VERSUS_ZH] = {"猫追狗", "狗追猫"},
    [VERSUS_EN] = {"the cat sat on the chair", "the chair sat on the cat"},
};

const char *attention_proof_text(const struct scenario *s)
{
    return pairs[(int)scene_num(s, P_VERSUS)][0];
}

static void second_sentence(const struct scenario *s, struct sentence *t)
{
    int which = (int)scene_num(s, P_VERSUS);
    if (which != VERSUS_SWAP) {
        sentence_split(pairs[which][1], t);
        return;
    }
    sentence_split(s->text, t);
    sentence_swap(t);
}

/* Largest change of a weight when the words trade places: 0 where only the words count. */
static double largest_change(const struct scenario *s, const struct sentence *a, const struct sentence *b, const size_t *place, bool *known)
{
    struct scenario t = *s;             /* borrowed: only numbers are changed */
    struct scene x, y;
    double row_a[MAX_TOKENS], row_b[MAX_TOKENS], largest = 0;
    t.content = CONTENT_TOKENS;
    t.view_param[VIEW_attention][P_SHOW].x = SHOW_PROBABILITY;
    t.view_param[VIEW_attention][P_TERMS].x = TERMS_ALL;
    bool opened_a = scene_open(&t, a, scene_head(s), 0, 1, &x, NULL), opened_b = scene_open(&t, b, scene_head(s), 0, 1, &y, NULL);
    *known = opened_a && opened_b;
    for (size_t i = 0; *known && i < a->n; i++) {
        attention_row(x.attention, (double)i, row_a, NULL);
        attention_row(y.attention, (double)place[i], row_b, NULL);
        for (size_t j = 0; j < a->n; j++)
            largest = fmax(largest, fabs(row_a[j] - row_b[place[j]]));
    }
    scene_close(&x);
    scene_close(&y);
    return largest;
}

void attention_proof(const struct scenario *s, struct panel *p)
{
    enum lang l = s->lang;
    struct sentence a, b;
    size_t place[MAX_TOKENS];
    const char *only_a, *only_b;
    char text_a[SCENARIO_TEXT_MAX], text_b[SCENARIO_TEXT_MAX];
    int which = (int)scene_num(s, P_VERSUS);
    sentence_split(which == VERSUS_SWAP ? s->text : pairs[which][0], &a);
    second_sentence(s, &b);
    sentence_join(&a, text_a, sizeof text_a);
    sentence_join(&b, text_b, sizeof text_b);
    panel_text(p, "1  %s\n2  %s\n", text_a, text_b);
    if (!sentence_match(&a, &b, place, &only_a, &only_b)) {
        panel_text(p, lang_text(l, N_("No reordering: [%s] stands in 1 alone, [%s] in 2 alone. The claim needs a true pair, such as 猫追狗 and 狗追猫.\n")),
                   only_a ? only_a : "-", only_b ? only_b : "-");
        return;
    }
    bool known;
    double change = largest_change(s, &a, &b, place, &known);
    if (!known)
        return;
    panel_text(p, lang_text(l, N_("Same words in another order. Largest change of a weight between words: %.3g\n")), change);
    if (change < 1e-12)
        panel_text(p, "%s", lang_text(l, N_("The rows are the same rows in another order: this head cannot tell the two apart.\n")));
    else if (!s->n_items)
        panel_text(p, "%s", lang_text(l, N_("There is no position encoding; only the mask tells the order.\n")));
    else
        panel_text(p, "%s", lang_text(l, N_("The order is noticed.\n")));
}
