/* wizard.h - the selection wizard as a rule engine: no screen, no files.
 *
 * A book is the evidence as data: questions, scores with their reasons and sources, constraints, rules, claims of the guide
 * (presets/wizard.json). It never changes after wizard_load, so any thread may read it. A walk is what one user answered:
 * plain data, to be copied and compared freely. Everything else is a function of the two.
 *
 *     weight(c)  = max(floor, base(c) + sum of the chosen answers' weights for c), or the user's own
 *     points(s)  = sum over c of weight(c) * score(s, c)
 *     percent(s) = 100 * points(s) / (4 * sum of weight)
 *
 * Order: walk_init, walk_answer ..., walk_next until WIZARD_DONE; then by walk_branch: the situation (document), wizard_rank and
 * wizard_changes (evidence), wizard_rule and wizard_factors (checkpoint); report_json.c and report_markdown.c write
 * all of it. */
#ifndef POSVIZ_WIZARD_WIZARD_H
#define POSVIZ_WIZARD_WIZARD_H

#include <stdbool.h>
#include <stddef.h>
#include "base/err.h"
#include "json/json.h"

enum { BOOK_MAX_QUESTIONS = 32, BOOK_MAX_ANSWERS = 9, BOOK_MAX_CRITERIA = 16, BOOK_MAX_SCHEMES = 24, BOOK_MAX_RULES = 64,
       BOOK_MAX_CITES = 8, BOOK_MAX_TERMS = 6, BOOK_MAX_ALTERNATIVES = 4, BOOK_MAX_COLUMNS = 16, BOOK_MAX_CLAIMS = 16 };
enum { WIZARD_MAX_SCORE = 4, WIZARD_DONE = -1 };

/* ---- the book: every string is borrowed from its JSON -------------------------------------------------- */

struct words { const char *in[LANG_COUNT]; };

/* How a figure was checked, from the firmest to not at all; in the order of meta.verified_via's words. */
struct via { const char *id; struct words name, brief; int weakness; };
struct source {
    const char *id, *name, *title, *venue, *locator;    /* name: "Press et al. 2022" */
    int year;
    const struct via *via;
    struct words fact;
};
struct evidence {
    size_t n;
    const struct source *source[BOOK_MAX_CITES];
    const struct via *via;          /* as stated, or the weakest of the sources; NULL: no source */
    bool unverified;                /* a part of the text was not read from a stored source: shown with "?" */
};

struct clause { int question; bool is; unsigned answers; };       /* bit set of answers; !is: answered, but none of them */
struct condition { const char *text; size_t n; struct clause term[BOOK_MAX_TERMS]; };    /* n 0: always */

enum branch { BRANCH_NONE, BRANCH_DOCUMENT, BRANCH_EVIDENCE, BRANCH_CHECKPOINT, BRANCH_COUNT };
extern const char *const branch_names[];        /* "", document, evidence, checkpoint */

struct choice {
    const char *id;
    struct words label;
    double weight[BOOK_MAX_CRITERIA];
    double up_to;                   /* largest target / trained length it stands for; NAN: none */
    enum branch leads_to;           /* of the first question */
    const struct json *settings;    /* rope parameters that checkpoints of this answer have, by name; or NULL */
    const char *settings_of;        /* the model they were read from */
};
struct question {
    const char *id;
    enum branch branch;             /* BRANCH_NONE: before the branches */
    int order;
    struct words title, why;
    struct condition ask[BOOK_MAX_ALTERNATIVES]; size_t n_ask;
    struct choice answer[BOOK_MAX_ANSWERS]; size_t n_answers;
    const struct claim *claim[BOOK_MAX_CLAIMS]; size_t n_claims;        /* of the guide, touched by it */
    bool weightless;                /* no answer carries a weight, a branch or a condition: it did not count */
};

