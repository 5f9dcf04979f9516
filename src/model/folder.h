/* folder.h - names of files in a folder. Inside src/model only. */
#ifndef POSVIZ_MODEL_FOLDER_H
#define POSVIZ_MODEL_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

struct listing { char **name; size_t n; };

/* Names with an ending, whatever its case, sorted; hidden ones are left out. "" lists everything. depth 1 looks into folders too, whose
 * files are then "folder/name". */
struct listing list_files(const char *folder, const char *ending, int depth);
void listing_done(struct listing *l);
/* Leaves out later parts of split files, and what belongs to pictures (mmproj) or to quantising (imatrix). */
void keep_models(struct listing *l);
/* "a, b, c, ..." of at most a dozen. Sanitised. */
char *listing_text(const struct listing *l, char *out, size_t size);

/* Whatever its case. */
bool has_ending(const char *name, const char *ending);
char *in_folder(const char *folder, const char *name);         /* the caller frees it */
bool has_file(const char *folder, const char *name);            /* a regular file, perhaps behind links */
bool has_folder(const char *folder, const char *name);
bool is_dangling(const char *folder, const char *name);         /* a link that leads nowhere */
bool is_odd(const char *folder, const char *name);              /* there, and no regular file: a pipe, a folder, such a link */

#endif
