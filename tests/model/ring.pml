/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ring.pml: a model of the trace ring, for the model checker spin.
 *
 * xen/common/trace-ring.md is the protocol; the numbers in brackets are its
 * steps, the names are those of xen/common/trace.c.  This file says the same
 * in a language in which every order of events can be tried.  tests/model/run
 * builds it in several variants (WITH_...) and visits all states of each; then
 * it takes steps of the protocol away, one at a time (MUTANT_...), and wants
 * each such ring to be found broken, by the property that it should break.
 *
 * How to read it.  Promela looks like C.  Each statement is one indivisible
 * step; between two of them any other process may take any number of steps.
 * `d_step { }` and `atomic { }` make one step of several statements.  `if` and
 * `do` take any of the options (::) whose first statement is possible now, and
 * all that can be taken are explored; `else` is possible when nothing else is.
 * An expression that stands alone waits until it is true.  `inline` is a
 * macro: it works on the caller's variables.
 *
 * Who takes part
 *   Frame    code on the CPU that owns the ring: Frame 0 is what runs first,
 *            Frame 1 what interrupts it, and so on.  Only the topmost frame
 *            moves (`provided`), and it returns before the one below goes on:
 *            that is all that nesting is.  A frame is a call of trace_record(),
 *            a visit (the IPI), or the CPU going away.
 *   Events   interrupts the CPU, between any two steps.
 *   Reader   dom0, on another CPU: reads prod, takes records, stores cons.
 *   Hostile  dom0 as an enemy: stores anything into cons, at any time.
 *   Control  the control operations, on another CPU.
 *
 * What is left out, and why that is no loss
 *   Bytes.  The ring has a few cells; a record has one or two, a page a few.
 *   Filling in a piece is one step: until then its cells count as torn, so
 *   half a piece would show nothing that none of it does not.
 *   Sixteen laps.  A place is a number modulo two laps: the parity alone.  That
 *   makes the model harder to please than the code.
 *   The barriers.  Steps happen in the order of the text, which is what the
 *   barriers are for.  What a CPU with weaker order does is not looked at.
 *   depth++ and depth-- in two steps.  Who comes between the load and the store
 *   puts back what he found.
 *   Absolute time.  Time stamps are only compared; when the CPU is idle they
 *   are counted from 0 again.  So the number of calls, one after another, has
 *   no bound, and yet there are finitely many states.
 *
 * Bounds, set by `run`: CELLS, PAGE, MAX_SIZE, LOST_SIZE; NEST frames on the
 * stack; CALLS of trace_record() from when the CPU is idle until it is again;
 * none begins while more than MAX_OWED records are owed.
 *
 * Names that begin with g_ are ghosts, which only assertions look at; with h_,
 * scratch within one step; with p_, constants 0 that give an assertion the name
 * of its property (`run` reads it from what spin prints).
 */

#ifndef CELLS
#define CELLS 3             /* data_size */
#endif
#ifndef PAGE
#define PAGE CELLS          /* cells a page; divides CELLS */
#endif
#ifndef MARK
#define MARK CELLS          /* the high-water mark; at CELLS: as if none */
#endif
#ifndef MAX_SIZE
#define MAX_SIZE 1          /* of a record: 1 or 2 */
#endif
#ifndef LOST_SIZE
#define LOST_SIZE 1         /* of a LOST record: 1 or 2 */
#endif
#ifndef NEST
#define NEST 3
#endif
#ifndef CALLS
#define CALLS 3
#endif
#ifndef MAX_OWED
#define MAX_OWED 1
#endif

#if MAX_SIZE > LOST_SIZE
#define MAX_PIECE MAX_SIZE
#else
#define MAX_PIECE LOST_SIZE
#endif

#if defined(WITH_OVERWRITE) || defined(WITH_HOTPLUG)
#define WITH_CONTROL
#endif

/* Time is kept where it matters: it makes the states many. */
#if !defined(WITH_CONTROL) && !defined(WITH_HOSTILE)
#define WITH_TIME
#endif

/* A place in the ring and the parity of the lap, in one number. */
#define TURN           (2 * CELLS)
#define AFTER(w, n)    (((w) + (n)) % TURN)
#define DIST(from, to) (((to) + TURN - (from)) % TURN)
#define PLACE(w)       ((w) % CELLS)
#define PAGES          (CELLS / PAGE)
#define PAGE_OF(w)     (PLACE(w) / PAGE)
#define MIN(a, b)      ((a) < (b) -> (a) : (b))
#define OWED(room)     ((room) < 0 -> -(room) : 0)

/* --- The properties ------------------------------------------------------- */

hidden byte p_whole;     /* what dom0 is shown consists of whole records */
hidden byte p_reserved;  /* a piece lies where one writer, its own, reserved */
hidden byte p_order;     /* ring order is time order */
hidden byte p_first;     /* LOST tells the time of the first record it counts */
hidden byte p_counted;   /* a record is written or lost; LOST tells of all */
hidden byte p_forward;   /* prod goes forward, no further than is reserved */
hidden byte p_stuck;     /* idle: depth is 0, and all that there is is shown */
hidden byte p_inside;    /* nothing lies outside the ring, or its page (fast) */
hidden byte p_honest;    /* an honest reader never looks hostile */
hidden byte p_window;    /* cons..prod is never more than the ring */
hidden byte p_freed;     /* freed memory is not written to */
hidden byte p_paused;    /* control has paused: no record is written */
hidden byte p_span;      /* a frozen ring: all but a page, at least */
hidden byte p_told;      /* the mark was crossed: dom0 is told, or will be */

