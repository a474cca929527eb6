/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ring.pml: a model of the trace ring, for the model checker spin.
 *
 * xen/common/trace-ring.md describes the protocol.  The numbers in brackets are
 * its steps, the names are those of xen/common/trace.c.  Promela explores every
 * interleaving of these steps.  tests/model/run builds several variants of the
 * model (WITH_...) and visits all states of each; then mutants (MUTANT_...)
 * remove or move single steps, and the search has to find the expected property
 * violated.
 *
 * Reading Promela.  The syntax resembles C.  Each statement is atomic; between
 * two statements any other process may take any number of steps.
 * `d_step { }` and `atomic { }` make several statements atomic.  `if` and
 * `do` choose among the options (::) with an executable first statement, and
 * every choice is explored; `else` is executable when no other option is.
 * An expression as a statement waits until it is true.  `inline` is a macro on
 * the caller's variables.
 *
 * Processes
 *   Frame    code on the CPU of the ring: Frame 0 runs first, Frame 1
 *            interrupts Frame 0, and so on.  Only the topmost frame runs
 *            (`provided`), and returns before the frame below resumes.
 *            A frame is a call of trace_record(), a visit (IPI), or the CPU
 *            going offline.
 *   Events   interrupts the CPU, between any two steps.
 *   Reader   dom0, on another CPU: reads prod, takes records, stores cons.
 *   Hostile  malicious dom0: stores any value into cons, at any time.
 *   Control  the control operations, on another CPU.
 *
 * Simplifications, and why they lose_record nothing
 *   Bytes.  The ring has a few cells; a record has one or two, a page a few.
 *   Filling in a piece is one step, and the cells count as torn until then; a
 *   partly filled piece would add no new state.
 *   Sixteen laps.  A place is a number modulo two laps, which keeps only the
 *   parity of the lap.  The model is stricter than the code.
 *   Memory barriers.  Steps happen in program order, as the barriers enforce.
 *   tests/step/kind-order.c tests that each store that publishes others is
 *   behind a barrier, as weakly ordered CPUs need it.
 *   depth++ and depth-- are one step: an interrupt between load and store
 *   restores the value that it found.
 *   Absolute time.  Time stamps are only compared, and restart from 0 when the
 *   CPU is idle.  The number of consecutive calls is unbounded and yet the
 *   number of states finite.
 *
 * Bounds, set by `run`: CELLS, PAGE, MAX_SIZE, LOST_SIZE; NEST frames on the
 * stack; CALLS of trace_record() between two idle states of the CPU, none of
 * which begins while more than MAX_OWED records are owed.
 *
 * Names with g_ are ghost variables, read by assertions only; with h_, scratch
 * variables within one step; with p_, constants 0 that name the property in an
 * assertion, for `run` to read from spin's output.
 */

#ifndef CELLS
#define CELLS 3             /* data_size */
#endif
#ifndef PAGE
#define PAGE CELLS          /* cells a page; divides CELLS */
#endif
#ifndef MARK
#define MARK CELLS          /* the high-water mark; CELLS: none */
#endif
#ifndef MAX_SIZE
#define MAX_SIZE 1          /* cells of a record: 1 or 2 */
#endif
#ifndef LOST_SIZE
#define LOST_SIZE 1         /* cells of a LOST record: 1 or 2 */
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

/* Time multiplies the states, so only variants that check time have it. */
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

hidden byte p_whole;     /* published bytes consist of whole records */
hidden byte p_reserved;  /* each piece lies in its own writer's reservation */
hidden byte p_order;     /* ring order is time order */
hidden byte p_first;     /* LOST has the time of the first record it counts */
hidden byte p_counted;   /* each record is written, or counted as lost */
hidden byte p_forward;   /* prod moves forward, within the reserved bytes */
hidden byte p_stuck;     /* idle: depth is 0, all records are published */
hidden byte p_inside;    /* no write outside the ring; fast path: the page */
hidden byte p_honest;    /* an honest reader's cons never looks invalid */
hidden byte p_window;    /* cons..prod is never more than the ring */
hidden byte p_freed;     /* freed memory is not written to */
hidden byte p_paused;    /* no record is written while control has paused */
hidden byte p_span;      /* a frozen ring misses at most about a page */
hidden byte p_notified;  /* crossing the mark notifies dom0, perhaps later */

/* --- State ---------------------------------------------------------------- */

