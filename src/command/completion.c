#include "command/completion.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "app/app.h"
#include "app/view.h"
#include "command/command.h"
#include "command/model_formats.h"
#include "model/store.h"
#include "scenario/tour.h"

/* ---- words ----------------------------------------------------------------------------------------------------------------- */

static void word(struct buf *t, const char *text)
{
    buf_format(t, "%s\n", text);
}

static void add_name(const struct store_entry *entry, void *context)
{
    word(context, entry->name);
}

static void model_words(struct buf *t)
{
    store_list(add_name, t);
}

static void encoding_words(struct buf *t)
{
    for (size_t i = 0; encodings[i]; i++)
        word(t, encodings[i]->id);
}

static void presets_under(struct buf *t, bool lessons)
{
    for (size_t i = 0; presets[i].id; i++) {
        const char *lesson = tour_of(&presets[i]);
        if (lessons ? lesson != NULL : !lesson && strchr(presets[i].id, '/'))
            word(t, lessons ? lesson : presets[i].id);
    }
}

static void preset_words(struct buf *t)
{
    presets_under(t, false);
}

static void lesson_words(struct buf *t)
{
    presets_under(t, true);
}

static void theme_words(struct buf *t)
{
    for (size_t i = 0; themes[i]; i++)
        word(t, themes[i]->id);
}

static void colormap_words(struct buf *t)
{
    for (size_t i = 0; colormaps[i]; i++)
        word(t, colormaps[i]->id);
}

static void format_words(struct buf *t)
{
    for (const struct model_format *f = model_formats; f->name; f++)
        word(t, f->name);
}

static void code_words(struct buf *t)
{
    for (const struct finding_kind *k = finding_kinds; k->code; k++)
        word(t, k->code);
}

static void view_words(struct buf *t)
{
    for (int v = 0; v < VIEW_COUNT; v++)
        word(t, views[v]->id);
}

static const struct {
    const char *behind;
    void (*write)(struct buf *t);
    const char *fixed;          /* words, with blanks between */
    bool files;                 /* or a file */
} kinds[] = {
    {"-m", model_words, NULL, true},
    {"model", model_words, NULL, true},
    {"diff", model_words, NULL, true},
    {"-p", .write = preset_words},
    {"-e", .write = encoding_words},
    {"--theme", .write = theme_words},
    {"--colormap", .write = colormap_words},
    {"--color", .fixed = "auto truecolor 256 16 mono"},
    {"--lang", .fixed = "en zh"},
    {"--format", .write = format_words},
    {"--ignore", .write = code_words},
    {"explain", .write = code_words},
    {"tour", .write = lesson_words},
    {"render", .write = view_words},
    {"list", .fixed = "encodings views presets tours colormaps"},
    {"schema", .fixed = "model"},
    {"generate", .fixed = "man complete-bash complete-zsh complete-fish readme-views readme-encodings readme-keys"},
};
enum { N_KINDS = sizeof kinds / sizeof *kinds };

void completion_words(struct buf *t, const char *behind)
{
    for (size_t i = 0; i < N_KINDS; i++) {
        if (strcmp(kinds[i].behind, behind))
            continue;
        if (kinds[i].write)
            kinds[i].write(t);
        for (const char *c = kinds[i].fixed ? kinds[i].fixed : ""; *c; c++)
            buf_put(t, *c == ' ' ? "\n" : c, 1);
        buf_text(t, kinds[i].fixed ? "\n" : "");
    }
}

/* Nothing but its own words fits. */
static bool no_files(const char *behind)
{
    for (size_t i = 0; i < N_KINDS; i++)
        if (!strcmp(kinds[i].behind, behind))
            return !kinds[i].files;
    return false;
}

/* ---- options of all verbs ---------------------------------------------------------------------------------------------------- */

static void option_words(struct buf *t, const struct command *c)
{
    for (size_t i = 0; i < c->n_options; i++)
        if (c->options[i].help)
            buf_format(t, "%s ", c->options[i].name);
    buf_text(t, "--lang --help");
}