/* --- What there is -------------------------------------------------------- */

/* struct ring.  where and room are one word, `state`: they change together. */
typedef ring_t {
    byte  where;
    short room;             /* or, negative, records owed as lost */
    byte  depth;
    byte  first_tsc;
    bit   live;
    bit   todo;
    byte  page;             /* the memory of the ring: 1, 2, or NONE */
    byte  window;           /* where cons and prod point: there, or PRIVATE */
    byte  private;          /* the word `hidden` (which Promela means else) */
#ifdef WITH_OVERWRITE
    bit   keeps_first;
    byte  first[PAGES]      /* or NOWHERE */
#endif
};

#define NONE    0
#define PRIVATE 0
#define NOWHERE 255

ring_t cpu;                 /* in per-CPU memory */
#ifdef WITH_HOTPLUG
ring_t parked;
#endif

byte prod, cons;            /* in the first page; dom0 may write them */
bit  shared;                /* dom0 may map the pages */
bit  tb_init_done;
bit  attached = 1;          /* the ring is in `cpu`, not in `parked` */

/* The CPU: frames on its stack, of which Frame(top - 1) runs. */
#define NOTHING  0
#define WRITE    1
#define VISIT    2
#define GO_AWAY  3
bit  running = 1;
byte top;
byte job[NEST];
byte masked;                /* from this frame on, only NMIs; 0: IPIs as well */
byte calls = CALLS;         /* that may still come before it is idle */
byte now = 1;               /* the TSC */

/* What control asks of the CPU. */
#define CHANGE_LIVE      1
#define CHANGE_SETTLE    2
#define CHANGE_ATTACH    3
#define CHANGE_OVERWRITE 4
#define CHANGE_FREEZE    5
#define CHANGE_UNPARK    6
byte change;
bit  ipi;                   /* under way, or its handler runs */
bit  busy;                  /* it met a writer: come again */
bit  stop_machine;          /* the same, for the CPU to go away */
bit  stands;                /* meanwhile other CPUs stand still */

/* Control's own book. */
bit  rings;
byte pages;                 /* what this CPU has of them, or NONE */
bit  overwriting;

/* --- Ghosts --------------------------------------------------------------- */

/* A cell: free (never written, or taken by dom0), or what begins there. */
#define FREE    0
#define BODY    1           /* nothing: it belongs to the cell before */
#define PAD     2           /* one cell: no gap is larger */
#define LOST    3
#define ONE     4           /* a record of one cell */
#define TWO     5
#define TORN    8           /* + frame: reserved by it, not filled in yet */
#define LENGTH(what) ((what) == TWO -> 2 : ((what) == LOST -> LOST_SIZE : 1))
#define IS_WHOLE(what) ((what) > BODY && (what) < TORN)

#ifndef WITH_HOSTILE
byte g_cell[CELLS];
#endif
#ifdef WITH_TIME
byte g_tsc[CELLS];          /* of what begins there, until it is published */
byte g_first[CELLS];        /* likewise: the first_tsc that LOST must tell */
#endif
byte g_published_tsc;       /* of the last record before prod */
byte g_first_lost;          /* when the first of those owed was lost */
short g_pending;            /* calls that found `live`: not written, not lost */
short g_untold;             /* lost, and no LOST record has told yet */
bit  g_due;                 /* todo was set, and dom0 not told since */
bit  g_paused;
bit  g_alive[3];            /* memory 1 and 2; 0, the private word, always is */
byte g_span;                /* cells written since overwriting began */

hidden byte h_pad, h_lost, h_pad2, h_total, h_left;
hidden byte h_i, h_n, h_from, h_at;

/* A reservation takes free cells; while overwriting, finished ones as well. */
inline g_reserve(from, total)
{
    assert(p_paused || !g_paused);
    assert(p_inside || total <= CELLS);
#ifndef WITH_HOSTILE
    h_i = 0;
    do
    :: h_i < total ->
        h_at = PLACE(from + h_i);
        assert(p_reserved || g_cell[h_at] == FREE ||
               (cpu.window == PRIVATE && g_cell[h_at] < TORN));
        g_cell[h_at] = TORN + top;
        h_i++
    :: else -> break
    od;
#endif
#ifdef WITH_OVERWRITE
    g_span = (cpu.window == PRIVATE -> MIN(g_span + total, CELLS) : 0);
#endif
}

/* A LOST record will begin there: what it must tell. */
inline g_reserve_lost(from)
{
#ifdef WITH_TIME
    g_first[PLACE(from)] = (r < 0 -> g_first_lost : 0)
#else
    skip
#endif
}

/* One piece is filled in: at a place that this frame has reserved. */
inline g_fill(from, what, tsc_, first_)
{
    assert(p_paused || !g_paused);
    assert(p_freed || (cpu.page != NONE && g_alive[cpu.page]));
    assert(p_inside || PLACE(from) + LENGTH(what) <= CELLS);
#ifndef WITH_HOSTILE
    h_i = 0;
    do
    :: h_i < LENGTH(what) ->
        h_at = PLACE(from + h_i);
        assert(p_reserved || g_cell[h_at] == TORN + top);
        g_cell[h_at] = (h_i -> BODY : what);
        h_i++
    :: else -> break
    od;
#endif
#ifdef WITH_TIME
    assert(p_first || what != LOST || g_first[PLACE(from)] == first_);
    g_tsc[PLACE(from)] = tsc_
#endif
}

