/* The contract of the parameter panel: what is offered changes the picture, what is not offered does not. If this fails, a user turns a
 * parameter and nothing happens, or looks in vain for the one that matters. And: what a choice is called is said in his language. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/view.h"
#include "base/mem.h"

/* ---- a picture as a number --------------------------------------------------------------------------------- */

static uint64_t add_bytes(uint64_t h, const void *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        h = (h ^ ((const unsigned char *)bytes)[i]) * 1099511628211u;
    return h;
}

static uint64_t add_text(uint64_t h, const char *text)
{
    return text ? add_bytes(h, text, strlen(text) + 1) : h;
}

static uint64_t add_numbers(uint64_t h, const double *x, size_t n)
{
    for (size_t i = 0; x && i < n; i++) {
        double value = isnan(x[i]) ? NAN : x[i] == 0 ? 0 : x[i];
        h = add_bytes(h, &value, sizeof value);
    }
    return h;
}

static uint64_t add_axis(uint64_t h, const struct axis *a)
{
    h = add_text(add_text(h, a->label), a->unit);
    for (size_t i = 0; i < a->n_ticks; i++)
        h = add_text(h, a->tick[i]);
    return add_numbers(h, (double[]){a->from, a->to, a->log}, 3);
}

static uint64_t add_panel(uint64_t h, const struct panel *p)
{
    h = add_text(add_text(add_text(add_text(h, p->title), p->unit), p->note), p->text);
    h = add_axis(add_axis(h, &p->x), &p->y);
    h = add_numbers(h, (double[]){p->lo, p->hi}, 2);
    h = add_numbers(h, p->data, (size_t)p->w * (size_t)p->h);
    h = add_numbers(h, p->xs, p->n_xs);
    for (size_t i = 0; i < p->n_series; i++)
        h = add_numbers(add_text(h, p->series[i].label), p->series[i].y, p->n_xs);
    for (size_t i = 0; i < p->n_marks; i++)
        h = add_numbers(h, &p->mark[i].at, 1);
    for (size_t i = 0; i < p->n_bars; i++)
        h = add_numbers(add_text(add_text(h, p->bar[i].label), p->bar[i].note), &p->bar[i].value, 1);
    for (size_t i = 0; i < p->n_dials; i++)
        h = add_numbers(add_text(add_text(h, p->dial[i].label), p->dial[i].above), p->dial[i].angle, 2);
    for (size_t i = 0; i < p->table_rows * p->table_cols; i++)
        h = add_text(h, p->cell[i].text);
    return h;
}

/* 0: there is no picture, or the view has nothing to show. */
static uint64_t picture(const struct scenario *s)
{
    const struct view *v = views[s->view];
    struct figure *f = v->suits && v->suits(s) ? NULL : view_figure(s, 40, 120, 2, 1, NULL);
    uint64_t h = 14695981039346656037u;
    for (size_t i = 0; f && i < f->n; i++)
        h = add_panel(h, &f->panel[i]);
    bool drawn = f != NULL;
    figure_free(f);
    return drawn ? h : 0;
}

/* ---- what was seen ------------------------------------------------------------------------------------------ */

enum { MAX_SEEN = 8000, HIDDEN_TRIES = 2 };
struct seen {
    int view;
    const struct param *param;
    bool offered, changed;
    int tries;
};
static struct seen seen[MAX_SEEN];
static size_t n_seen;

static struct seen *seen_of(int view, const struct param *param, bool offered)
{
    for (size_t i = 0; i < n_seen; i++)
        if (seen[i].view == view && seen[i].param == param && seen[i].offered == offered)
            return &seen[i];
    assert_true(n_seen < MAX_SEEN);
    seen[n_seen] = (struct seen){view, param, offered, false, 0};
    return &seen[n_seen++];
}