struct scheme {
    const char *id, *family;
    const char *encoding;           /* the one of this program that shows it, or NULL */
    struct words name, brief, summary;              /* brief: where room is short */
    int tie_rank;
    const struct claim *claim[BOOK_MAX_CLAIMS]; size_t n_claims;
};
struct criterion {
    const char *id;
    struct words name, brief;
    double base;                    /* weight before any answer */
    const char *view;               /* where the program shows it, or NULL */
};
struct rating { double score; struct words reason; struct evidence evidence; };

struct constraint {
    const char *id;
    struct condition when;
    unsigned schemes;               /* bit set of those it removes */
    struct words reason;
    struct evidence evidence;
};
struct setting { int scheme, criterion; double score; };
struct score_override {
    const char *id;
    struct condition when;
    struct setting set[BOOK_MAX_CITES]; size_t n;
    struct words reason;
    struct evidence evidence;
};

enum verdict { VERDICT_SUPPORTED, VERDICT_CONTESTED, VERDICT_WRONG, VERDICT_IMPRECISE, VERDICT_UNVERIFIED, VERDICT_COUNT };
extern const char *const verdict_ids[];         /* supported, contested, wrong, imprecise, unverified */
extern const char *const verdict_titles[];      /* N_() */
struct claim {
    const char *id, *section;
    struct words says, found;
    enum verdict verdict;
    struct evidence evidence;
    const char *view, *encoding;    /* where the program shows it, or NULL */
};

/* Plain data. A question that is not asked (any more) may keep an answer: it does not count until it is asked. */
struct walk {
    signed char answer[BOOK_MAX_QUESTIONS];     /* index into the question's answers; -1: none */
    double weight[BOOK_MAX_CRITERIA];           /* the user's own; NAN: from the answers */
    double trained, target;                     /* lengths in tokens; NAN: not said */
    double base, rotary_dim;                    /* of the checkpoint; NAN: not said */
};

struct situation {                              /* a scenario, case or consideration of the guide */
    const char *id, *section;
    struct words name, label, reason, note;
    int scheme;                                 /* what the guide recommends */
    const struct claim *claim[BOOK_MAX_CLAIMS]; size_t n_claims;
    struct walk preset;                         /* the evidence branch, filled in */
    bool agrees;
    struct evidence evidence;                   /* of the note */
};

struct method {
    const char *id;
    struct words name, formula, params, use, measured, note;    /* note may be NULL */
    struct evidence evidence;
};
struct rule {
    const char *id;
    struct condition when;
    const char *result;             /* id of the method, or of what to do instead */
    const struct method *method;    /* NULL: nothing to scale */
    struct words name, text;
    struct evidence evidence;
};
struct short_rule { struct condition when; struct words text, measured; struct evidence evidence; };

enum { GUIDE_COLUMNS = 4 };
extern const char *const guide_columns[GUIDE_COLUMNS];        /* absolute, relative, rope, alibi */
struct guide_row {
    const char *id;
    struct words name, value[GUIDE_COLUMNS];
    double score[GUIDE_COLUMNS];                /* NAN: not rated */
    const struct claim *of[GUIDE_COLUMNS];      /* the claim about each cell, or NULL */
    const struct claim *claim[BOOK_MAX_CLAIMS]; size_t n_claims;
};

struct measured_row {
    struct words name;
    double value[BOOK_MAX_COLUMNS];             /* NAN: a text such as ">1e4", or not measured */
    const char *text[BOOK_MAX_COLUMNS];
};
struct measurement {
    const char *id, *locator;
    struct words title, note;                   /* note may be NULL */
    bool curves;                                /* columns are x values (lengths, sizes) */
    struct words column[BOOK_MAX_COLUMNS]; double x[BOOK_MAX_COLUMNS]; size_t n_columns;       /* x NAN: a word */
    struct measured_row *row; size_t n_rows;
    struct evidence evidence;
};
struct model { const char *name; int year, scheme; struct words kind, detail; struct evidence evidence; };
struct trend {
    const char *id;
    const struct claim *claim;                  /* the guide's trend it belongs to */
    struct words text, measured;
    const struct model *model[BOOK_MAX_CLAIMS]; size_t n_models;
    struct evidence evidence;
};