/* Of what is in h_at: that it is whole, and ends before `to`.  Sets h_n. */
inline g_is_whole(from, to)
{
    assert(p_whole || IS_WHOLE(g_cell[h_at]));
    h_n = LENGTH(g_cell[h_at]);
    assert(p_whole || DIST(from, to) >= h_n);
    assert(p_whole || h_n == 1 || g_cell[PLACE(from + 1)] == BODY)
}

/* prod moves: what lies between is whole, and in the order of time. */
inline g_publish(from, to)
{
    assert(p_forward || DIST(from, to) <= DIST(from, cpu.where));
#ifndef WITH_HOSTILE
    h_i = from;
    do
    :: h_i != to ->
        h_at = PLACE(h_i);
        g_is_whole(h_i, to);
        /* One plan's pad, LOST and record share their time. */
#ifdef WITH_TIME
        assert(p_order || g_published_tsc <= g_tsc[h_at]);
        assert(p_order || g_cell[h_at] != LOST ||
               (g_published_tsc < g_first[h_at] &&
                g_first[h_at] < g_tsc[h_at]));
        if
        :: g_cell[h_at] != PAD -> g_published_tsc = g_tsc[h_at]
        :: else
        fi;
        g_tsc[h_at] = 0;
        g_first[h_at] = 0;
#endif
        h_i = AFTER(h_i, h_n)
    :: else -> break
    od
#endif
}

#define SHOWN (cpu.window == PRIVATE -> cpu.private : prod)

/* The CPU is idle.  Times are counted from 0 again, their order kept. */
inline g_idle()
{
    assert(p_stuck || cpu.depth == 0);
    assert(p_stuck || cpu.page == NONE || cpu.where == SHOWN);
    assert(p_counted || g_pending == 0);
    assert(p_counted || g_untold == OWED(cpu.room));
    assert(p_told || !g_due || cpu.todo);
#ifdef WITH_TIME
    assert(p_first || cpu.room >= 0 || cpu.first_tsc == g_first_lost);
    assert(p_order || cpu.room >= 0 || g_published_tsc < cpu.first_tsc);
#endif
#ifndef WITH_HOSTILE
    h_i = 0;
    do
    :: h_i < CELLS -> assert(p_whole || g_cell[h_i] < TORN); h_i++
    :: else -> break
    od;
#endif
#ifdef WITH_TIME
    g_published_tsc = 0;
    g_first_lost = (cpu.room < 0 -> 1 : 0);
    cpu.first_tsc = g_first_lost;
    now = 2;
#endif
    calls = CALLS
}

/* --- The slow way --------------------------------------------------------- */

/* Arithmetic on locals: the layout [pad][LOST][pad][record]. */
inline make_plan()
{
    h_pad = 0;
    h_lost = 0;
    h_pad2 = 0;
    h_left = CELLS - PLACE(w);
    if
    :: r < 0 ->
        h_lost = LOST_SIZE;
        if
        :: h_lost > h_left -> h_pad = h_left; h_left = CELLS
        :: else
        fi;
        h_left = h_left - h_lost;
        if
        :: h_left == 0 -> h_left = CELLS
        :: else
        fi
    :: else
    fi;
    if
    :: size > h_left -> h_pad2 = h_left
    :: else
    fi;
    h_total = h_pad + h_lost + h_pad2 + size
}

#define BELOW_MARK(u)  ((u) < MARK -> MARK - (u) : MARK)
#define PAGE_LEFT(w)   (PAGE - PLACE(w) % PAGE)
#ifdef MUTANT_room_forgets_reader
#define MAKE_ROOM(w, u) MIN(BELOW_MARK(u), PAGE_LEFT(w))
#else
#define MAKE_ROOM(w, u) MIN(MIN(BELOW_MARK(u), PAGE_LEFT(w)), CELLS - (u))
#endif

#define CONS (cpu.window == PRIVATE -> cpu.private : cons)

/* cons is read once, and nonsense counts as full. */
inline bytes_used()
{
    h_from = CONS;
#ifdef MUTANT_overwriter_never_full
    h_from = (cpu.window == PRIVATE -> w : cons);
#endif
    used = DIST(h_from, w)
#ifndef MUTANT_cons_unchecked
    ;
    if
    :: h_from >= TURN || used > CELLS ->
#ifndef WITH_HOSTILE
        assert(p_honest || false);
#endif
        used = CELLS
    :: else
    fi
#endif
}

#define UNMOVED (cpu.where == w && cpu.room == r)

inline read_state()
{
#ifdef MUTANT_depth_late
    if
    :: read_before -> read_before = 0
    :: !read_before -> d_step { w = cpu.where; r = cpu.room }
    fi
#else
    d_step { w = cpu.where; r = cpu.room }
#endif
}

inline read_tsc()
{
#ifndef WITH_TIME
    tsc = now
#else
    d_step { tsc = now; now++; assert(now < 255) }
#endif
}

#ifdef MUTANT_first_without_lap
#define CROSSES(from, to) (PAGE_OF(from) != PAGE_OF(to))
#else
#define CROSSES(from, to) ((from) / PAGE != (to) / PAGE)
#endif

