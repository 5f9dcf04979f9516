/* target.c - settings that reach a longer context. Every factor is read back from the encoding `rope`, opened with the setting. */
#include "model/target.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"

#include "core/quantity.h"
#include "model/reader.h"

/* fmt is one of our own messages or its checked translation (msgfmt --check-format). */
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

/* A way to reach further. */
struct method {
    const char *name;           /* rope_type to write; NULL: a new rope_theta */
    const char *computed;       /* rope_type of the encoding */
    const char *effect;         /* N_() */
};
static const struct method methods[] = {
    {"yarn", "yarn", N_("Fast pairs, which carry short distances, turn as before; slow pairs are divided by the factor; logits grow by the square of the attention "
                        "factor at every length (Peng et al. 2024).")},
    {"dynamic", "dynamic", N_("Nothing changes up to the trained length; beyond it the base grows with the length in use, so keys cached earlier were turned with "
                              "another base than later queries.")},
    {"llama3", "llama3", N_("Pairs that turn often within the trained length are kept, slow ones are divided, a few are blended; logits are not scaled. Llama 3.1 "
                            "was tuned with it.")},
    {NULL, "ntk", N_("A larger base slows every pair but the first, the slowest by the factor. Works without any scaling object.")},
    {"linear", "linear", N_("All pairs are divided by the factor: neighbouring tokens come that much closer, so short text changes most (Chen et al. 2023 tune "
                            "the model afterwards).")},
};

static struct enc *open_item(struct item *item, const struct layer_facts *kind, double length)
{
    struct shape shape = kind->shape;
    shape.length = length;
    struct enc *e = enc_open(item->kind, &shape, item->param, NULL);
    item_done(item);
    return e;
}

static void clear(struct item *item, const char *name)
{
    int i = param_index(item->kind->params, item->kind->n_params, name);
    if (i < 0)
        return;
    table_unref(item->param[i].t);
    item->param[i] = (struct value){item->kind->params[i].def, NULL};
}

/* The model's rotation without its scaling. */
static void bare_item(struct item *item, const struct item *of_model)
{
    static const char *const scaling[] = {"rope_type", "factor", "original_max_position_embeddings", "max_position_embeddings", "alpha", "attention_factor",
                                          "beta_fast", "beta_slow", "truncate", "mscale", "mscale_all_dim", "low_freq_factor", "high_freq_factor",
                                          "short_factor", "long_factor", "short_mscale", "long_mscale"};
    item_copy(item, of_model);
    for (size_t i = 0; i < sizeof scaling / sizeof *scaling; i++)
        clear(item, scaling[i]);
}

static double param_of(const struct item *item, const char *name)
{
    int i = param_index(item->kind->params, item->kind->n_params, name);
    return i < 0 ? NAN : item->param[i].x;
}

static void method_item(struct item *item, const struct item *of_model, const struct method *m, double factor, double trained, double target)
{
    bare_item(item, of_model);
    item_choice(item, "rope_type", m->computed);
    item_number(item, strcmp(m->computed, "ntk") ? "factor" : "alpha", factor);
    item_number(item, "max_position_embeddings", strcmp(m->computed, "dynamic") ? target : trained);
    if (!strcmp(m->computed, "yarn") || !strcmp(m->computed, "llama3"))
        item_number(item, "original_max_position_embeddings", trained);
    if (!strcmp(m->computed, "yarn") && param_of(item, "qk_nope_head_dim") > 0) {       /* latent attention scales its logits by mscale_all_dim */
        item_number(item, "mscale", 1);
        item_number(item, "mscale_all_dim", 1);
    }
}

/* ---- what to write ------------------------------------------------------------------------------------------------- */

/* The scaling object, without the keys that only transformers 5 has in it. */
static struct json *scaling_json(const struct method *m, const struct item *item, double factor, double trained)
{
    struct json *o = json_object();
    json_set_string(o, "rope_type", m->name);
    json_set_number(o, "factor", factor);
    if (!strcmp(m->name, "yarn") || !strcmp(m->name, "llama3"))
        json_set_number(o, "original_max_position_embeddings", trained);
    if (!strcmp(m->name, "llama3")) {
        json_set_number(o, "low_freq_factor", param_of(item, "low_freq_factor"));
        json_set_number(o, "high_freq_factor", param_of(item, "high_freq_factor"));
    }
    if (!isnan(param_of(item, "mscale"))) {
        json_set_number(o, "mscale", param_of(item, "mscale"));
        json_set_number(o, "mscale_all_dim", param_of(item, "mscale_all_dim"));
    }
    int sections = param_index(item->kind->params, item->kind->n_params, "mrope_section");
    if (sections >= 0 && item->param[sections].t) {
        struct json *list = json_set(o, "mrope_section", json_array());
        for (size_t i = 0; i < item->param[sections].t->n; i++)
            json_push_number(list, item->param[sections].t->v[i]);
        if (param_of(item, "mrope_interleaved") == 1)
            json_set_bool(o, "mrope_interleaved", true);
    }
    return o;
}