/* "-m|-p|--lang", each once. */
static void options_with_values(struct buf *t)
{
    const char *seen[128] = {"--lang"};
    size_t n = 1;
    buf_text(t, "--lang");
    for (size_t c = 0; c == 0 || commands[c - 1]; c++) {
        const struct command *command = c ? commands[c - 1] : &app_command;
        for (size_t i = 0; i < command->n_options && n < 128; i++) {
            const struct command_option *o = &command->options[i];
            size_t k = 0;
            while (k < n && strcmp(seen[k], o->name))
                k++;
            if (k < n || !o->argument)
                continue;
            seen[n++] = o->name;
            buf_format(t, "|%s", o->name);
        }
    }
}

static void verbs(struct buf *t)
{
    for (size_t i = 0; commands[i]; i++)
        buf_format(t, "%s%s", i ? " " : "", commands[i]->name);
}

static void verbs_and_views(struct buf *t)
{
    verbs(t);
    for (int v = 0; v < VIEW_COUNT; v++)
        buf_format(t, " %s", views[v]->id);
}

/* ---- bash -------------------------------------------------------------------------------------------------------------------- */

/* readline breaks words at ':' and '@', which stand in names of models: the word is taken from the line itself, and what stands before its last
 * break is not repeated in the answer; of the two, '@' belongs to the word behind it. */
void completion_bash(struct buf *t, enum lang l)
{
    (void)l;
    buf_text(t, "# bash completion of posviz\n_posviz() {\n"
                "    local line=${COMP_LINE:0:COMP_POINT} cur last words list=\"\" files=\"\" skip=\"\" IFS=$' \\t\\n'\n"
                "    cur=${line##*[[:space:]]}\n"
                "    read -ra words <<<\"${line%\"$cur\"}\"\n"
                "    last=${words[${#words[@]}-1]}\n"
                "    case $last in\n    ");
    options_with_values(t);
    buf_text(t, ")\n        list=$(posviz generate words -- \"$last\" 2>/dev/null)\n        case $last in\n        ");
    for (size_t i = 0, n = 0; i < N_KINDS; i++)
        if (*kinds[i].behind == '-' && no_files(kinds[i].behind))
            buf_format(t, "%s%s", n++ ? "|" : "", kinds[i].behind);
    buf_text(t, ") ;;\n        *) files=1 ;;\n        esac ;;\n    *)\n        if [[ $cur == -* ]]; then\n            case ${words[1]} in\n");
    for (size_t i = 0; commands[i]; i++) {
        buf_format(t, "            %s) list=\"", commands[i]->name);
        option_words(t, commands[i]);
        buf_text(t, "\" ;;\n");
    }
    buf_text(t, "            *) list=\"");
    option_words(t, &app_command);
    buf_text(t, " --version\" ;;\n            esac\n        elif [[ ${#words[@]} -eq 1 ]]; then\n            list=\"");
    verbs_and_views(t);
    buf_text(t, "\"\n        else\n            list=$(posviz generate words -- \"${words[1]}\" 2>/dev/null)\n            files=1\n        fi ;;\n    esac\n"
                "    IFS=$'\\n'\n"
                "    COMPREPLY=($(IFS=$' \\t\\n'; compgen -W \"$list\" -- \"$cur\"))\n"
                "    [[ ${#COMPREPLY[@]} -eq 0 ]] && compopt -o filenames 2>/dev/null\n"
                "    COMPREPLY+=(${files:+$(compgen -f -- \"$cur\")})\n"
                "    [[ $COMP_WORDBREAKS == *:* ]] && skip=${cur%\"${cur##*:}\"}\n"
                "    [[ $COMP_WORDBREAKS == *@* && $cur == *@* ]] && skip=${cur%@*}\n"
                "    COMPREPLY=(\"${COMPREPLY[@]#\"$skip\"}\")\n"
                "}\ncomplete -F _posviz posviz\n");
}

/* ---- zsh --------------------------------------------------------------------------------------------------------------------- */

/* One line in single quotes for zsh and fish. */
static void quoted(struct buf *t, const char *text)
{
    for (; *text; text++) {
        if (*text == '\'')
            buf_text(t, "'\\''");
        else
            buf_format(t, "%c", *text == '\n' || *text == '[' || *text == ']' || *text == ':' ? ' ' : *text);
    }
}