inline note_first(from, to)
{
#ifdef WITH_OVERWRITE
    if
    :: cpu.keeps_first && CROSSES(from, to) -> cpu.first[PAGE_OF(to)] = to
    :: else
    fi
#else
    skip
#endif
}

/* A piece with the pad before it, whose size is `pad`.  Within a step. */
inline write_pad(pad)
{
    if
    :: pad ->
        g_fill(h_from, PAD, tsc, 0);
        note_first(h_from, AFTER(h_from, pad));
        h_from = AFTER(h_from, pad)
    :: else
    fi
}

inline write_record()
{
    g_fill(h_from, (size == 2 -> TWO : ONE), tsc, 0);
    note_first(h_from, AFTER(h_from, size));
    g_pending--
}

inline write_lost()
{
    g_fill(h_from, LOST, tsc, first);
    note_first(h_from, AFTER(h_from, LOST_SIZE));
    g_untold = g_untold + r
}

/*
 * [11] in two steps, the LOST record and the record, each with its pad.  Who
 * nests between the bytes and note_first() finds what he finds before both.
 */
inline write_plan()
{
    if
    :: d_step {
           r < 0 ->
           make_plan();
           h_from = w;
           write_pad(h_pad);
           write_lost()
       }
    :: else
    fi;
    if
    :: d_step {
           size > 0 ->
           make_plan();
           h_from = AFTER(w, h_pad + h_lost);
           write_pad(h_pad2);
           write_record()
       }
    :: else
    fi;
#ifdef WITH_NOTIFY
    if
    :: d_step {
           used < MARK && used + DIST(w, upto) >= MARK &&
           cpu.window != PRIVATE ->
           cpu.todo = 1;
           g_due = 1
       }
    :: else
    fi
#endif
}

/* [13] Who nests here and loses too has set a time of its own: that stays. */
inline set_first_tsc()
{
    d_step {
        if
#ifdef MUTANT_first_tsc_plain_store
        :: true -> cpu.first_tsc = tsc
#else
        :: cpu.first_tsc == first -> cpu.first_tsc = tsc
        :: else
#endif
        fi
    }
}

/* [14] */
inline count_lost()
{
    if
    :: d_step {
#ifndef MUTANT_owed_plain_store
           UNMOVED ->
#else
           true ->
           cpu.where = w;
#endif
           cpu.room = -(OWED(r) + 1);
#ifdef WITH_TIME
           g_first_lost = (r < 0 -> g_first_lost : tsc);
#endif
           g_pending--;
           g_untold++;
           upto = w;
           done = 1
       }
    :: else
    fi
}

/* The first that is owed: note when.  Not `done` when the ring has moved. */
inline lose_first()
{
    first = cpu.first_tsc;
#if defined(MUTANT_lose_tsc_after_look)
    if
    :: UNMOVED -> read_tsc(); set_first_tsc(); count_lost()
    :: else
    fi
#elif defined(MUTANT_lose_without_look)
    read_tsc();
    set_first_tsc();
    count_lost()
#else
    read_tsc();                                                     /* [12] */
    if
    :: UNMOVED -> set_first_tsc(); count_lost()
    :: else
    fi
#endif
}

inline lose()
{
    if
    :: r >= 0 -> lose_first()
    :: r < 0 -> count_lost()
    fi
}

/* [10] One exchange reserves all of the plan and clears what is owed. */
inline reserve_plan()
{
    make_plan();
    upto = AFTER(w, h_total);
    cpu.where = upto;
#ifdef MUTANT_owed_cleared_second
    cpu.room = (r < 0 -> r : MAKE_ROOM(upto, used + h_total));
#else
    cpu.room = MAKE_ROOM(upto, used + h_total);
#endif
    g_reserve(w, h_total);
    g_reserve_lost(AFTER(w, h_pad))
}

/* The plan fits.  Not `done` when the ring has moved. */
inline carry_out()
{
#ifndef MUTANT_first_after_exchange
    first = cpu.first_tsc;
#endif
#ifndef MUTANT_slow_tsc_after_exchange
    read_tsc();
#endif
    if
#ifdef MUTANT_slow_plain_store
    :: d_step { true -> reserve_plan() };
#else
    :: d_step { UNMOVED -> reserve_plan() };
#endif
#ifdef MUTANT_first_after_exchange
       first = cpu.first_tsc;
#endif
#ifdef MUTANT_slow_tsc_after_exchange
       read_tsc();
#endif
#ifdef MUTANT_owed_cleared_second
       if
       :: d_step {
              cpu.room < 0 -> cpu.room = 0
          }
       :: else
       fi;
#endif
#ifdef MUTANT_prod_before_bytes
       if
       :: cpu.depth == 1 -> publish(upto)
       :: else
       fi;
#endif
       write_plan();
       done = 1
    :: else
    fi
}

