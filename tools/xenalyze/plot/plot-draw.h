/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Private to the files of a picture:
 *
 *     picture.c         collects the marks, writes the file
 *     plot-timeline.c   facts to bars
 *     plot-view.c       the choice of series and rows; plot-names.c their names
 *     plot-axis.c       positions and ticks; plot-address.c those of addresses
 *     plot-draw.c       the drawing, with a pen of
 *     plot-svg.c, plot-png.c; plot-gnuplot.c writes a script instead
 */
#ifndef XENALYZE_PLOT_PLOT_DRAW_H
#define XENALYZE_PLOT_PLOT_DRAW_H

#include "xenalyze/plot/picture.h"

/* --- the view ------------------------------------------------------------- */

/* In pixels.  The height depends on the number of rows. */
#define PLOT_WIDTH 1600
#define PLOT_LEFT 212
#define PLOT_RIGHT 1412         /* then the legend */
#define PLOT_TOP 64
#define PLOT_BELOW 76           /* for the axis of time */
#define PLOT_COLUMNS (PLOT_RIGHT - PLOT_LEFT)
#define PLOT_LINES 700

#define PLOT_SERIES 28u         /* in the legend; the last may be "others" */
#define PLOT_MAX_ROWS 512u
#define PLOT_NAME 24u

struct plot_mark
{
    int64_t from, to;           /* nanoseconds; equal: a dot */
    int64_t value;              /* for bars: the row */
    int64_t covered;            /* for bars: their length, if merged the sum */
    uint32_t series;
};

struct plot_series
{
    char name[PLOT_NAME];
    uint32_t colour;            /* 0xrrggbb */
};

struct plot_row
{
    char name[PLOT_NAME];
};

/* An axis of addresses has pieces with gaps between them. */
#define PLOT_PIECES 7u

struct plot_piece
{
    uint64_t low, high;
    double bottom, top;         /* pixels */
};

struct plot_view
{
    const struct plot_about *about;
    const char *name;           /* name of the trace */
    const struct xt_domain_names *names;        /* or NULL */
    struct plot_mark *marks;
    size_t nr_marks;
    struct plot_series series[PLOT_SERIES];
    unsigned int nr_series;
    struct plot_row rows[PLOT_MAX_ROWS];
    unsigned int nr_rows;
    double per_row;             /* pcpus or vcpus that share a row */
    int64_t first, last;        /* nanoseconds; first < last */
    int64_t least, most;        /* values; least < most */
    bool bars;
    bool log;                   /* the axis of values is logarithmic */
    int bottom;                 /* of the plot area, in pixels */
    struct plot_piece pieces[PLOT_PIECES];
    unsigned int nr_pieces;     /* 0: not an axis of addresses */
};

/* --- plot-keys.c ---------------------------------------------------------- */

/*
 * A map from 64-bit keys to dense numbers, with a weight for each key.  Beyond
 * a limit of 65,536, all further keys share the last number.
 */
struct plot_keys
{
    uint64_t *keys, *weights;   /* by number */
    uint32_t *table;            /* hash table: number + 1, or 0 */
    uint32_t nr, room;
    uint32_t last;              /* the number that was returned last */
    bool failed;                /* out of memory */
};

/* The number of a key, added if new.  `weight` is added to the key's. */
uint32_t plot_keys_add(struct plot_keys *k, uint64_t key, uint64_t weight);
void plot_keys_fini(struct plot_keys *k);

struct plot
{
    struct plot_about about;
    struct plot_mark *marks;
    size_t room;
    struct plot_keys series, rows;
    struct plot_view view;
    bool closed;
    bool failed;                /* out of memory */
};

/* --- picture.c ------------------------------------------------------------ */

/* The kinds of series: the owner of points, or a kind of bar. */
enum plot_kind
{
    PLOT_OF_VCPU,
    PLOT_OF_DOMAIN,
    PLOT_OF_IRQ,
    PLOT_OF_STATE,
    PLOT_OF_ALL,
    PLOT_OF_LOST,
    PLOT_OF_OTHERS,
};