static void zsh_arguments(struct buf *t, const struct command *c, enum lang l)
{
    buf_text(t, "_arguments");
    for (size_t k = 0; k < c->n_options; k++) {
        const struct command_option *o = &c->options[k];
        if (!o->help)
            continue;
        buf_format(t, " '%s[", o->name);
        quoted(t, lang_text(l, o->help));
        buf_text(t, "]");
        if (o->argument)
            buf_format(t, ":value: _posviz_words %s", o->name);
        buf_text(t, "'");
    }
    buf_format(t, " '--lang[en zh]:value:(en zh)' '--help' '*:operand: _posviz_words %s'", *c->name ? c->name : "-");
}

void completion_zsh(struct buf *t, enum lang l)
{
    buf_text(t, "#compdef posviz\n# zsh completion of posviz\n_posviz_words() {\n    local -a known\n"
                "    known=(${(f)\"$(posviz generate words -- $1 2>/dev/null)\"})\n    (( $#known )) && compadd -a known\n"
                "    case $1 in\n    ");
    for (size_t i = 0, n = 0; i < N_KINDS; i++)
        if (no_files(kinds[i].behind))
            buf_format(t, "%s%s", n++ ? "|" : "", kinds[i].behind);
    buf_text(t, ") ;;\n    *) _files ;;\n    esac\n}\n_posviz() {\n    local -a first\n    first=(\n");
    for (size_t i = 0; commands[i]; i++) {
        buf_format(t, "        '%s:", commands[i]->name);
        quoted(t, lang_text(l, commands[i]->summary));
        buf_text(t, "'\n");
    }
    for (int v = 0; v < VIEW_COUNT; v++) {
        buf_format(t, "        '%s:", views[v]->id);
        quoted(t, lang_text(l, views[v]->title));
        buf_text(t, "'\n");
    }
    buf_text(t, "    )\n    if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then\n        _describe 'command or view' first\n        return\n    fi\n    case $words[2] in\n");
    for (size_t i = 0; commands[i]; i++) {
        buf_format(t, "    %s) ", commands[i]->name);
        zsh_arguments(t, commands[i], l);
        buf_text(t, " ;;\n");
    }
    buf_text(t, "    *) ");
    zsh_arguments(t, &app_command, l);
    buf_text(t, " ;;\n    esac\n}\n_posviz \"$@\"\n");
}

/* ---- fish -------------------------------------------------------------------------------------------------------------------- */

static void fish_option(struct buf *t, const char *condition, const struct command_option *o, enum lang l)
{
    bool long_name = !strncmp(o->name, "--", 2);
    if (!o->help)
        return;
    buf_format(t, "complete -c posviz -n '%s' %s %s", condition, long_name ? "-l" : "-s", o->name + (long_name ? 2 : 1));
    if (o->argument)
        buf_format(t, " %s -a '(posviz generate words -- %s 2>/dev/null)'", no_files(o->name) ? "-x" : "-r", o->name);
    buf_text(t, " -d '");
    quoted(t, lang_text(l, o->help));
    buf_text(t, "'\n");
}

void completion_fish(struct buf *t, enum lang l)
{
    char condition[80];
    buf_text(t, "# fish completion of posviz\nfunction __posviz_no_verb\n    not __fish_seen_subcommand_from ");
    verbs(t);
    buf_text(t, "\nend\n");
    for (size_t i = 0; commands[i]; i++) {
        const char *name = commands[i]->name;
        buf_format(t, "complete -c posviz -n __fish_use_subcommand -a %s -d '", name);
        quoted(t, lang_text(l, commands[i]->summary));
        buf_text(t, "'\n");
        snprintf(condition, sizeof condition, "__fish_seen_subcommand_from %s", name);
        buf_format(t, "complete -c posviz -n '%s' %s-a '(posviz generate words -- %s 2>/dev/null)'\n", condition, no_files(name) ? "-f " : "", name);
        for (size_t k = 0; k < commands[i]->n_options; k++)
            fish_option(t, condition, &commands[i]->options[k], l);
    }
    for (int v = 0; v < VIEW_COUNT; v++) {
        buf_format(t, "complete -c posviz -n __fish_use_subcommand -a %s -d '", views[v]->id);
        quoted(t, lang_text(l, views[v]->title));
        buf_text(t, "'\n");
    }
    for (size_t k = 0; k < app_command.n_options; k++)
        fish_option(t, "__posviz_no_verb", &app_command.options[k], l);
    fish_option(t, "true", &command_common[0], l);
}