/* size 0: no record, only what is owed. */
inline put_slow()
{
    do
    :: done -> break
    :: else ->
        read_state();
#ifdef MUTANT_cons_read_twice
        bytes_used();
        d_step {
            used = DIST(CONS, w);
#else
        d_step {
            bytes_used();
#endif
            assert(p_inside || used <= CELLS);
            make_plan();                                            /* [8] */
            fits = (h_total <= CELLS - used)                        /* [9] */
        };
        if
        :: fits -> carry_out()
        :: !fits && size > 0 -> lose()
        :: !fits && size == 0 -> upto = w; done = 1
        fi
    od
}

/* --- The fast way, and publication ---------------------------------------- */

#ifdef MUTANT_room_not_strict
#define GOES_SLOW (r < size)
#else
#define GOES_SLOW (r <= size)
#endif

/* [5] */
inline reserve_record()
{
    assert(p_inside || PLACE(w) % PAGE + size < PAGE);
    upto = AFTER(w, size);
    cpu.where = upto;
    cpu.room = r - size;
    g_reserve(w, size)
}

inline put()
{
#ifdef MUTANT_tsc_before_state
    read_tsc();
#endif
    do
    :: done -> break
    :: else ->
        read_state();                                               /* [3] */
        if
        :: GOES_SLOW -> put_slow(); break
        :: else
        fi;
#if !defined(MUTANT_tsc_before_state) && !defined(MUTANT_tsc_after_exchange)
        read_tsc();                                                 /* [4] */
#endif
        if
#ifdef MUTANT_fast_plain_store
        :: d_step { true -> reserve_record() };
#else
        :: d_step { UNMOVED -> reserve_record() };
#endif
#ifdef MUTANT_tsc_after_exchange
           read_tsc();
#endif
#ifdef MUTANT_prod_before_bytes
           if
           :: cpu.depth == 1 -> publish(upto)
           :: else
           fi;
#endif
           d_step { h_from = w; write_record(); done = 1 }
        :: else
        fi
    od
}

/* prod = to, wherever that is now. */
inline publish(to)
{
    d_step {
        h_from = SHOWN;
        if
        :: cpu.page != NONE || cpu.window != PRIVATE -> g_publish(h_from, to)
        :: else
        fi;
        assert(p_freed || g_alive[cpu.window]);
        if
        :: cpu.window == PRIVATE -> cpu.private = to
        :: else -> prod = to
        fi
    }
}

/* Tell dom0: in an NMI that has to wait for the next ordinary record. */
inline notify()
{
#ifdef WITH_NOTIFY
    if
    :: cpu.todo && (masked == 0 || top < masked) ->
#ifdef MUTANT_todo_cleared_after
        g_due = 0;
        cpu.todo = 0
#else
        cpu.todo = 0;
        g_due = 0
#endif
    :: else
    fi
#else
    skip
#endif
}

/* `upto`: up to there all is written, by us or by who nested and returned. */
inline leave()
{
    if
    :: cpu.depth > 1 ->                                             /* [6] */
#ifdef MUTANT_nested_publishes
        publish(upto);
#endif
        cpu.depth--
    :: else ->
        do                                                          /* [7] */
#ifdef MUTANT_depth_before_prod
        :: cpu.depth = 0;
           publish(upto);
#else
        :: publish(upto);
           cpu.depth = 0;
#endif
#ifdef MUTANT_no_second_look
           break
#else
           if
           :: cpu.where == upto -> break
           :: else
           fi;
#ifdef MUTANT_where_at_depth_0
           upto = cpu.where;
           cpu.depth = 1
#else
           cpu.depth = 1;
           upto = cpu.where
#endif
#endif
        od;
        notify()
    fi
}

inline enter()
{
    cpu.depth++                                                     /* [1] */
}

inline trace_record()
{
#if defined(MUTANT_live_before_depth)
    fits = cpu.live;
    enter();
    if
    :: fits ->
#elif defined(MUTANT_depth_late)
    d_step { w = cpu.where; r = cpu.room };
    read_before = 1;
    enter();
    if
    :: cpu.live ->
        if
        :: GOES_SLOW -> put_slow()
        :: else
        fi;
#else
    enter();
    if
    :: cpu.live ->                                                  /* [2] */
#endif
        g_pending++;
        put();
        leave()
    :: else ->
#ifdef MUTANT_late_silent
        cpu.depth--
#else
        upto = cpu.where;
        leave()
#endif
    fi
}

/* --- Visits --------------------------------------------------------------- */

#ifdef WITH_CONTROL

/* The ring leaves: what it owes is forgotten, with its pages. */
inline g_forget(ring)
{
    g_untold = g_untold - OWED(ring.room)
}

#define WANTED(ring) (tb_init_done && ring.page != NONE && attached)

inline change_live(ring)
{
    ring.live = WANTED(ring)
}

inline detach(ring)
{
    ring.live = 0;
    ring.page = NONE;
#ifdef WITH_OVERWRITE
    ring.keeps_first = 0;
#endif
#ifndef MUTANT_detach_state_first
    ring.window = PRIVATE;
#endif
    d_step {
        g_forget(ring);
        ring.where = 0;
        ring.room = 0;
        ring.private = 0    /* whatever it is: nobody asks */
    };
    ring.window = PRIVATE
}

/* New pages are zeroes, the two words in them as well. */
inline g_new_pages()
{
    prod = 0;
    cons = 0;
#ifndef WITH_HOSTILE
    h_i = 0;
    do
    :: h_i < CELLS -> g_cell[h_i] = FREE; h_i++
    :: else -> break
    od
#endif
}

inline change_attach(ring)
{
    detach(ring);
    if
    :: d_step { pages != NONE -> ring.page = pages; g_new_pages() };
       ring.window = ring.page
    :: else
    fi
}

/* A plain store: not live, so no nested writer moves it. */
inline forget_room(ring)
{
    d_step { g_forget(ring); ring.room = 0 }
}

/* The late LOST.  Only a CPU itself writes its own. */
inline change_settle()
{
#ifndef MUTANT_settle_while_live
    cpu.live = 0;
#endif
    if
    :: cpu.room < 0 && cpu.page != NONE -> size = 0; put_slow(); done = 0
    :: else
    fi;
    w = cpu.where;
    d_step { forget_room(cpu); cpu.where = w };
    cpu.live = 0
}

#ifdef WITH_OVERWRITE
/* {cons, prod} in one store of 64 bits. */
inline share_window(ring, from, to)
{
    assert(p_freed || g_alive[ring.page]);
#ifdef MUTANT_window_in_two_stores
    cons = from;
    prod = to
#else
    d_step { cons = from; prod = to }
#endif
}

inline change_overwrite(ring, where_)
{
    if
    :: ring.page != NONE ->
        d_step {
            where_ = ring.where;
            h_i = 0;
            do
            :: h_i < PAGES -> ring.first[h_i] = NOWHERE; h_i++
            :: else -> break
            od;
            ring.first[PAGE_OF(where_)] = where_;
            ring.keeps_first = 1;
            g_span = 0
        };
#ifndef MUTANT_unread_stays_shown
        share_window(ring, where_, where_);
#endif
        ring.private = where_;
        ring.window = PRIVATE;
        d_step { forget_room(ring); ring.where = where_ }
    :: else
    fi
}

/* Into h_from: where the oldest record begins that is whole.  In a step. */
inline oldest_record(ring)
{
    h_n = PAGE_OF(ring.where);
    h_from = ring.first[h_n];
#ifndef MUTANT_oldest_in_head_page
    h_i = PAGES - 1;
    do
    :: h_i > 0 ->
        if
        :: ring.first[(h_n + h_i) % PAGES] != NOWHERE ->
            h_from = ring.first[(h_n + h_i) % PAGES]
        :: else
        fi;
        h_i--
    :: else -> break
    od
#endif
}

/* from..to is frozen: whole records; what lies outside is not there. */
inline g_freeze(from, to)
{
    assert(p_span || DIST(from, to) <= CELLS);
    assert(p_span || DIST(from, to) + PAGE + MAX_PIECE - 1 >= g_span);
    h_i = from;
    do
    :: h_i != to ->
        h_at = PLACE(h_i);
        g_is_whole(h_i, to);
        h_i = AFTER(h_i, h_n)
    :: else -> break
    od;
    do
    :: DIST(from, h_i) < CELLS -> g_cell[PLACE(h_i)] = FREE; h_i = AFTER(h_i, 1)
    :: else -> break
    od
}

inline change_freeze(ring, oldest)
{
    if
    :: ring.keeps_first ->
        d_step {
            oldest_record(ring);
            oldest = h_from;
            g_freeze(oldest, ring.where)
        };
        share_window(ring, oldest, ring.where);
        ring.window = ring.page;
        ring.keeps_first = 0;
        oldest = ring.where;
        d_step { forget_room(ring); ring.where = oldest }
    :: else
    fi
}
#endif

#ifdef WITH_HOTPLUG
/* All words but depth. */
inline move_ring(to, from)
{
    to.where = from.where;
    to.room = from.room;
    to.first_tsc = from.first_tsc;
    to.todo = from.todo;
    to.live = from.live;
    to.page = from.page;
    to.window = from.window;
    to.private = from.private;
#ifdef WITH_OVERWRITE
    to.keeps_first = from.keeps_first;
    h_i = 0;
    do
    :: h_i < PAGES -> to.first[h_i] = from.first[h_i]; h_i++
    :: else -> break
    od
#endif
}

/*
 * Nothing says in which order a struct is copied: state, the pointers cons
 * and prod, and all the rest, as three steps in any order.
 */
inline change_unpark()
{
    do
    :: !(used & 1) ->
        d_step {
            cpu.where = parked.where;
            cpu.room = parked.room;
            used = used | 1
        }
    :: !(used & 2) ->
        cpu.window = parked.window;
        used = used | 2
    :: !(used & 4) ->
        d_step {
            h_at = cpu.where;
            h_n = cpu.window;
            move_ring(cpu, parked);
            cpu.where = h_at;
            cpu.window = h_n;
            used = used | 4
        };
#ifdef MUTANT_unpark_copies_depth
        cpu.depth = 0
#endif
    :: used == 7 -> break
    od;
#ifdef MUTANT_unpark_copies_depth
    cpu.depth = 1;
#endif
    change_live(cpu)
}
#endif

/* What a visit does when it finds the CPU outside of every writer. */
inline make_change()
{
    if
    :: change == CHANGE_LIVE -> change_live(cpu)
    :: change == CHANGE_SETTLE -> change_settle()
    :: change == CHANGE_ATTACH -> change_attach(cpu)
#ifdef WITH_OVERWRITE
    :: change == CHANGE_OVERWRITE -> change_overwrite(cpu, w)
    :: change == CHANGE_FREEZE -> change_freeze(cpu, w)
#endif
#ifdef WITH_HOTPLUG
    :: change == CHANGE_UNPARK -> change_unpark()
#endif
    fi
}

#if defined(MUTANT_visit_ignores_depth)
#define MAY_VISIT true
#elif defined(MUTANT_freeze_ignores_depth)
#define MAY_VISIT (cpu.depth == 0 || change == CHANGE_SETTLE || \
                   change == CHANGE_FREEZE)