/* struct ring.  where and room are one word, `state`: they change together. */
typedef ring_t {
    byte  where;
    short room;             /* if negative, -records owed as lost */
    byte  depth;
    byte  first_tsc;
    bit   live;
    bit   notify_pending;
    byte  page;             /* the memory of the ring: 1, 2, or NONE */
    byte  window;           /* memory of cons and prod: page, or PRIVATE */
    byte  private;          /* `hidden` of trace.c, a keyword of Promela */
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

/* The CPU: frames on the stack, with Frame(top - 1) running. */
#define NOTHING  0
#define WRITE    1
#define VISIT    2
#define GO_AWAY  3
bit  running = 1;
byte top;
byte job[NEST];
byte masked;                /* from this frame on only NMIs; 0: IPIs too */
byte calls = CALLS;         /* remaining calls until the CPU is idle */
byte now = 1;               /* the TSC */

/* Changes that control requests from the CPU. */
#define CHANGE_LIVE      1
#define CHANGE_WRITE_LATE_LOST    2
#define CHANGE_ATTACH    3
#define CHANGE_OVERWRITE 4
#define CHANGE_FREEZE    5
#define CHANGE_UNPARK    6
#define CHANGE_READY     7
byte change;
bit  ipi;                   /* sent, or its handler is running */
bit  busy;                  /* the IPI interrupted a writer: send again */
bit  stop_machine;          /* the same, for the CPU going offline */
bit  others_stopped;                /* other CPUs are stopped meanwhile */

/* State of control itself. */
bit  rings;
byte pages;                 /* the memory for this CPU, or NONE */
bit  overwriting;

/* --- Ghosts --------------------------------------------------------------- */

/* A cell is free (never written, or consumed), or has one of these contents. */
#define FREE    0
#define BODY    1           /* second cell of a piece */
#define PAD     2           /* one cell: no gap is larger */
#define LOST    3
#define ONE     4           /* a record of one cell */
#define TWO     5
#define TORN    8           /* + frame: reserved by the frame, not yet filled */
#define LENGTH(what) ((what) == TWO -> 2 : ((what) == LOST -> LOST_SIZE : 1))
#define IS_WHOLE(what) ((what) > BODY && (what) < TORN)

#ifndef WITH_HOSTILE
byte g_cell[CELLS];
#endif
#ifdef WITH_TIME
byte g_tsc[CELLS];          /* time of an unpublished piece, at its start */
byte g_first[CELLS];        /* likewise: the first_tsc due in a LOST record */
#endif
byte g_published_tsc;       /* time of the last record before prod */
byte g_first_lost;          /* time of the first loss among the owed */
short g_pending;            /* calls that found `live`, not written or lost */
short g_unreported;             /* losses not yet in a LOST record */
bit  g_due;                 /* notify_pending was set, dom0 not notified */
bit  g_paused;
bit  g_alive[3];            /* memory 1 and 2; 0, the private word, always is */
byte g_span;                /* cells written since overwriting started */

hidden byte h_pad, h_lost, h_pad2, h_total, h_left;
hidden byte h_i, h_n, h_from, h_at;

/* A reservation takes free cells, or finished ones while overwriting. */
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

/* A LOST record will begin at `from`; note the first_tsc due. */
inline g_reserve_lost(from)
{
#ifdef WITH_TIME
    g_first[PLACE(from)] = (r < 0 -> g_first_lost : 0)
#else
    skip
#endif
}

/* Fill in one piece, in cells reserved by this frame. */
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

/* The piece in cell h_at is whole and ends before `to`.  Sets h_n. */
inline g_is_whole(from, to)
{
    assert(p_whole || IS_WHOLE(g_cell[h_at]));
    h_n = LENGTH(g_cell[h_at]);
    assert(p_whole || DIST(from, to) >= h_n);
    assert(p_whole || h_n == 1 || g_cell[PLACE(from + 1)] == BODY)
}

/* prod moves: the pieces between are whole and in time order. */
inline g_publish(from, to)
{
    assert(p_forward || DIST(from, to) <= DIST(from, cpu.where));
#ifndef WITH_HOSTILE
    h_i = from;
    do
    :: h_i != to ->
        h_at = PLACE(h_i);
        g_is_whole(h_i, to);
        /* The pad, LOST and record of one plan share their time. */
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

#define PUBLISHED (cpu.window == PRIVATE -> cpu.private : prod)

/* The CPU is idle.  Restart time from 0, in the same order. */
inline g_idle()
{
    assert(p_stuck || cpu.depth == 0);
    assert(p_stuck || cpu.page == NONE || cpu.where == PUBLISHED);
    assert(p_counted || g_pending == 0);
    assert(p_counted || g_unreported == OWED(cpu.room));
    assert(p_notified || !g_due || cpu.notify_pending);
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

/* --- The slow path -------------------------------------------------------- */

/* Compute on locals the layout [pad][LOST][pad][record]. */
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

/* cons is read once; an invalid value counts as a full ring. */
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

#define STATE_IS_UNCHANGED (cpu.where == w && cpu.room == r)

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

/* Write a pad of `pad` cells, if any.  Within a step. */
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
    g_unreported = g_unreported + r
}

/*
 * [11] in two steps, the LOST record and the record, each with its pad.  A
 * nested writer between the bytes and note_first() finds the same state as one
 * before both.
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
           cpu.notify_pending = 1;
           g_due = 1
       }
    :: else
    fi
#endif
}

/* [13] Keep a time set by a nested writer that lost a record too. */
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
           STATE_IS_UNCHANGED ->
#else
           true ->
           cpu.where = w;
#endif
           cpu.room = -(OWED(r) + 1);
#ifdef WITH_TIME
           g_first_lost = (r < 0 -> g_first_lost : tsc);
#endif
           g_pending--;
           g_unreported++;
           upto = w;
           done = 1
       }
    :: else
    fi
}

