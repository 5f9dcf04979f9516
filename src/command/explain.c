/* explain.c - `posviz explain CODE`: what a finding means, what it does to a model, where the program shows it, and what was measured about
 * it, with the status of the evidence. Meanings come from the table of findings, evidence from the wizard's book,
 * lessons are named by their ids. */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/view.h"
#include "base/buf.h"
#include "base/mem.h"
#include "command/command.h"
#include "command/report.h"
#include "json/json.h"
#include "model/facts.h"
#include "scenario/tour.h"
#include "wizard/wizard.h"

enum { RIGHT = 96, EVIDENCE_MAX = 3 };

/* What findings do to a model; the first row whose pattern fits the code. */
static const struct explanation {
    const char *pattern;                /* of codes, as file names are matched */
    const char *view;                   /* that shows it, or NULL */
    const char *lesson;                 /* id of the one that teaches it, where a view shows it; or NULL */
    const char *evidence[EVIDENCE_MAX]; /* ids of claims and methods in the wizard's book */
    const char *effect;                 /* N_() */
} explanations[] = {
    {"duplicate-key", NULL, NULL, {NULL},
     N_("Some readers keep the first of the two values and some the last, so one file gives two models in two programs.")},
    {"control-characters", NULL, NULL, {NULL},
     N_("Nothing is computed otherwise. Shown as they are, such characters could move the cursor or change what a terminal displays.")},
    {"changed-by-you", NULL, NULL, {NULL}, N_("Only this reading is changed, never the file; the changed facts are marked.")},
    {"edit-refused", NULL, NULL, {NULL}, N_("Only this reading would have been changed, never the file; it is not read with half of the changes.")},
    {"cannot-open|empty-file|lfs-pointer|wrong-format|not-json|not-an-object|truncated|damaged|part-of-file", NULL, NULL, {NULL},
     N_("A loader stops at this file, or loads something else than was meant. Fetch or convert it again before looking at anything else.")},
    {"wrong-type|not-finite|out-of-range", NULL, NULL, {NULL},
     N_("A loader refuses the file, or computes frequencies, lengths or biases from a value that nobody meant.")},
    {"layout-unknown", "rotation", "rotation", {"G11"},
     N_("RoPE turns pairs of dimensions: either neighbours, or dimension k with k + half the width. With the wrong pairing every rotation is one that "
        "the weights were not trained with, and the text is garbled from the first words on.")},
    {"family-*|architecture-*|encoding-*", "model", "files", {NULL},
     N_("Which code will run cannot be told from the file alone, so what is shown may differ from what a loader computes. The wrong scheme or pairing "
        "garbles text from the first words on.")},
    {"width-assumed|head-dim-unknown|heads-*|odd-rotary-dim", "spectrum", "rotation", {NULL},
     N_("A rotated pair k has the frequency base^(-2k/d), with d the rotated width of a head: a wrong width changes every frequency but the first, and "
        "the number of pairs.")},
    {"partial-*", "rotation", "rotation", {NULL},
     N_("Only a part of each head is turned. Too large a part turns dimensions that carry content alone and changes every frequency; too small a part "
        "loses the slow pairs that tell distant positions apart.")},
    {"beyond-original", "rotation", "longer", {"G17", "pi"},
     N_("Beyond the length of training the slow pairs reach angles that the weights have never met, and predictions fall apart within a small multiple of "
        "that length unless the frequencies are scaled.")},
    {"context-*", "model", "files", {NULL},
     N_("Servers take the length from here: too small a value cuts texts off, too large a value lets them run into positions that were never trained.")},
    {"table-*|tensor-unread", "table", "tables", {"G06"},
     N_("A learned table has one row a position and nothing beyond its last row: a wrong number of rows or a wrong offset shifts or ends what the model "
        "knows about positions.")},
    {"base-*", "spectrum", "longer", {"abf"},
     N_("The base sets every frequency but the first. A wrong base leaves near neighbours almost right and turns distant ones wrong, so short texts look "
        "fine and long ones fail.")},
    {"yarn-*|rounding-lost", "spectrum", "longer", {"yarn"},
     N_("YaRN keeps fast pairs, divides slow ones and blends between; where the ramp between them starts and ends decides which pairs turn as they did in "
        "training.")},
    {"mscale-ignored", "spectrum", "longer", {"yarn"},
     N_("mscale and mscale_all_dim enter as a ratio that multiplies queries and keys, so the logits are multiplied by its square: too small a value flattens attention over long texts.")},
    {"longrope-*", "spectrum", "longer", {"longrope"},
     N_("LongRoPE divides each frequency by a factor of its own from a list; a list that does not fit the frequencies cannot be applied at all.")},
    {"llama3-*|factors-unknown", "spectrum", "longer", {"llama3"},
     N_("Scaling of this kind keeps fast pairs and slows the others by bands of wavelength; without it, or with wrong bands, texts beyond the original "
        "length come out wrong while short ones look fine.")},
    {"factor-below-one", "spectrum", "longer", {NULL},
     N_("Frequencies are divided by the factor, so 0.25 would make the scaled pairs turn four times as fast instead of slower: a quarter of the trained length "
        "already reaches angles that training never met. Where a share of the speed was meant, as --rope-freq-scale of llama.cpp is, the factor is its inverse, 4.")},
    {"scaling-*|factor-*|original-*", "spectrum", "longer", {"pi", "yarn"},
     N_("The scaling decides how fast each pair turns beyond the original length. If it is lost or read otherwise, short texts may look fine while distant "
        "positions turn to angles that the weights were not trained with.")},
    {"sections*", "grid", "grids", {"G39"},
     N_("Multi-axis RoPE divides the pairs between time, height and width; with other sections a pair follows another axis than the one it was trained for.")},
    {"layer-*|no-rope-layers", "model", "files", {NULL},
     N_("Some layers would get the encoding or the window of another kind: distances that they were trained not to see, or the other way round.")},
    {"window-*", "attention", "files", {NULL},
     N_("A sliding layer sees only the last keys of its window. Without the window it attends over distances it was not trained for, and memory grows with "
        "the text.")},
    {"buckets-too-few|distance-too-small", "bias", "distance", {"G16"},
     N_("Distances share a learned bias by buckets, exact near and logarithmic far away; without room for the logarithm all far distances fall together or the formula divides by zero.")},
    {"*", NULL, NULL, {NULL}, N_("What follows depends on the loader; the message of the finding says what is known.")},
};