struct book {
    struct json *json;                          /* owner of the strings */
    int version;
    const char *date;
    double floor, close_percent;
    struct via *via; size_t n_vias;
    struct source *source; size_t n_sources;
    struct claim *claim; size_t n_claims;
    struct criterion *criterion; size_t n_criteria;
    struct scheme *scheme; size_t n_schemes;
    struct rating *cell;                          /* n_schemes x n_criteria */
    struct question *question; size_t n_questions;              /* in the order of asking */
    struct constraint *constraint; size_t n_constraints;
    struct score_override *override; size_t n_overrides;
    struct situation *situation; size_t n_situations;
    struct method *method; size_t n_methods;
    struct rule *rule; size_t n_rules;
    struct short_rule short_rule;
    struct guide_row *guide_row; size_t n_guide_rows;
    struct measurement *measurement; size_t n_measurements;
    struct model *model; size_t n_models;
    struct trend *trend; size_t n_trends;
    struct words *check; size_t n_checks;       /* what this project computed about the guide */
    struct words *gap; size_t n_gaps;           /* what is not known */
    struct words *tie_rule; size_t n_tie_rules;
};

/* Checks the data and takes it over (freed on failure too). NULL and a message with the path in the data. */
struct book *wizard_load(struct json *json, struct err *err);
void wizard_free(struct book *book);
/* The built-in book, parsed at the first call; NULL and a message if its data is broken. */
const struct book *wizard_book(struct err *err);

const struct rating *book_cell(const struct book *book, int scheme, int criterion);
int book_scheme(const struct book *book, const char *id);               /* -1: unknown */
int book_question(const struct book *book, const char *id);
int book_criterion(const struct book *book, const char *id);
const struct situation *book_situation(const struct book *book, const char *id);
const struct claim *book_claim(const struct book *book, const char *id);
/* "" where they were left out. */
const char *words_in(struct words w, enum lang lang);
/* "Press et al. 2022, Tables 1-4 (paper); ..." Returns out. */
char *evidence_text(char *out, size_t size, const struct evidence *e, enum lang lang);
bool condition_holds(const struct condition *c, const signed char *given);      /* given: answers to asked questions, -1 none */

/* ---- the walk (walk.c) --------------------------------------------------------------------------------- */

void walk_init(struct walk *w);
bool walk_same(const struct walk *a, const struct walk *b);
/* Takes an answer by ids. The message lists what is allowed. */
bool walk_answer(const struct book *book, struct walk *w, const char *question, const char *answer, struct err *err);
bool walk_weight(const struct book *book, struct walk *w, const char *criterion, double weight, struct err *err);
/* Lengths in tokens; what they decide (the ratio) is answered from then on. Message if not positive. */
bool walk_lengths(const struct book *book, struct walk *w, double trained, double target, struct err *err);
/* Answers what the given answers presuppose: arch=decoder means start=new, doc_scenario=S4 means start=guide and
 * doc_kind=scenario. */
void walk_infer(const struct book *book, struct walk *w);
/* Lengths, inference and check in one: what is called once all is given. */
bool walk_settle(const struct book *book, struct walk *w, struct err *err);
/* Is every answer an answer to a question that is asked, and does it agree with the lengths? */
bool walk_check(const struct book *book, const struct walk *w, struct err *err);
/* Answers of the asked questions, -1 elsewhere; asked may be NULL. */
void walk_given(const struct book *book, const struct walk *w, signed char given[BOOK_MAX_QUESTIONS],
                bool asked[BOOK_MAX_QUESTIONS]);
int walk_next(const struct book *book, const struct walk *w);           /* WIZARD_DONE: complete */
enum branch walk_branch(const struct book *book, const struct walk *w);
/* The fewest and most questions of a complete walk that begins like this one. */
void walk_span(const struct book *book, const struct walk *w, int *least, int *most);
/* The situation that a document walk ends with; NULL: not yet. */
const struct situation *walk_situation(const struct book *book, const struct walk *w);
/* Claims of the guide about a scheme and about the answered questions, each once; at most max. */
enum { WIZARD_MAX_CLAIMS = 64 };
size_t walk_claims(const struct book *book, const struct walk *w, int scheme, const struct claim **out, size_t max);
/* {"answers": {...}, "your_weights": {...}, "trained", "target", ...}; other members are ignored, so that a saved report
 * loads. */
