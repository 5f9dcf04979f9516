/* method.c - the checkpoint branch: the rule that applies and its numbers. No formula stands here: every number comes out of the
 * rope encoding, opened with the scaling type, the lengths and the base that the walk names. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/encoding.h"
#include "core/measure.h"
#include "core/quantity.h"
#include "wizard/wizard.h"

int wizard_rule(const struct book *b, const struct walk *w)
{
    signed char given[BOOK_MAX_QUESTIONS];
    walk_given(b, w, given, NULL);
    for (size_t i = 0; i < b->n_rules; i++)
        if (condition_holds(&b->rule[i].when, given))
            return (int)i;
    return -1;
}

bool wizard_short_rule(const struct book *b, const struct walk *w)
{
    signed char given[BOOK_MAX_QUESTIONS];
    walk_given(b, w, given, NULL);
    return condition_holds(&b->short_rule.when, given);
}

/* ---- opening rope -------------------------------------------------------------------------------------- */

struct given { const char *name; double x; };

static void give(const struct encoding *kind, struct value *values, const char *name, double x)
{
    int i = param_index(kind->params, kind->n_params, name);
    if (i >= 0)
        values[i].x = x;
}

/* Lists of ones where the type asks for a list: LongRoPE's attention factor does not depend on them. */
static void give_ones(const struct encoding *kind, struct value *values, struct table *ones)
{
    for (size_t i = 0; i < kind->n_params; i++)
        if (!strcmp(kind->params[i].name, "short_factor") || !strcmp(kind->params[i].name, "long_factor"))
            values[i].t = ones;
}

static struct table *ones(size_t n)
{
    struct table *t = table_new(1, &n);
    for (size_t i = 0; i < n; i++)
        t->v[i] = 1;
    return t;
}

/* rope of a scaling type at the target length: the family's settings, then those asked for (up to a NULL name). */
static struct enc *open_rope(const struct factors *f, const struct json *family, const char *type, const struct given *given,
                             struct err *err)
{
    const struct encoding *kind = encoding_find("rope", err);
    if (!kind)
        return NULL;
    struct value values[ENC_MAX_PARAMS];
    for (size_t i = 0; i < kind->n_params; i++)
        values[i] = (struct value){kind->params[i].def, NULL};
    give(kind, values, "original_max_position_embeddings", f->trained);
    give(kind, values, "max_position_embeddings", f->trained);
    for (const struct json *j = json_first(family); j; j = json_next(j))
        give(kind, values, json_key(j), json_number(j, NAN));
    give(kind, values, "rope_theta", f->base);
    give(kind, values, "rotary_dim", NAN);
    for (; given && given->name; given++)
        give(kind, values, given->name, given->x);
    int at = param_index(kind->params, kind->n_params, "rope_type");
    if (at < 0 || !param_parse(&kind->params[at], type, &values[at], err))
        return NULL;
    int d = (int)f->rotary_dim;
    struct table *list = !strcmp(type, "longrope") ? ones((size_t)d / 2) : NULL;
    if (list)
        give_ones(kind, values, list);
    struct shape shape = {.length = f->target, .n_heads = 1, .d_head = d, .d_model = d};
    struct enc *e = enc_open(kind, &shape, values, err);
    table_unref(list);
    return e;
}

static const struct spectrum *spectrum_of(const struct enc *e)
{
    return e->kind->spectrum(e);
}

/* ---- the numbers --------------------------------------------------------------------------------------- */

__attribute__((format(printf, 5, 6)))
static void add(struct factors *f, const char *id, const char *name, double value, const char *formula, ...)
{
    struct factor *out = &f->factor[f->n++];
    *out = (struct factor){.id = id, .name = name, .value = value};
    va_list args;
    va_start(args, formula);
    vsnprintf(out->formula, sizeof out->formula, formula, args);
    va_end(args);
}

static bool add_ntk(struct factors *f, const struct json *family, struct err *err)
{
    double s = fmax(f->ratio, 1), up = ceil(s), d = f->rotary_dim;
    struct enc *fixed = open_rope(f, family, "ntk", (struct given[]){{"alpha", s}, {"factor", NAN}, {NULL, 0}}, err);
    struct enc *dynamic = fixed ? open_rope(f, family, "dynamic", (struct given[]){{"factor", up}, {NULL, 0}}, err) : NULL;
    if (dynamic) {
        add(f, "ntk_base", N_("NTK-aware base"), quantity_number(fixed, "base"), "%.10g * %.10g^(%g/%g)", f->base, s, d, d - 2);
        add(f, "dynamic_base", N_("dynamic NTK base at the target length"), quantity_number(dynamic, "base"), "%.10g * (%.10g*%.10g/%.10g - %.10g)^(%g/%g)",
            f->base, up, f->target, f->trained, up - 1, d, d - 2);
    }
    enc_close(fixed);
    enc_close(dynamic);
    return dynamic != NULL;
}

static void add_bands(struct factors *f, const struct enc *e, const char *const id[3], const char *const name[3])
{
    const struct spectrum *s = spectrum_of(e);
    for (int band = 0; band < 3; band++) {
        size_t n = 0;
        for (size_t k = 0; k < s->n; k++)
            n += (s->band ? s->band[k] : BAND_KEPT) == band;
        add(f, id[band], name[band], (double)n, "%zu / %zu", n, s->n);
    }
}

/* What a score of the rotated part is multiplied by: cos and sin carry the factor in q and in k, and some families scale the
 * softmax instead. */
static double logit_factor(const struct enc *e)
{
    double a = spectrum_of(e)->attention_factor;
    return a * a * e->scale * sqrt(e->shape.d_head);
}