#elif defined(RELAXED_enable_at_any_depth)
#define MAY_VISIT (cpu.depth == 0 || (change == CHANGE_LIVE && tb_init_done))
#else
#define MAY_VISIT (cpu.depth == 0)
#endif

inline visit_here()
{
    if
    :: MAY_VISIT ->
#ifndef MUTANT_visit_at_depth_0
        enter();
#endif
        make_change();
        upto = cpu.where;
        leave()
    :: else -> busy = 1
    fi
}

/* In stop_machine: nobody is inside, and no IPI comes. */
inline cpu_leave()
{
#ifdef WITH_HOTPLUG
    enter();
    change_settle();
    upto = cpu.where;
    leave();
    attached = 0;
    d_step { move_ring(parked, cpu) };
    detach(cpu)
#else
    skip
#endif
}

#endif

/* --- The CPU -------------------------------------------------------------- */

/* Back to who was interrupted. */
inline iret()
{
    d_step {
        w = 0; r = 0; size = 0; used = 0; upto = 0; tsc = 0; first = 0;
        done = 0; fits = 0;
        if
        :: job[_pid] == VISIT -> ipi = 0
        :: job[_pid] == GO_AWAY -> stop_machine = 0; stands = 0
        :: else
        fi;
        job[_pid] = NOTHING;
        masked = (masked == top -> 0 : masked);
        top--;
        if
        :: top == 0 -> g_idle()
        :: else
        fi
    }
}