static void theta_and_share(struct json *o, const struct facts *f, const struct layer_facts *kind, double base)
{
    json_set_number(o, "rope_theta", base);
    if (param_of(&kind->item[0], "qk_nope_head_dim") == 0 && f->rotary_dim < kind->shape.d_head)
        json_set_number(o, "partial_rotary_factor", f->rotary_dim / kind->shape.d_head);
}

/* The base of sliding layers that differ from the main ones; NAN: none. */
static double local_base(const struct facts *f)
{
    for (size_t k = 1; k < f->n_kinds; k++)
        if (!strcmp(f->kind[k].name, "local") && f->kind[k].n_items)
            return param_of(&f->kind[k].item[0], "rope_theta");
    return NAN;
}

/* transformers 5: theta and share stand inside; nested by layer type where sliding layers have a base of their own. */
static struct json *parameters_json(const struct facts *f, struct json *scaling, double base)
{
    const struct layer_facts *kind = &f->kind[0];
    struct json *full = scaling ? scaling : json_object();
    if (!scaling)
        json_set_string(full, "rope_type", "default");
    theta_and_share(full, f, kind, base);
    if (isnan(local_base(f)) || local_base(f) == f->base)
        return full;
    struct json *nested = json_object(), *sliding = json_object();
    json_set_string(sliding, "rope_type", "default");
    json_set_number(sliding, "rope_theta", local_base(f));
    json_set(nested, "full_attention", full);
    json_set(nested, "sliding_attention", sliding);
    return nested;
}

static void llama_cpp(struct json *o, const struct method *m, double factor, double trained, double target, double base)
{
    char text[160];
    if (!strcmp(m->computed, "llama3")) {
        json_set_null(o, "llama_cpp");          /* its factors are a tensor that the converter writes */
        return;
    }
    if (!strcmp(m->computed, "yarn"))
        snprintf(text, sizeof text, "-c %.0f --rope-scaling yarn --rope-scale %.10g --yarn-orig-ctx %.0f", target, factor, trained);
    else if (!strcmp(m->computed, "linear"))
        snprintf(text, sizeof text, "-c %.0f --rope-scaling linear --rope-scale %.10g", target, factor);
    else
        snprintf(text, sizeof text, "-c %.0f --rope-freq-base %.10g", target, base);
    json_set_string(o, "llama_cpp", text);
}

/* ---- what it does ---------------------------------------------------------------------------------------------------- */

static void bands(struct json *o, const struct spectrum *s)
{
    size_t count[BAND_OFF + 1] = {0};
    for (size_t k = 0; k < s->n; k++)
        count[s->band ? s->band[k] : BAND_KEPT]++;
    struct json *pairs = json_set(o, "pairs", json_object());
    json_set_number(pairs, "kept", (double)count[BAND_KEPT]);
    json_set_number(pairs, "blended", (double)count[BAND_BLENDED]);
    json_set_number(pairs, "divided", (double)count[BAND_DIVIDED]);
}

/* Mean over pairs of cos(d (w - w')): how well the rotation over a distance agrees with that of training. */
static void agreement(struct json *o, const struct spectrum *now, const struct spectrum *before, double trained)
{
    const double distances[] = {1, 16, 256, 4096};
    struct json *list = json_set(o, "agreement", json_object());
    for (size_t i = 0; i < sizeof distances / sizeof *distances; i++) {
        double sum = 0, d = distances[i];
        if (d > trained)
            break;
        for (size_t k = 0; k < now->n && k < before->n; k++)
            sum += cos(d * (now->inv_freq[k] - before->inv_freq[k]));
        char key[24];
        snprintf(key, sizeof key, "%.0f", d);
        json_set_number(list, key, sum / (double)now->n);
    }
}

/* As the model was trained: at the trained length, with what the file itself has if it is no stretching. */
static struct enc *open_trained(const struct facts *f, double trained)
{
    struct item item;
    bare_item(&item, &f->kind[0].item[0]);
    return open_item(&item, &f->kind[0], trained);
}