/* Some other values of a parameter, small enough to be drawn at once. */
static size_t other_values(const struct param *p, struct value now, struct value *out)
{
    size_t n = 0;
    if (p->type == PARAM_CHOICE)
        for (size_t i = 0; p->choices[i] && n < 8; i++)
            out[n++] = (struct value){(double)i, NULL};
    else if (p->type == PARAM_BOOL)
        out[n++] = (struct value){now.x == 0, NULL};
    else if (p->type != PARAM_TABLE && p->type != PARAM_LIST) {
        double start = isnan(now.x) ? fmax(p->min, fmin(p->max, 2)) : now.x;
        if (isnan(now.x))
            out[n++] = (struct value){start, NULL};
        out[n++] = param_step(p, (struct value){start, NULL}, 1, start);
        out[n++] = param_step(p, (struct value){start, NULL}, -1, start);
        out[n++] = param_step(p, (struct value){start, NULL}, 8, start);
        out[n++] = param_step(p, (struct value){start, NULL}, -8, start);
    }
    return n;
}

static bool changes(const struct scenario *s, const struct param_ref *ref, uint64_t before)
{
    struct value other[8];
    size_t n = other_values(ref->param, scenario_get(s, ref), other);
    bool changed = ref->param->type == PARAM_TABLE || ref->param->type == PARAM_LIST;     /* given whole: not varied here */
    for (size_t i = 0; i < n && !changed; i++) {
        struct scenario t;
        scenario_copy(&t, s);
        if (scenario_put(&t, ref, other[i], NULL) && t.shape.length <= 4096 && t.shape.n_heads <= 64 && t.shape.d_model <= 1024)
            changed = picture(&t) != before;
        scenario_done(&t);
    }
    return changed;
}

/* compare: does its inner view have something to show? */
static bool shows_inner(const struct scenario *s)
{
    const struct view *v = views[s->view]->inner ? views[views[s->view]->inner(s)] : NULL;
    return !v || !v->suits || !v->suits(s);
}

static void look(const struct scenario *s)
{
    struct param_ref refs[200];
    size_t n = scenario_params(s, refs, 200);
    uint64_t before = shows_inner(s) ? picture(s) : 0;
    for (size_t i = 0; i < n && before; i++) {
        struct seen *it = seen_of((int)s->view, refs[i].param, view_depends(s, &refs[i]));
        bool whole = refs[i].param->type == PARAM_TABLE || refs[i].param->type == PARAM_LIST;
        if (it->changed || (!it->offered && (whole || it->tries >= HIDDEN_TRIES)))
            continue;
        it->tries++;
        it->changed = changes(s, &refs[i], before);
        if (it->changed && !it->offered)
            print_error("view %s, %s: %s is not offered, but changes the picture\n", view_ids[s->view],
                        s->n_items ? s->item[0].kind->id : "none", refs[i].param->name);
    }
}

/* ---- the scenarios ------------------------------------------------------------------------------------------- */

static void small(struct scenario *s)
{
    s->shape.length = fmin(s->shape.length, 48);
    s->shape.n_heads = s->shape.n_heads > 4 ? 4 : s->shape.n_heads;
    s->shape.d_head = s->shape.d_head > 16 ? 16 : s->shape.d_head;
    s->shape.d_model = s->shape.d_model > 64 ? 64 : s->shape.d_model;
    s->trained = fmin(s->trained, 32);
    s->target = fmin(s->target, 128);
}

static void give(struct scenario *s, const char *key, const char *value)
{
    struct err err = {.lang = LANG_EN};
    if (!scenario_set(s, key, value, &err))
        fail_msg("%s = %s: %s", key, value, err.text);
}

/* Settings of views under which more matters. */
static const struct { int view; const char *key, *value; } looks[] = {
    {VIEW_decay, "vectors", "random"}, {VIEW_similarity, "projection", "random"}, {VIEW_guide, "page", "measurements"},
    {VIEW_wizard, "walk", "start=checkpoint ck_scheme=rope"}, {VIEW_attention, "show", "logit"}, {VIEW_compare, "of", "decay"},
};

/* In all views, by what the parameters say that come with it. */
static void look_in_every_view(struct scenario *s, const char *pairs)
{
    char copy[400], *save = NULL;
    small(s);
    snprintf(copy, sizeof copy, "%s", pairs);
    for (char *pair = strtok_r(copy, " ", &save); pair; pair = strtok_r(NULL, " ", &save)) {
        *strchr(pair, '=') = '\0';
        give(s, pair, pair + strlen(pair) + 1);
    }
    for (int v = 0; v < VIEW_COUNT; v++) {
        scenario_set_view(s, view_ids[v], NULL);
        look(s);
        for (size_t i = 0; i < sizeof looks / sizeof *looks; i++)
            if (looks[i].view == v) {
                struct scenario t;
                scenario_copy(&t, s);
                give(&t, looks[i].key, looks[i].value);
                look(&t);
                scenario_done(&t);
            }
    }
}