active [NEST] proctype Frame() provided (top == _pid + 1)
{
    byte w, size, used, upto, tsc, first;
    short r;
    bit done, fits;
#ifdef MUTANT_depth_late
    bit read_before;
#endif

end:
    do
    :: job[_pid] == WRITE ->
        if
        :: atomic {
               tb_init_done ->
               if
               :: size = 1
#if MAX_SIZE > 1
               :: size = 2
#endif
               fi
           };
           trace_record()
        :: !tb_init_done
        fi;
        iret()
#ifdef WITH_CONTROL
    :: job[_pid] == VISIT -> visit_here(); iret()
    :: job[_pid] == GO_AWAY -> cpu_leave(); iret()
#endif
    od
}

/* Push a frame; `maskable`: whether IPIs may come while it runs. */
inline push(what, mask_it)
{
    masked = (masked == 0 && mask_it -> top + 1 : masked);
    job[top] = what;
    top++
}

/*
 * Interrupts, NMIs, #MCs: any time, on top of whatever runs.  What interrupts
 * a masked frame, as a visit is one, is an NMI or #MC.  Other frames are given
 * more visits than they can have: an NMI as well may be interrupted by one.
 */
active proctype Events()
{
#ifndef WITH_CONTROL
    d_step {
        tb_init_done = 1;
        cpu.live = 1;
        cpu.page = 1;
        cpu.window = 1;
        shared = 1;
        g_alive[0] = 1;
        g_alive[1] = 1
    };
#endif

end:
    do
    :: atomic {
           running && top < NEST && calls > 0 && OWED(cpu.room) <= MAX_OWED ->
           calls--;
           if
           :: push(WRITE, false)
#ifdef WITH_NOTIFY
           :: masked == 0 -> push(WRITE, true)
#endif
           fi
       }
#ifdef WITH_CONTROL
    :: d_step {
           ipi && top < NEST && masked == 0 &&
           (top == 0 || job[top - 1] != VISIT) ->
           push(VISIT, true)
       }
    :: d_step { stop_machine && top == 0 -> stands = 1; push(GO_AWAY, true) }
#endif
    od
}

/* --- Dom0 ----------------------------------------------------------------- */

#ifdef WITH_READER
/*
 * Control makes the states many.  Where it takes part the reader takes all that
 * there is, while the CPU is idle or a visit is there; other variants have the
 * rest.
 */
#ifdef WITH_CONTROL
#define GOES_ON   true
#define MAY_READ  (top == 0 || job[top - 1] == VISIT)
#else
#define GOES_ON   false
#define MAY_READ  true
#endif

/* Records from cons on are taken, one or all.  In a step. */
inline take(to)
{
    assert(p_window || DIST(cons, to) <= CELLS);
    do
    :: h_at = PLACE(cons);
       g_is_whole(cons, to);
       h_i = 0;
       do
       :: h_i < h_n -> g_cell[PLACE(cons + h_i)] = FREE; h_i++
       :: else -> break
       od;
       cons = AFTER(cons, h_n);
       if
       :: GOES_ON && cons != to
       :: else -> break
       fi
    od;
    h_i = 0
}

/*
 * One step: read prod, take records, store cons.  A reader that goes by a prod
 * it read long ago does nothing that this one does not do at that time; and a
 * record written over while it is read would be found by g_reserve.  That is
 * so as long as only the reader moves cons.  Overwriting moves it, and so must
 * not be asked for while somebody reads: SLOW_READER does.
 */
active proctype Reader() provided (!stands)
{
#ifdef SLOW_READER
    byte to;

end:
    do
    :: d_step { shared && cons != prod && MAY_READ -> to = prod };
       MAY_READ;
       d_step { take(to); to = 0 }
    od
#else
end:
    do
    :: d_step { shared && cons != prod && MAY_READ -> take(prod) }
    od
#endif
}
#endif

