/* terminfo.h - the entries of posviz.ti, compiled, in the form that ncurses takes in TERMINFO ("b64:..."). */
#ifndef POSVIZ_TERM_TERMINFO_H
#define POSVIZ_TERM_TERMINFO_H

extern const char terminfo_xterm[], terminfo_tmux[];

#endif