static bool add_yarn(struct factors *f, const struct json *family, double factor, struct err *err)
{
    static const char *const id[] = {"yarn_kept", "yarn_blended", "yarn_divided"};
    static const char *const name[] = {N_("YaRN: pairs kept"), N_("YaRN: pairs blended"), N_("YaRN: pairs divided")};
    struct enc *e = open_rope(f, family, "yarn", (struct given[]){{"factor", factor}, {NULL, 0}}, err);
    if (!e)
        return false;
    add(f, "yarn_attention_factor", N_("YaRN attention factor (q and k)"), spectrum_of(e)->attention_factor, "0.1 ln %.10g + 1",
        factor);
    if (json_get(family, "mscale_all_dim"))
        snprintf(f->factor[f->n - 1].formula, sizeof f->factor->formula, "mscale = mscale_all_dim");
    add(f, "yarn_logit_factor", N_("YaRN factor on the logits"), logit_factor(e), "(0.1 ln %.10g + 1)^2", factor);
    add_bands(f, e, id, name);
    enc_close(e);
    return true;
}

static bool add_longrope(struct factors *f, const struct json *family, struct err *err)
{
    double s = fmax(f->ratio, 1);
    struct enc *e = open_rope(f, family, "longrope", (struct given[]){{"factor", s}, {NULL, 0}}, err);
    if (!e)
        return false;
    add(f, "longrope_attention_factor", N_("LongRoPE attention factor"), spectrum_of(e)->attention_factor,
        "sqrt(1 + ln %.10g / ln %.10g)", s, json_number(json_get(family, "original_max_position_embeddings"), f->trained));
    enc_close(e);
    return true;
}

static bool add_llama3(struct factors *f, const struct json *family, struct err *err)
{
    static const char *const id[] = {"llama3_kept", "llama3_blended", "llama3_divided"};
    static const char *const name[] = {N_("llama3: pairs kept"), N_("llama3: pairs blended"), N_("llama3: pairs divided")};
    struct enc *e = open_rope(f, family, "llama3", NULL, err);
    if (e)
        add_bands(f, e, id, name);
    enc_close(e);
    return e != NULL;
}

static bool add_unseen(struct factors *f, const struct json *family, struct err *err)
{
    struct enc *e = open_rope(f, family, "default", NULL, err);
    if (!e)
        return false;
    const struct spectrum *s = spectrum_of(e);
    size_t unfinished = measure_unfinished(s, f->trained), unseen = measure_unseen(s, f->trained, f->target);
    add(f, "unfinished_pairs", N_("pairs that never finish a turn in training"), (double)unfinished, "%zu / %zu", unfinished, s->n);
    add(f, "unseen_pairs", N_("pairs that meet new angles at the target length"), (double)unseen, "%zu / %zu", unseen, s->n);
    enc_close(e);
    return true;
}

/* ---- which of them ------------------------------------------------------------------------------------- */

/* Settings of the answered family; without the question, those of any other checkpoint. */
static const struct choice *family_of(const struct book *b, const signed char *given)
{
    const struct choice *found = NULL;
    for (size_t q = 0; q < b->n_questions; q++)
        for (size_t a = 0; a < b->question[q].n_answers; a++)
            if (b->question[q].answer[a].settings && (!found || given[q] == (signed char)a || given[q] < 0))
                found = &b->question[q].answer[a];
    return found;
}

static void say_what_to_write(struct factors *f, const char *method, double factor)
{
    if (!strcmp(method, "yarn"))
        snprintf(f->write, sizeof f->write, "{\"rope_type\": \"yarn\", \"factor\": %.10g, \"original_max_position_embeddings\": "
                 "%.0f}",
                 factor, f->trained);
    if (!strcmp(method, "dynamic_ntk"))
        snprintf(f->write, sizeof f->write, "{\"rope_type\": \"dynamic\", \"factor\": %.10g}", factor);
}

static bool is_rope(const struct book *b, const signed char *given)
{
    int q = book_question(b, "ck_scheme");
    return q >= 0 && given[q] >= 0 && !strcmp(b->question[q].answer[given[q]].id, "rope");
}

bool wizard_factors(const struct book *b, const struct walk *w, struct factors *f, struct err *err)
{
    *f = (struct factors){.trained = w->trained, .target = w->target, .ratio = w->target / w->trained};
    signed char given[BOOK_MAX_QUESTIONS];
    int rule = wizard_rule(b, w);
    if (isnan(f->ratio) || rule < 0)
        return true;
    walk_given(b, w, given, NULL);
    const struct choice *family = family_of(b, given);
    const struct json *settings = family ? family->settings : NULL;
    f->base = isnan(w->base) ? json_number(json_get(settings, "rope_theta"), 10000) : w->base;
    f->rotary_dim = isnan(w->rotary_dim) ? json_number(json_get(settings, "rotary_dim"), 128) : w->rotary_dim;
    if (family && (isnan(w->base) || isnan(w->rotary_dim)))
        f->assumed_from = family->settings_of;
    add(f, "ratio", N_("target / trained length"), f->ratio, "%.10g / %.10g", f->target, f->trained);
    if (!is_rope(b, given) || f->ratio <= 1)
        return true;
    double factor = json_number(json_get(settings, "factor"), ceil(f->ratio));
    const char *method = b->rule[rule].result;
    add(f, "factor", N_("factor to set"), factor, "%s", json_get(settings, "factor") ? N_("as shipped") : N_("rounded up"));
    say_what_to_write(f, method, factor);
    if (!strcmp(method, "llama3"))
        return add_llama3(f, settings, err) && add_unseen(f, settings, err);
    return add_yarn(f, settings, factor, err) && add_ntk(f, settings, err) && add_longrope(f, settings, err)
        && add_unseen(f, settings, err);
}