static const struct { const char *encoding, *pairs; } more[] = {
    {"rope", "factor=4 original_max_position_embeddings=16 max_position_embeddings=64 rope_type=yarn mscale=1 mscale_all_dim=0.5"},
    {"rope", "factor=4 original_max_position_embeddings=16 rope_theta=100 rope_type=yarn beta_fast=2"},
    {"rope", "max_position_embeddings=64 original_max_position_embeddings=16 rope_theta=100 rope_type=yarn"},
    {"rope", "factor=4 original_max_position_embeddings=16 rope_type=llama3"},
    {"rope", "factor=4 original_max_position_embeddings=40 rope_theta=10 rope_type=yarn beta_fast=4 beta_slow=0.5 truncate=false"},
    {"rope", "factor=4 rope_type=linear"},
    {"rope", "factor=4 max_position_embeddings=24 rope_type=dynamic"},
    {"rope", "alpha=4 rope_type=ntk"},
    {"rope", "max_position_embeddings=24 rope_type=qwen_ntk"},
    {"rope", "factor=4 partial_rotary_factor=0.5 rope_type=proportional"},
    {"rope", "mrope_section=2,3,3 rope_type=mrope"}, {"rope", "head_dim=64"},
    {"rope", "content=seeded short_factor=1,1,1,1,2,2,2,2 long_factor=1,1,2,2,4,4,8,8 original_max_position_embeddings=16 "
             "max_position_embeddings=64 rope_type=longrope"},
    {"rope", "short_factor=1,1,1,1,2,2,2,2 long_factor=1,1,2,2,4,4,8,8 original_max_position_embeddings=16 max_position_embeddings=64 rope_type=longrope"},
    {"rope", "short_factor=1,1,1,1,2,2,2,2 long_factor=1,1,2,2,4,4,8,8 original_max_position_embeddings=64 max_position_embeddings=256 rope_type=longrope"},
    {"ggml_rope", "mode=neox n_ctx_orig=16 ext_factor=1 freq_scale=0.25"},
    {"ggml_rope", "freq_base=10 n_ctx_orig=40 ext_factor=1 freq_scale=0.25 beta_fast=4 beta_slow=0.5"},
    {"learned", "style=opt max_position_embeddings=32"}, {"learned", "style=roberta max_position_embeddings=32"},
    {"rope_2d", "style=eva"}, {"relpos_2d", "style=swinv2"}, {"relpos_2d", "style=beit"},
    {"attn_temperature", "style=llama4 floor_scale=8"}, {"attn_temperature", "style=qwen_logn original_max_position_embeddings=8"},
    {"attn_temperature", "original_max_position_embeddings=8"},
    {"deberta", "position_buckets=8 max_relative_positions=16"}, {"deberta", "position_buckets=0 max_position_embeddings=16"},
    {"deberta", "version=v1 max_relative_positions=8"}, {"sinusoidal_2d", "style=detr"},
    {"shaw", "position_embedding_type=relative_key_query"}, {"kerple", "kernel=power"}, {"kerple", "r1=0.05 r2=0.02 clamp_min=0.01 mask=none"}, {"transformer_xl", "clamp_len=4 mask=none"},
    {"sandwich", "mask=none"}, {"t5_bias", "num_buckets=8 max_distance=10 n=40 mask=none content=seeded"}, {"sinusoidal_2d", "style=detr normalize=true"}, {"fire", "L=8"}, {"xpos", ""}, {"learned", "content=seeded max_position_embeddings=32"},
    {"attn_temperature", "content=seeded original_max_position_embeddings=8"}, {"attn_temperature", "content=seeded style=llama4 floor_scale=8"},
    {"shaw", "content=seeded mask=none clip=4"},
    {"alibi", "mask=none"}, {"alibi", "mask=sliding window=16"}, {"alibi", "content=seeded mask=chunked window=8 memory=4"},
    {"t5_bias", "bidirectional=false"}, {"transformer_xl", "content=seeded memory=8"}, {"rope", "content=seeded"}, {"cope", "content=seeded"},
};

