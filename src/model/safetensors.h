/* safetensors.h - the header of a safetensors file: names, types, shapes and places of its tensors, and its metadata. The numbers of a
 * tensor are read only when asked for. Format: the safetensors README: 8 bytes of header length, a JSON header, the data.
 *
 * safetensors_open, safetensors_find, safetensors_values, safetensors_close. */
#ifndef POSVIZ_MODEL_SAFETENSORS_H
#define POSVIZ_MODEL_SAFETENSORS_H

#include <stdint.h>
#include "base/err.h"
#include "core/table.h"
#include "model/bytes.h"
#include "model/names.h"

enum { SAFETENSORS_MAX_RANK = 8, SAFETENSORS_HEADER_MAX = 100000000 /* as the format has it */ };
struct safetensor {
    char *name;                         /* as in the file: sanitise before it is shown */
    char dtype[12];                     /* "F32", "BF16", ..., cut */
    int rank;
    uint64_t dim[SAFETENSORS_MAX_RANK];
    uint64_t begin, end;                /* from the start of the data */
};
struct safetensors {
    char *path;
    uint64_t file_size, data_start;
    struct file_id id;
    struct safetensor *tensor; size_t n_tensors;
    struct name_at *by_name;            /* NULL until a name is looked for */
};

/* NULL and a message that names the file and what is wrong: no header, a length that cannot be, another format (zip, pickle, LFS pointer). */
struct safetensors *safetensors_open(const char *path, struct err *err);
void safetensors_close(struct safetensors *s);          /* NULL is allowed */
/* The tensor of this name, of several the last; NULL if there is none. */
const struct safetensor *safetensors_find(struct safetensors *s, const char *name);
/* Where the data are not one tensor behind the other, from the first byte to the last: the tensor that begins elsewhere (NULL: the end of the
 * file), where the one before ends, and where it begins. */
struct gap { const char *name; uint64_t end, begin; };
bool safetensors_has_gaps(const struct safetensors *s, struct gap *gap);
/* The numbers of a tensor of F64, F32, F16 or BF16 with at most four axes and max numbers; NULL and a message otherwise. */
struct table *safetensors_values(const struct safetensors *s, const struct safetensor *t, size_t max, struct err *err);

#endif