bool walk_from_json(const struct book *book, struct walk *w, const struct json *json, struct err *err);
void walk_to_json(const struct book *book, const struct walk *w, struct json *object);
/* The same on one line, "start=new arch=decoder weight.far=3": what a scenario keeps. */
bool walk_from_text(const struct book *book, struct walk *w, const char *text, struct err *err);
char *walk_to_text(const struct book *book, const struct walk *w, char *out, size_t size);

/* ---- evidence (rank.c) --------------------------------------------------------------------------------- */

struct ranked { int scheme; double points, percent; };
struct ranking {
    size_t n;                                   /* schemes left */
    struct ranked row[BOOK_MAX_SCHEMES];        /* best first */
    double weight[BOOK_MAX_CRITERIA], weight_sum;
    double score[BOOK_MAX_SCHEMES][BOOK_MAX_CRITERIA];                  /* after overrides */
    unsigned removed_by[BOOK_MAX_SCHEMES];      /* bit set of constraints */
    unsigned overridden[BOOK_MAX_SCHEMES];      /* bit set of criteria whose score an override changed */
    unsigned overrides;                         /* bit set of those that hold */
    bool close;                                 /* first and second less than close_percent apart */
    int tie_rule;                               /* 1..4 decided between first and second; 0: no tie */
};
/* An incomplete walk ranks by what is answered. */
void wizard_rank(const struct book *book, const struct walk *w, struct ranking *out);
double ranking_points(const struct book *book, const struct ranking *r, int scheme);   /* also of a removed scheme */
enum { WIZARD_REASONS = 3 };                    /* how many a report names */
/* The criteria that gave the scheme most points, best first; returns how many (at most max; none without points). */
size_t ranking_reasons(const struct book *book, const struct ranking *r, int scheme, int *criterion, size_t max);

/* What one other answer would do: the evidence branch's winner (a scheme) or the checkpoint branch's rule. */
struct change { int question, answer, winner; bool asks_more; };        /* asks_more: it brings questions not answered yet */
enum { WIZARD_MAX_CHANGES = BOOK_MAX_QUESTIONS * BOOK_MAX_ANSWERS };
size_t wizard_changes(const struct book *book, const struct walk *w, struct change out[WIZARD_MAX_CHANGES]);

/* ---- checkpoint (method.c) ----------------------------------------------------------------------------- */

/* The first rule that matches; -1: the walk is incomplete. */
int wizard_rule(const struct book *book, const struct walk *w);
bool wizard_short_rule(const struct book *book, const struct walk *w);

/* Numbers for the method, computed by the encodings from the walk's lengths, base and rotated dimensions. */
struct factor {
    const char *id;             /* key in JSON */
    const char *name;           /* N_() */
    double value;
    char formula[96];           /* with the numbers put in, or a word to translate (N_()) */
};
enum { WIZARD_MAX_FACTORS = 16 };
struct factors {
    size_t n;
    struct factor factor[WIZARD_MAX_FACTORS];
    double trained, target, ratio, base, rotary_dim;
    const char *assumed_from;   /* model whose base or rotated dimensions stand in for unsaid ones; NULL: none assumed */
    char write[160];            /* rope_scaling to write into the checkpoint's config, as JSON; or "" */
};
/* False and a message if the encodings refuse the lengths. n is 0 where the lengths are not said. */
bool wizard_factors(const struct book *book, const struct walk *w, struct factors *out, struct err *err);

/* ---- reports (report_json.c, report_markdown.c) ------------------------------------------------------ */

/* What `posviz wizard --json` prints; an incomplete walk has "next" instead of a recommendation. The caller frees them. */
struct json *wizard_json(const struct book *book, const struct walk *w, struct err *err);
char *wizard_markdown(const struct book *book, const struct walk *w, enum lang lang, struct err *err);

#endif
