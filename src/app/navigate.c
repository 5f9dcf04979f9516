#include "app/navigate.h"

#include <math.h>

#include "app/screen.h"
#include "app/state.h"

/* ---- the pointer ---------------------------------------------------------------------------------------- */

static const struct panel *panel_at(const struct app *app, int i)
{
    return app->figure && i >= 0 && (size_t)i < app->figure->n && app->figure->panel[i].rows > 0 ? &app->figure->panel[i] : NULL;
}

/* The panel of the cursor; where it has no room, the first that has. */
static int focus(const struct app *app)
{
    if (panel_at(app, app->s.focus))
        return app->s.focus;
    for (int i = 0; app->figure && (size_t)i < app->figure->n; i++)
        if (panel_at(app, i))
            return i;
    return -1;
}

struct place navigate_pointer(const struct app *app)
{
    if (app->hovering && panel_at(app, app->hover.panel))
        return app->hover;
    struct spot spot = scenario_spot(&app->s, focus(app));
    struct place at = {focus(app), spot.x, spot.y};
    if (at.panel >= 0)
        panel_step(panel_at(app, at.panel), 0, 0, &at.x, &at.y);
    return at;
}

/* Moves the spots of an axis' coordinate, in all panels. */
static void share(struct app *app, const struct axis *moved, double to)
{
    for (int i = 0; moved->coord && (size_t)i < app->figure->n && i < CURSOR_PANELS; i++) {
        const struct panel *p = &app->figure->panel[i];
        if (p->x.coord == moved->coord)
            app->s.cursor[i].x = to;
        if (p->y.coord == moved->coord)
            app->s.cursor[i].y = to;
    }
}

void navigate_put(struct app *app, struct place at)
{
    app->s.focus = at.panel;
    if (at.panel < 0 || at.panel >= CURSOR_PANELS)
        return;
    app->s.cursor[at.panel] = (struct spot){at.x, at.y};
    share(app, &app->figure->panel[at.panel].x, at.x);
    share(app, &app->figure->panel[at.panel].y, at.y);
}

bool navigate_to_cell(struct app *app, int y, int x, struct place *out)
{
    struct rect r = screen_zones_now(app).figure;
    out->panel = app->figure ? figure_locate(app->figure, y - r.y, x - r.x, &out->x, &out->y) : -1;
    return out->panel >= 0;
}

/* Is there an axis of p with the coordinate? */
static bool has_coord(const struct panel *p, int coord)
{
    return coord && (p->x.coord == coord || p->y.coord == coord);
}

size_t navigate_linked(const struct app *app, struct cursor *out, size_t max)
{
    struct place at = navigate_pointer(app);
    const struct panel *here = panel_at(app, at.panel), *p;
    size_t n = 0;
    for (int i = 0; here && (size_t)i < app->figure->n && n < max; i++) {
        p = panel_at(app, i);
        struct spot spot = scenario_spot(&app->s, i);
        if (!p || p == here || (!has_coord(p, here->x.coord) && !has_coord(p, here->y.coord)))
            continue;
        if (p->x.coord)
            spot.x = p->x.coord == here->x.coord ? at.x : p->x.coord == here->y.coord ? at.y : spot.x;
        if (p->y.coord)
            spot.y = p->y.coord == here->x.coord ? at.x : p->y.coord == here->y.coord ? at.y : spot.y;
        out[n++] = (struct cursor){i, spot.x, spot.y};
    }
    return n;
}

/* ---- moving --------------------------------------------------------------------------------------------- */

/* Does q lie wholly beyond p in that direction? */
static bool beyond(const struct panel *q, const struct panel *p, int right, int down)
{
    return (right > 0 && q->col >= p->col + p->cols) || (right < 0 && q->col + q->cols <= p->col) ||
           (down > 0 && q->row >= p->row + p->rows) || (down < 0 && q->row + q->rows <= p->row);
}

/* The panel next to one in a direction: of those beyond it, the one whose middle is nearest. -1: none. */
static int neighbour(const struct app *app, int from, int right, int down)
{
    const struct panel *p = panel_at(app, from);
    int best = -1, nearest = 0;
    for (int i = 0; (size_t)i < app->figure->n; i++) {
        const struct panel *q = panel_at(app, i);
        if (!q || !beyond(q, p, right, down))
            continue;
        int dx = 2 * (q->col - p->col) + q->cols - p->cols, dy = 2 * (q->row - p->row) + q->rows - p->rows;
        int distance = dx * dx + dy * dy;
        if (best < 0 || distance < nearest) {
            best = i;
            nearest = distance;
        }
    }
    return best;
}