/* Does one of the patterns between the bars fit? */
static bool fits(const char *patterns, const char *code)
{
    char one[64];
    for (; *patterns; patterns += *patterns == '|') {
        size_t n = strcspn(patterns, "|");
        snprintf(one, sizeof one, "%.*s", (int)n, patterns);
        if (fnmatch(one, code, 0) == 0)
            return true;
        patterns += n;
    }
    return false;
}

static const struct explanation *explanation_of(const char *code)
{
    const struct explanation *e = explanations;
    while (!fits(e->pattern, code))
        e++;
    return e;
}

static void paragraph(struct buf *out, const char *text)
{
    report_paragraph(out, text, 4, RIGHT);
}

static void put_views(struct buf *out, const struct explanation *e, enum lang lang)
{
    struct tour *lesson = e->lesson ? tour_load(e->lesson, NULL) : NULL;
    if (!e->view)
        return;
    report_heading(out, lang_text(lang, N_("See it")));
    char *line = xasprintf("posviz %s -m FILE", e->view);
    paragraph(out, line);
    free(line);
    if (lesson) {
        line = xasprintf("posviz tour %s  (%s)", lesson->id, lesson->title[lang]);
        paragraph(out, line);
        free(line);
    }
    tour_free(lesson);
}

/* what: a method's name, or the verdict on a claim. */
static void put_fact(struct buf *out, const char *what, const char *text, const struct evidence *e, enum lang lang)
{
    char sources[600], *line = xasprintf("%s: %s [%s]", what, text, evidence_text(sources, sizeof sources, e, lang));
    paragraph(out, line);
    free(line);
}

static void put_evidence(struct buf *out, const struct explanation *e, enum lang lang)
{
    struct err err = {.lang = lang};
    const struct book *book = wizard_book(&err);
    if (!book || !e->evidence[0])
        return;
    report_heading(out, lang_text(lang, N_("Evidence, and how it was checked")));
    for (size_t i = 0; i < EVIDENCE_MAX && e->evidence[i]; i++) {
        const struct claim *claim = book_claim(book, e->evidence[i]);
        if (claim)
            put_fact(out, lang_text(lang, verdict_titles[claim->verdict]), claim->found.in[lang], &claim->evidence, lang);
        for (size_t m = 0; m < book->n_methods; m++)
            if (!strcmp(book->method[m].id, e->evidence[i]))
                put_fact(out, book->method[m].name.in[lang], book->method[m].measured.in[lang], &book->method[m].evidence, lang);
    }
}

static void explain(struct buf *out, const struct finding_kind *kind, enum lang lang)
{
    const struct explanation *e = explanation_of(kind->code);
    char *title = xasprintf("%s (%s)\n", kind->code, lang_text(lang, severity_names[kind->severity]));
    buf_text(out, title);
    free(title);
    paragraph(out, lang_text(lang, kind->meaning));
    report_heading(out, lang_text(lang, N_("What it does to the model")));
    paragraph(out, lang_text(lang, e->effect));
    put_views(out, e, lang);
    put_evidence(out, e, lang);
}

static void list(struct buf *out, enum lang lang)
{
    for (const struct finding_kind *k = finding_kinds; k->code; k++) {
        char *line = xasprintf("%-24s %s: %s\n", k->code, lang_text(lang, severity_names[k->severity]), lang_text(lang, k->meaning));
        buf_text(out, line);
        free(line);
    }
}

/* ---- the verb ------------------------------------------------------------------------------------------------------------ */

static bool answer(struct buf *out, const char *code, struct err *err)
{
    const struct finding_kind *kind = finding_kinds;
    while (code && kind->code && strcmp(kind->code, code))
        kind++;
    if (!code)
        list(out, err->lang);
    else if (kind->code)
        explain(out, kind, err->lang);
    else
        return err_set(err, N_("there is no finding '%s'; posviz explain lists them"), code);
    return true;
}

static int run(int argc, char **argv, enum lang lang)
{
    struct err err = {.lang = lang};
    struct buf out = {0};
    const char *argument, *code = NULL;
    for (int i = 1; i < argc;) {
        int option = command_next(&command_explain, argc, argv, &i, &argument, lang);
        if (option == COMMAND_HELP)
            return STATUS_DONE;
        if (option == COMMAND_WRONG)
            return STATUS_USAGE;
        if (!command_single(&code, argument, &err))
            return command_fail(&command_explain, err.text);
    }
    if (!answer(&out, code, &err))
        return command_fail(&command_explain, err.text);
    char *text = buf_string(&out);
    int status = command_print(&command_explain, text, STATUS_DONE, lang);
    free(text);
    return status;
}

const struct command command_explain = {
    .name = "explain",
    .usage = "[CODE]",
    .summary = N_("what a finding means and what it does to a model"),
    .help = N_("CODE is the name in brackets behind a finding of `posviz model`, such as factor-below-one; without it all are listed. The answer names the "
               "view and the lesson that show it, and what was measured about it, with the status of that evidence."),
    .run = run,
};
