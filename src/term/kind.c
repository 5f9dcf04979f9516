#include "term/kind.h"

#include <stdlib.h>
#include <string.h>

#include "term/term.h"
#include "term/terminfo.h"

static const char *env(const char *name)
{
    const char *value = getenv(name);
    return value ? value : "";
}

/* name, or name-something */
static bool is_family(const char *term, const char *name)
{
    size_t n = strlen(name);
    return strncmp(term, name, n) == 0 && (term[n] == '\0' || term[n] == '-');
}

/* Terminals that understand what xterm does, 24-bit colours included where COLORTERM says so. */
static bool like_xterm(const char *term)
{
    static const char *const names[] = {"xterm", "alacritty", "foot", "kitty", "wezterm", "ghostty", "konsole",
                                        "vte", "gnome", "iterm2", "mintty", "contour", "st"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (is_family(term, names[i]))
            return true;
    return false;
}

static bool claims_truecolor(const char *term)
{
    size_t n = strlen(term);
    const char *hint = env("COLORTERM");
    return !strcmp(hint, "truecolor") || !strcmp(hint, "24bit") || (n > 7 && !strcmp(term + n - 7, "-direct"));
}

/* NO_COLOR (no-color.org) wins over CLICOLOR_FORCE, that over CLICOLOR = 0 (bixense.com/clicolors). */
static bool forces_color(void)
{
    return !*env("NO_COLOR") && *env("CLICOLOR_FORCE") && strcmp(env("CLICOLOR_FORCE"), "0");
}

static bool forbids_color(void)
{
    return *env("NO_COLOR") || (!forces_color() && !strcmp(env("CLICOLOR"), "0"));
}

/* GNU screen has no 24-bit colours; tmux keeps them and converts for the terminal outside, so they are always safe there.
 * Elsewhere COLORTERM must say so: ssh and sudo often drop it, and then 256 colours are what is certain. */
struct kind kind_of_terminal(void)
{
    const char *term = env("TERM");
    bool forced = forces_color();
    struct kind ours = {"posviz-xterm", terminfo_xterm, DEPTH_TRUECOLOR, forced}, kind = {term, NULL, -1, forced},
                tmux = {"posviz-tmux", terminfo_tmux, DEPTH_TRUECOLOR, forced};
    if (*env("STY")) {
        kind = tmux;
        kind.depth = DEPTH_256;
    } else if (is_family(term, "tmux") || *env("TMUX")) {
        kind = like_xterm(term) ? ours : tmux;
    } else if (like_xterm(term) && claims_truecolor(term)) {
        kind = ours;
    }
    if (forbids_color())
        kind.depth = DEPTH_MONO;
    return kind;
}

bool kind_fallback(struct kind *kind)
{
    if (kind->inline_entry)
        *kind = (struct kind){env("TERM"), NULL, kind->depth, kind->forced};
    else if (like_xterm(kind->name))
        *kind = (struct kind){"posviz-xterm", terminfo_xterm, kind->depth, kind->forced};
    else
        return false;
    return true;
}

bool kind_answers(void)
{
    return like_xterm(env("TERM")) && !*env("TMUX") && !*env("STY");
}

enum color_depth term_depth_of_text(void)
{
    return !forces_color() ? DEPTH_MONO : claims_truecolor(env("TERM")) ? DEPTH_TRUECOLOR : DEPTH_256;
}

bool kind_is_far(void)
{
    return *env("SSH_CONNECTION");
}

bool kind_is_linux_console(const struct kind *kind)
{
    return is_family(kind->name, "linux");
}