/* Note the time of the first owed loss.  Not `done` if the ring has moved. */
inline lose_first_record()
{
    first = cpu.first_tsc;
#if defined(MUTANT_lose_tsc_after_check)
    if
    :: STATE_IS_UNCHANGED -> read_tsc(); set_first_tsc(); count_lost()
    :: else
    fi
#elif defined(MUTANT_lose_without_check)
    read_tsc();
    set_first_tsc();
    count_lost()
#else
    read_tsc();                                                     /* [12] */
    if
    :: STATE_IS_UNCHANGED -> set_first_tsc(); count_lost()
    :: else
    fi
#endif
}

inline lose_record()
{
    if
    :: r >= 0 -> lose_first_record()
    :: r < 0 -> count_lost()
    fi
}

/* [10] One exchange reserves the whole plan and clears the owed losses. */
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

/* The plan fits.  Not `done` if the ring has moved. */
inline execute_plan()
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
    :: d_step { STATE_IS_UNCHANGED -> reserve_plan() };
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

/* size 0: no record, only the LOST record for owed losses. */
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
        :: fits -> execute_plan()
        :: !fits && size > 0 -> lose_record()
        :: !fits && size == 0 -> upto = w; done = 1
        fi
    od
}

/* --- The fast path, and publication --------------------------------------- */

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
        :: d_step { STATE_IS_UNCHANGED -> reserve_record() };
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

/* prod = to, in the current window. */
inline publish(to)
{
    d_step {
        h_from = PUBLISHED;
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

/* Notify dom0; after an NMI only with the next ordinary record. */
inline notify()
{
#ifdef WITH_NOTIFY
    if
    :: cpu.notify_pending && (masked == 0 || top < masked) ->
#ifdef MUTANT_pending_cleared_after
        g_due = 0;
        cpu.notify_pending = 0
#else
        cpu.notify_pending = 0;
        g_due = 0
#endif
    :: else
    fi
#else
    skip
#endif
}

/* All up to `upto` is written, by this writer or by nested, finished ones. */
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
#ifdef MUTANT_no_recheck
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

/* The ring leaves: its owed losses are dropped with its pages. */
inline g_drop_owed(ring)
{
    g_unreported = g_unreported - OWED(ring.room)
}

#define WANTED(ring) (tb_init_done && ring.page != NONE && attached)

/* Before tb_init_done is set. */
inline change_ready(ring)
{
    ring.live = (ring.page != NONE && attached)
}

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
        g_drop_owed(ring);
        ring.where = 0;
        ring.room = 0;
        ring.private = 0    /* any value: the word is not read */
    };
    ring.window = PRIVATE
}

/* New pages are zeroed, and cons and prod with them. */
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

/* A plain store: the ring is not live, so no nested writer moves it. */
inline clear_room(ring)
{
    d_step { g_drop_owed(ring); ring.room = 0 }
}

/* The late LOST record.  Only a CPU itself writes to its ring. */
inline change_write_late_lost()
{
#ifndef MUTANT_late_lost_while_live
    cpu.live = 0;
#endif
    if
    :: cpu.room < 0 && cpu.page != NONE -> size = 0; put_slow(); done = 0
    :: else
    fi;
    w = cpu.where;
    d_step { clear_room(cpu); cpu.where = w };
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
#ifndef MUTANT_unread_stays_published
        share_window(ring, where_, where_);
#endif
        ring.private = where_;
        ring.window = PRIVATE;
        d_step { clear_room(ring); ring.where = where_ }
    :: else
    fi
}

/* Set h_from to the start of the oldest whole record.  In a step. */
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