#define PLOT_KEY(kind, id) ((uint64_t)(kind) << 48 | (id))
#define PLOT_VCPU_ID(domain, vcpu)                                          \
    ((uint64_t)((domain) & 0xffff) << 16 | ((vcpu) & 0xffff))

/* Rows and series are identified, and sorted, by keys. */
void plot_add_row(struct plot *p, uint64_t row);
void plot_add_bar(struct plot *p, uint64_t row, uint64_t key, int64_t from,
                  int64_t to);

/* --- plot-view.c ---------------------------------------------------------- */

/* Choose the series in the legend and the rows; renumber the marks to match.
   0 or -ENOMEM. */
int plot_choose_series(struct plot *p);

/* --- plot-names.c --------------------------------------------------------- */

/* `names`: the names of domains, or NULL. */
void plot_name_series(struct plot_series *series, uint64_t key,
                      unsigned int place, const struct xt_domain_names *names);
void plot_name_row(struct plot_row *row, enum plot_unit unit, uint64_t first,
                   uint64_t last, const struct xt_domain_names *names);

/* --- plot-axis.c ---------------------------------------------------------- */

/* The height of the picture in pixels. */
int plot_height(const struct plot_view *v);

/* True if the values are positive and range over decades. */
bool plot_wants_log(const struct plot_view *v);

/* Positions in the picture, in pixels. */
double plot_x(const struct plot_view *v, int64_t time);
double plot_y(const struct plot_view *v, int64_t value);
double plot_row_top(const struct plot_view *v, unsigned int row);

struct plot_tick
{
    double at;                  /* position in pixels */
    char text[PLOT_NAME];
};

#define PLOT_TICKS 24u

unsigned int plot_time_ticks(const struct plot_view *v,
                             struct plot_tick ticks[PLOT_TICKS]);
unsigned int plot_value_ticks(const struct plot_view *v,
                              struct plot_tick ticks[PLOT_TICKS]);

/* --- plot-address.c ------------------------------------------------------- */

/* Split the axis into pieces.  0 or -ENOMEM. */
int plot_split_addresses(struct plot_view *v);

double plot_address_y(const struct plot_view *v, uint64_t value);
unsigned int plot_address_ticks(const struct plot_view *v,
                                struct plot_tick ticks[PLOT_TICKS]);

/* --- plot-draw.c ---------------------------------------------------------- */

enum plot_anchor { PLOT_START, PLOT_MIDDLE, PLOT_END };

/* A drawing back end.  A rectangle is x, y (of its top), width, height. */
struct plot_pen
{
    void *state;
    void (*rectangle)(void *state, double x, double y, double w, double h,
                      uint32_t colour);
    void (*text)(void *state, double x, double y, enum plot_anchor anchor,
                 uint32_t colour, const char *text);
};

/* Draw all, or only the bars in rows, which are rectangles.  0 or -ENOMEM. */
int plot_draw(const struct plot_view *v, const struct plot_pen *pen);
int plot_draw_rows(const struct plot_view *v, const struct plot_pen *pen);

/* Write to `out`, which the caller checks for errors.  0 or -ENOMEM. */
int plot_svg(const struct plot_view *v, FILE *out);
int plot_png(const struct plot_view *v, FILE *out);
int plot_gnuplot(const struct plot_view *v, FILE *out);

/* --- plot-letters.c ------------------------------------------------------- */

#define PLOT_LETTER 12          /* width in pixels, with spacing */
#define PLOT_LETTER_HEIGHT 14

typedef void letter_dot_fn(void *state, int x, int y);

/* Call dot() for each dot of a text whose upper left corner is 0, 0. */
void plot_draw_letters(const char *text, letter_dot_fn *dot, void *state);

#endif /* XENALYZE_PLOT_PLOT_DRAW_H */
