/* bench_scaling.c - time and memory against the number of tokens, for what every view computes: its figure on a screen of 80 x 24,
 * with the preset that shows it at its best. */
#include <math.h>
#include <stdio.h>

#include "app/view.h"
#include "command/bench.h"

static const double most = 2;           /* seconds of the processor: who needs more is told to stop */

static void say_end(struct bench_row *r, const struct bench_figure *f, const struct scenario *s)
{
    static const char stopped[] = N_("stopped; first picture after %.0f ms");
    if (f->end == BENCH_STOPPED)
        snprintf(r->note, sizeof r->note, lang_text(s->lang, stopped), f->first * 1e3);
    else if (f->end == BENCH_REFUSED)
        snprintf(r->note, sizeof r->note, "%s", f->err.text);
}

static void bench_view(struct bench *b, enum view_id view, double n)
{
    struct scenario s;
    char text[32];
    struct bench_row *r = bench_add(b, "view");
    snprintf(r->name, sizeof r->name, "view %s", views[view]->id);
    snprintf(text, sizeof text, "%.0f", n);
    scenario_init(&s);
    r->n = n;
    if (views[view]->preset)
        scenario_load_preset(&s, views[view]->preset, NULL);
    if (scenario_set_view(&s, views[view]->id, NULL) && scenario_set(&s, "n", text, NULL) &&
        (view != VIEW_attention || scenario_set(&s, "content", "seeded", NULL))) {      /* its preset is of one sentence */
        bench_forget_peak();
        struct bench_figure f = bench_figure(&s, most);
        r->rss_bytes = bench_peak();
        r->own = (struct peer_time){f.seconds, f.cpu_seconds, NAN, NAN};
        r->d = s.shape.d_head;
        r->heads = s.shape.n_heads;
        say_end(r, &f, &s);
    }
    scenario_done(&s);
}

static void run(struct bench *b)
{
    for (int v = 0; v < VIEW_COUNT; v++)
        for (double n = 1e3; n <= 1e7; n *= 10)
            bench_view(b, (enum view_id)v, n);
}

const struct bench_family bench_scaling = {.name = "scaling", .run = run};