/* Check the frozen from..to for whole records, and free all other cells. */
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
        d_step { clear_room(ring); ring.where = oldest }
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
    to.notify_pending = from.notify_pending;
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
 * The order of copying a struct is undefined: state, the pointers cons and
 * prod, and the rest are three steps in any order.
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

/* The change of a visit that finds no writer inside. */
inline make_change()
{
    if
    :: change == CHANGE_READY -> change_ready(cpu)
    :: change == CHANGE_LIVE -> change_live(cpu)
    :: change == CHANGE_WRITE_LATE_LOST -> change_write_late_lost()
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
#define MAY_VISIT (cpu.depth == 0 || change == CHANGE_WRITE_LATE_LOST || \
                   change == CHANGE_FREEZE)
#elif defined(RELAXED_enable_at_any_depth)
#define MAY_VISIT (cpu.depth == 0 || change == CHANGE_READY)
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

/* In stop_machine: no writer is inside, and no IPI comes. */
inline cpu_leave()
{
#ifdef WITH_HOTPLUG
    enter();
    change_write_late_lost();
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

/* Return to the interrupted frame. */
inline iret()
{
    d_step {
        w = 0; r = 0; size = 0; used = 0; upto = 0; tsc = 0; first = 0;
        done = 0; fits = 0;
        if
        :: job[_pid] == VISIT -> ipi = 0
        :: job[_pid] == GO_AWAY -> stop_machine = 0; others_stopped = 0
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

/* Push a frame; `mask_it`: it masks IPIs. */
inline push(what, mask_it)
{
    masked = (masked == 0 && mask_it -> top + 1 : masked);
    job[top] = what;
    top++
}

/*
 * Interrupts, NMIs, #MCs: at any time, on top of any frame.  A masked frame,
 * such as a visit, is interrupted by NMIs and #MCs only.  Unmasked frames get
 * more visits than real ones: an NMI frame too may be interrupted by a visit.
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
    :: d_step {
           stop_machine && top == 0 -> others_stopped = 1; push(GO_AWAY, true)
       }
#endif
    od
}

/* --- Dom0 ----------------------------------------------------------------- */

#ifdef WITH_READER
/*
 * Control multiplies the states.  In variants with control the reader takes all
 * records at once, while the CPU is idle or in a visit; other variants cover
 * the rest.
 */
#ifdef WITH_CONTROL
#define TAKES_ALL   true
#define MAY_READ  (top == 0 || job[top - 1] == VISIT)
#else
#define TAKES_ALL   false
#define MAY_READ  true
#endif

/* Consume records from cons on, one or all.  In a step. */
inline take_records(to)
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
       :: TAKES_ALL && cons != to
       :: else -> break
       fi
    od;
    h_i = 0
}

/*
 * One step: read prod, take records, store cons.  A reader with an old prod can
 * do no more than this reader did at the time of reading prod; g_reserve finds
 * a record that is overwritten while being read.  This holds as long as only
 * the reader moves cons.  Overwriting moves cons, and so must not start during
 * a read: SLOW_READER shows the failure.
 */
active proctype Reader() provided (!others_stopped)
{
#ifdef SLOW_READER
    byte to;

end:
    do
    :: d_step { shared && cons != prod && MAY_READ -> to = prod };
       MAY_READ;
       d_step { take_records(to); to = 0 }
    od
#else
end:
    do
    :: d_step { shared && cons != prod && MAY_READ -> take_records(prod) }
    od
#endif
}
#endif

#ifdef WITH_HOSTILE
/* TURN stands for all values out of range. */
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

/* Send the IPI, again as long as it interrupts a writer. */
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

/* Control itself changes a parked ring. */
inline change_parked(what)
{
#ifdef WITH_HOTPLUG
    if
    :: what == CHANGE_READY -> change_ready(parked)
    :: what == CHANGE_LIVE -> change_live(parked)
    :: what == CHANGE_WRITE_LATE_LOST -> parked.live = 0; clear_room(parked)
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
    g_paused = 0;
    change_rings(CHANGE_READY);
    tb_init_done = 1
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
    :: !overwriting -> change_rings(CHANGE_WRITE_LATE_LOST)
    :: else
    fi;
#else
    change_rings(CHANGE_WRITE_LATE_LOST);
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
        /* data_size and ring_end change here, so no writer may use them. */
        assert(p_inside || !cpu.live);
        pages = (attached -> new : NONE);   /* none for an offline CPU */
        rings = (new != NONE);
        overwriting = 0;
        shared = rings
    };
    change_rings(CHANGE_ATTACH)
}

/* If dom0 has a page mapped, nothing changes. */
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
    /* The CPU still runs for a while and gets NMIs. */
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