static void propose(struct json *list, const struct facts *f, const struct method *m, double factor, double target, enum lang lang)
{
    double trained = f->trained_context;
    struct item item, described;
    method_item(&item, &f->kind[0].item[0], m, factor, trained, target);
    item_copy(&described, &item);
    /* short text is seen at the trained length, the base in use and the attention factor at the target */
    struct item at_target;
    item_copy(&at_target, &item);
    struct enc *e = open_item(&item, &f->kind[0], trained), *far = open_item(&at_target, &f->kind[0], target), *before = open_trained(f, trained);
    if (e && far && before) {
        const struct spectrum *near_spectrum = e->kind->spectrum(e), *far_spectrum = far->kind->spectrum(far);
        bool changes_base = !strcmp(m->computed, "ntk") || !strcmp(m->computed, "dynamic");
        double base = changes_base ? quantity_number(far, "base") : f->base;
        struct json *o = json_push(list, json_object());
        json_set_string(o, "method", m->name ? m->name : "rope_theta");
        json_set(o, "rope_parameters", parameters_json(f, m->name ? scaling_json(m, &described, factor, trained) : NULL, m->name ? f->base : base));
        json_set(o, "rope_scaling", m->name ? scaling_json(m, &described, factor, trained) : json_new_null());
        if (!m->name)
            json_set_number(o, "rope_theta", base);
        /* Dynamic scaling counts from the declared length, so that stays as it was trained. */
        json_set_number(o, "max_position_embeddings", strcmp(m->computed, "dynamic") ? target : trained);
        llama_cpp(o, m, factor, trained, target, base);
        json_set_number(o, "attention_factor", far_spectrum->attention_factor);
        if (changes_base)
            json_set_number(o, "base_at_target", base);
        else
            bands(o, far_spectrum);
        agreement(o, near_spectrum, before->kind->spectrum(before), trained);
        json_set_string(o, "effect", lang_text(lang, m->effect));
    }
    enc_close(e);
    enc_close(far);
    enc_close(before);
    item_done(&described);
}

/* ---- whether anything need be written ------------------------------------------------------------------------------------- */

static void put_saying(struct json *o, enum lang lang, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static void put_saying(struct json *o, enum lang lang, const char *fmt, ...)
{
    char text[700];
    va_list ap;
    va_start(ap, fmt);
    message_format(text, sizeof text, lang, fmt, ap);
    va_end(ap);
    json_set_string(o, "says", text);
}

static bool is(const struct facts *f, enum scheme scheme)
{
    return !strcmp(f->scheme, scheme_names[scheme]);
}

/* Encodings that no setting stretches; true if that was said. */
static bool no_setting(struct json *o, const struct facts *f, double target, enum lang lang)
{
    if (is(f, SCHEME_LEARNED) && isnan(f->context))
        put_saying(o, lang, N_("A learned table ends where its rows end, which the file does not say: no setting stretches it."));
    else if (is(f, SCHEME_LEARNED))
        put_saying(o, lang, N_("The learned table ends at %.10g positions: no setting reaches %.10g. The table must be enlarged (copied, interpolated) and trained on."),
                   f->context, target);
    else if (is(f, SCHEME_ALIBI) && isnan(f->trained_context))
        put_saying(o, lang, N_("ALiBi is defined at any length: nothing need be written. Far keys get large penalties, so steep heads see no further than before."));
    else if (is(f, SCHEME_ALIBI))
        put_saying(o, lang, N_("ALiBi is defined at any length: nothing need be written. Far keys get large penalties, so steep heads see no further than before; what "
                               "the model makes of the rest beyond %.10g was never trained."), f->trained_context);
    else if (is(f, SCHEME_T5))
        put_saying(o, lang, N_("T5's buckets are defined at any length: nothing need be written. All distances past the last bucket look alike."));
    else if (is(f, SCHEME_NONE))
        put_saying(o, lang, N_("There is no position encoding to stretch."));
    else if (!is(f, SCHEME_ROPE))
        put_saying(o, lang, N_("No setting stretches this encoding; positions beyond the trained ones were never seen."));
    else if (!f->n_kinds || !f->kind[0].n_items || isnan(f->trained_context) || strcmp(f->kind[0].item[0].kind->id, "rope"))
        put_saying(o, lang, N_("The file does not say enough: a base, a head width and a length are needed."));
    else
        return false;
    return true;
}

struct json *facts_target(const struct facts *f, double target, enum lang lang)
{
    struct json *o = json_object();
    double factor = target / f->trained_context;
    json_set_number(o, "target", target);
    json_set_number(o, "trained", f->trained_context);
    json_set_number(o, "context", f->context);
    struct json *proposals = json_array();
    if (!no_setting(o, f, target, lang)) {
        json_set_number(o, "factor", factor);
        if (target <= f->context) {
            put_saying(o, lang, N_("The file reaches %.10g already: its context is %.10g. Nothing need be written."), target, f->context);
        } else {
            put_saying(o, lang, N_("%.10g is %.6g times the trained length %.10g. Any one of these reaches it; each stands in place of the scaling the file may have. The "
                                   "agreement is that of the rotation over a distance with the one of training (1: equal)."), target, factor, f->trained_context);
            for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
                propose(proposals, f, &methods[i], factor, target, lang);
        }
    }
    json_set(o, "proposals", proposals);
    return o;
}