/* What changes only how far the next frame goes, or needs the weights of a file; and a comparison offers what its inner view does. */
static bool excused(const struct seen *it)
{
    static const char *const names[] = {"step", "share_att_key", "norm_rel_ebd"};
    bool named = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        named = named || !strcmp(it->param->name, names[i]);
    return named || views[it->view]->inner;
}

static void what_is_offered_changes_the_picture(void **state)
{
    (void)state;
    struct scenario s;
    int bad = 0;
    for (int v = 0; v < VIEW_COUNT; v++) {
        scenario_init(&s);
        if (views[v]->preset)
            assert_true(scenario_load_preset(&s, views[v]->preset, NULL));
        small(&s);
        scenario_set_view(&s, view_ids[v], NULL);
        look(&s);
        scenario_done(&s);
    }
    for (size_t i = 0; encodings[i]; i++) {
        scenario_init(&s);
        assert_true(scenario_set_encoding(&s, encodings[i]->id, NULL));
        look_in_every_view(&s, "");
        scenario_done(&s);
    }
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        scenario_init(&s);
        small(&s);
        assert_true(scenario_set_encoding(&s, more[i].encoding, NULL));
        look_in_every_view(&s, more[i].pairs);
        scenario_done(&s);
    }
    for (size_t i = 0; i < n_seen; i++) {
        bad += seen[i].offered ? !seen[i].changed && !excused(&seen[i]) : seen[i].changed;
        if (seen[i].offered && !seen[i].changed && !excused(&seen[i]))
            print_error("view %s: %s is offered, but changed nothing in %d scenarios\n", view_ids[seen[i].view], seen[i].param->name, seen[i].tries);
    }
    assert_int_equal(bad, 0);
}

/* ---- words ------------------------------------------------------------------------------------------------------ */

/* Names that are the same in every language: of formats, models, scaling types, formulas. */
static bool is_name(const char *text)
{
    static const char *const names[] = {
        "float32", "float16", "bfloat16", "logit", "v1", "v2", "c2p", "p2c", "c2p + p2c", "p2c + c2p", "BLOOM", "Falcon", "MPT", "RoPE", "ALiBi",
        "default", "linear", "dynamic", "ntk", "qwen_ntk", "yarn", "longrope", "llama3", "proportional", "mrope",       /* rope_type */
        "normal", "neox", "imrope", "vision", "bert", "gpt2", "opt", "roberta", "fairseq", "vit", "qwen2_vl", "pixtral", "llama4", "dinov3", "eva",
        "shaw", "relative_key", "relative_key_query", "q.k", "q.k/sqrt(d)", "swin", "swinv2", "beit", "mae", "detr", "sum/(h*8/H)",
        "(sum - D/2)/(h*8/H)", "ministral3", "qwen_logn", "2i/d", "i/(d/2-1)",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i], text))
            return true;
    return false;
}

static int check_words(const char *owner, const struct param *p)
{
    int bad = 0;
    for (size_t i = 0; p->type == PARAM_CHOICE && p->choices[i]; i++) {
        const char *title = param_choice_title(p, i);
        if (is_name(title) || (p->titles && strcmp(lang_text(LANG_ZH, title), title)))
            continue;
        print_error("%s, %s: the choice '%s' has no Chinese\n", owner, p->name, title);
        bad++;
    }
    return bad;
}

static void choices_are_said_in_the_readers_language(void **state)
{
    (void)state;
    struct scenario s;
    struct param_ref refs[200];
    int bad = 0;
    scenario_init(&s);
    size_t n = scenario_params(&s, refs, 200);
    for (size_t i = 0; i < n; i++)
        if (refs[i].owner == OWNER_SCENARIO)
            bad += check_words("general", refs[i].param);
    for (int v = 0; v < VIEW_COUNT; v++)
        for (size_t i = 0; i < views[v]->n_params; i++)
            bad += check_words(view_ids[v], &views[v]->params[i]);
    for (size_t e = 0; encodings[e]; e++)
        for (size_t i = 0; i < encodings[e]->n_params; i++)
            bad += check_words(encodings[e]->id, &encodings[e]->params[i]);
    scenario_done(&s);
    assert_int_equal(bad, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(choices_are_said_in_the_readers_language),
        cmocka_unit_test(what_is_offered_changes_the_picture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