/* Into a panel, where the cursor was before; else from the side where it comes from, at the middle. A text is read from its top. */
static void enter(struct app *app, int i, int right, int down)
{
    struct rect_cells area = app->figure->panel[i].area;
    int row = down > 0 ? area.row : down < 0 ? area.row + area.rows - 1 : area.row + area.rows / 2;
    int col = right > 0 ? area.col : right < 0 ? area.col + area.cols - 1 : area.col + area.cols / 2;
    struct place at = {i, NAN, NAN};
    figure_locate(app->figure, row, col, &at.x, &at.y);
    at.panel = i;
    struct spot before = scenario_spot(&app->s, i);
    bool keep = app->figure->panel[i].kind != PANEL_TEXT;
    at.x = keep && !isnan(before.x) ? before.x : at.x;
    at.y = keep && !isnan(before.y) ? before.y : at.y;
    navigate_put(app, at);
}

void navigate_move(struct app *app, int right, int down)
{
    struct place at = navigate_pointer(app), to = at;
    app->hovering = false;
    if (at.panel < 0)
        return;
    panel_step(panel_at(app, at.panel), right, down, &to.x, &to.y);
    if (to.x != at.x || to.y != at.y) {
        navigate_put(app, to);
        return;
    }
    navigate_put(app, at);
    if (navigate_pan_step(app, right, down))
        return;
    int next = neighbour(app, at.panel, right, down);
    if (next >= 0)
        enter(app, next, right, down);
}

void navigate_page(struct app *app, int down)
{
    const struct panel *p = panel_at(app, focus(app));
    int rows = p && p->area.rows > 1 ? p->area.rows - 1 : 1;
    struct place at = navigate_pointer(app);
    if (!p)
        return;
    panel_step(p, 0, down * rows, &at.x, &at.y);
    navigate_put(app, at);
}

void navigate_edge(struct app *app, int right)
{
    struct place at = navigate_pointer(app);
    const struct panel *p = panel_at(app, at.panel);
    if (!p)
        return;
    bool lines = p->kind == PANEL_BARS || p->kind == PANEL_TABLE || p->kind == PANEL_TEXT;
    panel_step(p, lines ? 0 : right * 1000000, lines ? right * 1000000 : 0, &at.x, &at.y);
    navigate_put(app, at);
}

void navigate_next_panel(struct app *app)
{
    int n = app->figure ? (int)app->figure->n : 0, from = focus(app);
    if (from >= 0)
        navigate_put(app, navigate_pointer(app));
    for (int k = 1; k < n; k++) {
        int i = (from + k) % n;
        if (panel_at(app, i)) {
            app->s.focus = i;
            return;
        }
    }
    app_say(app, ROLE_WARNING, N_("there is only one panel"));
}

/* ---- the window ------------------------------------------------------------------------------------------ */

static bool counts(const struct axis *a)
{
    return isfinite(axis_count(a));
}

/* A window of shares lo..hi of the axis shown, kept inside the whole axis. What is counted is shown whole, at least one of it, so
 * that panning to and fro does not widen the window. */
static struct span window(const struct axis *shown, const struct axis *whole, double lo, double hi)
{
    double a = axis_share(whole, axis_at(shown, lo)), width = fmin(axis_share(whole, axis_at(shown, hi)) - a, 1);
    if (counts(whole)) {
        double n = axis_count(whole), things = fmax(1, round(width * n));
        double first = fmin(fmax(round(a * n), 0), n - things);
        return (struct span){whole->from + first, whole->from + first + things};
    }
    width = fmax(width, 1e-9);
    a = fmin(fmax(a, 0), 1 - width);
    return (struct span){axis_at(whole, a), axis_at(whole, a + width)};
}

/* The axes of the pointer's panel when all is shown. */
static struct figure *whole_figure(const struct app *app)
{
    struct scenario all = app->s;
    all.zoom = (struct zoom){NAN, NAN, NAN, NAN};
    struct figure *f = figure_new();
    if (view_plan(&all, f, NULL))
        return f;
    figure_free(f);
    return NULL;
}

/* The planned axes of a panel as they would be with the scenario's window: did the window reach this panel? */
static bool window_shows(const struct app *app, int panel, const struct panel *before)
{
    struct figure *f = figure_new();
    bool changed = view_plan(&app->s, f, NULL) && f->n && (!axis_same(&f->panel[panel % (int)f->n].x, &before->x) ||
                                                           !axis_same(&f->panel[panel % (int)f->n].y, &before->y));
    figure_free(f);
    return changed;
}

static bool is_coord(const struct axis *a, const struct axis *b)
{
    return a->coord && a->coord == b->coord;
}