#ifdef WITH_HOSTILE
/* TURN stands for all that is out of range. */
active proctype Hostile()
{
end:
    do
    :: atomic { cons < TURN -> cons++ }
    :: atomic { cons > 0 -> cons-- }
    :: cons != 0 -> cons = 0
    :: cons != TURN -> cons = TURN
    od
}
#endif

/* --- Control -------------------------------------------------------------- */

#ifdef WITH_CONTROL

/* Sent again as long as it meets a writer. */
inline visit_cpu(what)
{
    d_step { change = what; ipi = 1; busy = 0 };
    do
#ifndef MUTANT_visit_not_repeated
    :: d_step { !ipi && busy -> ipi = 1; busy = 0 }
    :: !ipi && !busy -> break
#else
    :: !ipi -> break
#endif
    od;
    change = 0
}

/* A ring that is parked control changes itself. */
inline change_parked(what)
{
#ifdef WITH_HOTPLUG
    if
    :: what == CHANGE_LIVE -> change_live(parked)
    :: what == CHANGE_SETTLE -> parked.live = 0; forget_room(parked)
    :: what == CHANGE_ATTACH -> change_attach(parked)
#ifdef WITH_OVERWRITE
    :: what == CHANGE_OVERWRITE -> change_overwrite(parked, where)
    :: what == CHANGE_FREEZE -> change_freeze(parked, where)
#endif
    fi
#else
    skip
#endif
}

inline change_rings(what)
{
    if
    :: attached -> visit_cpu(what)
    :: else -> change_parked(what)
    fi
}

inline start_tracing()
{
    d_step { g_paused = 0; tb_init_done = 1 };
    change_rings(CHANGE_LIVE)
}

inline pause_tracing()
{
#ifndef MUTANT_replace_without_pause
    change_rings(CHANGE_LIVE);
    g_paused = 1
#else
    skip
#endif
}

inline op_disable()
{
    tb_init_done = 0;
#ifdef MUTANT_freeze_while_live
    if
    :: !overwriting -> change_rings(CHANGE_SETTLE)
    :: else
    fi;
#else
    change_rings(CHANGE_SETTLE);
#endif
    g_paused = 1;
#ifdef WITH_OVERWRITE
    if
    :: overwriting -> change_rings(CHANGE_FREEZE); overwriting = 0
    :: else
    fi
#endif
}

inline op_overwrite()
{
#ifdef WITH_OVERWRITE
    op_disable();
    change_rings(CHANGE_OVERWRITE);
    overwriting = 1;
    start_tracing()
#else
    skip
#endif
}

inline install()
{
    d_step {
        /* data_size and ring_end change here: nobody may be using them. */
        assert(p_inside || !cpu.live);
        pages = (attached -> new : NONE);   /* none for who is away */
        rings = (new != NONE);
        overwriting = 0;
        shared = rings
    };
    change_rings(CHANGE_ATTACH)
}

/* Dom0 may have a page mapped: then all stays as it was. */
inline replace_rings()
{
    d_step { old = pages; was_on = tb_init_done; tb_init_done = 0 };
    pause_tracing();
    if
    :: skip                                                     /* -EBUSY */
    :: d_step { g_alive[new] = (attached || new == NONE); shared = 0 };
#ifdef MUTANT_free_before_visit
       g_alive[old] = (old == NONE);
       install()
#else
       install();
       g_alive[old] = (old == NONE)
#endif
    fi;
    if
    :: was_on && rings -> start_tracing()
    :: else
    fi;
    d_step { old = 0; new = 0; was_on = 0 }
}

inline set_size()
{
    d_step { new = 1; g_alive[new] = attached };
    install();
    new = 0;
    start_tracing()
}

#ifdef WITH_HOTPLUG
inline cpu_down()
{
    stop_machine = 1;
    !stop_machine;
    /* It still runs for a while, and is hit by NMIs. */
    atomic { top == 0 -> running = 0 }
}

inline cpu_up()
{
    /* cpu_prepare() */
    d_step {
        cpu.depth = 0;
        cpu.live = 0;
        cpu.page = NONE;
        cpu.where = 0;
        cpu.room = 0;
        cpu.window = PRIVATE
    };
    if
    :: rings && pages == NONE ->
        d_step { pages = 1; g_alive[1] = 1 };
        change_attach(parked);
        if
        :: overwriting -> change_rings(CHANGE_OVERWRITE)
        :: else
        fi
    :: else
    fi;
    running = 1;
    /* cpu_arrive() */
    attached = 1;
    visit_cpu(CHANGE_UNPARK)
}
#endif

active proctype Control()
{
    byte old, new, where;
    bit was_on;

    d_step { g_alive[0] = 1; g_paused = 1 };

end:
    do
    :: !rings -> set_size()
#ifndef ONLY_OVERWRITE
    :: rings -> start_tracing()
#endif
    :: rings -> op_disable()
#ifdef WITH_REPLACE
    :: rings -> replace_rings()
    :: d_step { rings && pages != 2 -> new = pages + 1 }; replace_rings()
#endif
#ifdef WITH_OVERWRITE
    :: rings -> op_overwrite()
#endif
#ifdef WITH_HOTPLUG
    :: attached -> cpu_down()
    :: !attached -> cpu_up()
#endif
    od
}

#endif