/* The window is that of the first panel's axes: an axis that is its y, wherever it is drawn, sets y. */
static void put_window(struct zoom *zoom, bool is_y, struct span span)
{
    *(is_y ? &zoom->y0 : &zoom->x0) = span.from;
    *(is_y ? &zoom->y1 : &zoom->x1) = span.to;
}

/* Is the x axis of p one of the window's: the first panel's, or of a coordinate of its? */
static bool in_window(const struct panel *p, const struct panel *main)
{
    return p == main || !panel_has_axes(main) || is_coord(&p->x, &main->x) || is_coord(&p->x, &main->y);
}

/* Shows shares x0..x1, y0..y1 of what the pointer's panel shows now. False, and nothing changed, if that makes no difference. */
static bool show(struct app *app, int panel, double x0, double x1, double y0, double y1)
{
    const struct panel *p = panel_at(app, panel);
    struct figure *whole = p && panel_has_axes(p) ? whole_figure(app) : NULL;
    if (!whole || !whole->n || !in_window(&whole->panel[panel % (int)whole->n], &whole->panel[0])) {
        figure_free(whole);
        return false;
    }
    const struct panel *all = &whole->panel[panel % (int)whole->n];
    struct zoom before = app->s.zoom;
    const struct panel *main = &whole->panel[0];
    struct span x = window(&p->x, &all->x, x0, x1);
    bool last = p->kind == PANEL_CURVES && main->kind == PANEL_HEATMAP && counts(&all->x);      /* a curve ends at its last thing, samples after it */
    put_window(&app->s.zoom, is_coord(&p->x, &main->y), (struct span){x.from, x.to + last});
    if (!isnan(all->y.from))
        put_window(&app->s.zoom, !is_coord(&p->y, &main->x), window(&p->y, &all->y, y0, y1));
    bool changed = window_shows(app, panel, p);
    if (!changed)
        app->s.zoom = before;
    figure_free(whole);
    return changed;
}

static double share_in(const struct axis *a, double value)
{
    double share = axis_share(a, value);
    return isfinite(share) ? fmin(fmax(share, 0), 1) : 0.5;
}

/* A factor that changes a window of few things by at least one. */
static double noticeable(const struct axis *a, double factor)
{
    double n = axis_count(a);
    if (!isfinite(n))
        return factor;
    return factor > 1 ? fmax(factor, (n + 1) / n) : fmin(factor, (n - 1) / n);
}

/* Why the window is as it was. */
static const char *why_not(const struct app *app, const struct panel *p, double factor)
{
    static const char *const of_kind[PANEL_KIND_COUNT] = {
        [PANEL_BARS] = N_("bars are compared as a whole: Z shows them alone"), [PANEL_DIALS] = N_("dials have no axis to zoom: Z shows them alone"),
        [PANEL_TABLE] = N_("a table has no axis to zoom: Z shows it alone"), [PANEL_TEXT] = N_("a text has no axis to zoom: Z shows it alone"),
    };
    struct zoom zoom = app->s.zoom;
    bool whole = isnan(zoom.x0) && isnan(zoom.y0);
    if (p && of_kind[p->kind])
        return of_kind[p->kind];
    if (factor > 1)
        return N_("all of it is shown already");
    return whole ? N_("this panel follows the window of the others, or is shown whole; Z shows it alone") : N_("this panel cannot be zoomed further");
}

void navigate_zoom(struct app *app, double factor)
{
    struct place at = navigate_pointer(app);
    const struct panel *p = panel_at(app, at.panel);
    double x = p ? share_in(&p->x, at.x) : 0, y = p ? share_in(&p->y, at.y) : 0;
    double fx = p ? noticeable(&p->x, factor) : 1, fy = p ? noticeable(&p->y, factor) : 1;
    if (!p || !show(app, at.panel, x - x * fx, x + (1 - x) * fx, y - y * fy, y + (1 - y) * fy))
        app_say(app, ROLE_WARNING, "%s", app_text(app, why_not(app, p, factor)));
}

bool navigate_pan(struct app *app, double right, double down)
{
    const struct panel *p = panel_at(app, focus(app));
    if (p && p->kind == PANEL_CURVES)
        down = 0;
    return (right != 0 || down != 0) && show(app, focus(app), right, 1 + right, down, 1 + down);
}

/* An eighth of the window, and at least one thing of what is counted. */
static double step_share(const struct axis *a)
{
    return counts(a) ? fmax(0.125, 1 / fmax(1, axis_count(a))) : 0.125;
}

bool navigate_pan_step(struct app *app, int right, int down)
{
    const struct panel *p = panel_at(app, focus(app));
    return p && navigate_pan(app, right * step_share(&p->x), down * step_share(&p->y));
}
