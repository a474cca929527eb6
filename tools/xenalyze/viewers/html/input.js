// SPDX-License-Identifier: GPL-2.0-or-later
// Mouse, touch and keyboard.

const box = byId("view");
const LEAST_SPAN = 100;         // ns

let isDue = false, isMarkDue = false;

// Draws before the next frame of the screen, once.
function requestDraw() {
    if (isDue)
        return;
    isDue = true;
    requestAnimationFrame(() => {
        isDue = false;
        draw();
        drawMarks();
        showRange();
    });
}

function requestMarks() {
    if (isMarkDue || isDue)
        return;
    isMarkDue = true;
    requestAnimationFrame(() => {
        isMarkDue = false;
        drawMarks();
    });
}

function showRange() {
    const span = view.to - view.from;

    byId("range").textContent = `${formatMoment(view.from, span)} \u2013 ` +
        `${formatMoment(view.to, span)}  (${formatDuration(span)})`;
}

// --- moving ----------------------------------------------------------------

function setRange(from, to) {
    const whole = Math.max(1, facts.to - facts.from);
    const span = Math.min(whole, Math.max(Math.min(LEAST_SPAN, whole),
                                          to - from));

    if (to - from < span)
        from = (from + to - span) / 2;
    view.from = Math.max(facts.from, Math.min(facts.to - span, from));
    view.to = view.from + span;
    requestDraw();
}

function zoomAt(time, factor) {
    const whole = Math.max(1, facts.to - facts.from);
    const span = Math.min(whole, Math.max(Math.min(LEAST_SPAN, whole),
                                          (view.to - view.from) * factor));
    const share = (time - view.from) / (view.to - view.from);

    setRange(time - share * span, time + (1 - share) * span);
}

const zoomMiddle = (factor) => zoomAt((view.from + view.to) / 2, factor);

function moveTo(from) {
    setRange(from, from + view.to - view.from);
}

const moveBy = (share) => moveTo(view.from + share * (view.to - view.from));

const showWhole = () => setRange(facts.from, facts.to);

// A span with some room around.
function showSpan(from, to) {
    const room = Math.max(LEAST_SPAN, to - from);

    setRange(from - room / 2, to + room / 2);
}

function showRow(index) {
    const row = rows[index], room = view.height - AXIS_HEIGHT;

    if (row.top < view.top)
        box.scrollTop = row.top - TITLE_HEIGHT;
    else if (row.top + row.height > view.top + room)
        box.scrollTop = row.top + row.height - room + TITLE_HEIGHT;
}

function chooseRow(direction) {
    let i = chosen.row < 0 ? direction > 0 ? -1 : rows.length
                           : chosen.row;

    do
        i += direction;
    while (rows[i] && rows[i].kind === "title");
    if (!rows[i])
        return;
    choose(i, null, null);
    showRow(i);
    requestDraw();
}

// Show a vcpu and a span of time; for links in tables.
function showWait(label, from, length) {
    const i = rows.findIndex((row) => row.kind === "vcpu" &&
                                      row.label === label);

    showSpan(from, from + Math.max(length, 1000));
    if (i >= 0) {
        const level = rows[i].state.isEmpty ? null : rows[i].state.level(0);
        const k = level ? level.find(from + length / 2) : 0;
        const slice = level && k < level.length
            ? Object.assign(level.slice(k), { index: k }) : null;

        choose(i, rows[i].state, slice);
        showRow(i);
    }
    box.scrollIntoView({ block: "center" });
    box.focus({ preventScroll: true });
}

// --- mouse and touch -------------------------------------------------------

const drag = { isActive: false, hasMoved: false, x: 0, y: 0, from: 0, top: 0 };

function placeIn(event) {
    const place = picture.getBoundingClientRect();

    return [event.clientX - place.left, event.clientY - place.top];
}

function onWheel(event) {
    const [x] = placeIn(event);
    const lines = event.deltaMode === 1 ? 33 : 1;
    const isWhole = view.to - view.from >= facts.to - facts.from;

    if (event.shiftKey) {
        box.scrollTop += (event.deltaY || event.deltaX) * lines;
        event.preventDefault();
        return;
    }
    // The page scrolls on when there is nothing left to zoom out.
    if (isWhole && event.deltaY > 0)
        return;
    event.preventDefault();
    if (Math.abs(event.deltaX) > Math.abs(event.deltaY))
        moveBy(event.deltaX * lines / plotWidth());
    else
        zoomAt(timeOf(Math.max(view.left, x)),
               Math.exp(Math.max(-200, Math.min(200, event.deltaY * lines)) *
                        0.002));
}

function onDown(event) {
    const [x, y] = placeIn(event);

    if (event.button || x >= view.width)
        return;
    Object.assign(drag, { isActive: true, hasMoved: false, x, y,
                          from: view.from, top: box.scrollTop });
    if (x >= view.left && (event.shiftKey || y < AXIS_HEIGHT))
        pointer.markFrom = timeOf(x);
    marks.setPointerCapture(event.pointerId);
}

function onDrag(x, y) {
    drag.hasMoved = drag.hasMoved || Math.hypot(x - drag.x, y - drag.y) > 4;
    if (!drag.hasMoved || pointer.markFrom !== null)
        return;
    hideTip();
    moveTo(drag.from - (x - drag.x) / plotWidth() * (view.to - view.from));
    box.scrollTop = drag.top - (y - drag.y);
}

function onMove(event) {
    const [x, y] = placeIn(event);

    pointer.x = x;
    pointer.y = y;
    pointer.place = null;
    if (drag.isActive)
        onDrag(x, y);
    else {
        const what = y > AXIS_HEIGHT
            ? describePlace(x, y - AXIS_HEIGHT + view.top) : null;

        pointer.place = what;
        if (what)
            showTip(what, event.clientX, event.clientY);
        else
            hideTip();
    }
    requestMarks();
}

function chooseAt(x, y) {
    const place = y - AXIS_HEIGHT + view.top;
    const row = findRow(place);
    const what = y > AXIS_HEIGHT ? describePlace(x, place) : null;

    if (!rows[row] || rows[row].kind === "title")
        return;
    choose(row, what && what.track ? what.track : null,
           what && what.slice ? what.slice : null);
    requestDraw();
}

function onUp(event) {
    const [x, y] = placeIn(event);

    if (!drag.isActive)
        return;
    drag.isActive = false;
    if (pointer.markFrom !== null && drag.hasMoved) {
        const time = timeOf(Math.max(view.left, x));

        setRange(Math.min(time, pointer.markFrom),
                 Math.max(time, pointer.markFrom));
    } else if (!drag.hasMoved)
        chooseAt(x, y);
    pointer.markFrom = null;
    requestMarks();
}

function onLeave() {
    pointer.x = -1;
    pointer.place = null;
    hideTip();
    requestMarks();
}

function onDoubleClick() {
    if (chosen.slice)
        showSpan(chosen.slice.from, chosen.slice.to);
}

// --- keyboard --------------------------------------------------------------

function forget() {
    byId("search").value = "";
    onSearch();
    choose(-1, null, null);
    hideTip();
    requestDraw();
}

const keys = {
    "ArrowLeft": (e) => moveBy(e.shiftKey ? -1 : -0.1),
    "ArrowRight": (e) => moveBy(e.shiftKey ? 1 : 0.1),
    "ArrowUp": () => chooseRow(-1),
    "ArrowDown": () => chooseRow(1),
    "PageUp": () => { box.scrollTop -= view.height - 2 * AXIS_HEIGHT; },
    "PageDown": () => { box.scrollTop += view.height - 2 * AXIS_HEIGHT; },
    "+": () => zoomMiddle(1 / 1.5),
    "=": () => zoomMiddle(1 / 1.5),
    "-": () => zoomMiddle(1.5),
    "Home": showWhole,
    ",": () => { stepSlice(-1); requestDraw(); },
    ".": () => { stepSlice(1); requestDraw(); },
    "Enter": onDoubleClick,
    "Escape": forget,
};

function onKey(event) {
    const action = keys[event.key];

    if (!action || event.ctrlKey || event.metaKey || event.altKey)
        return;
    event.preventDefault();
    action(event);
}

// "/" works wherever no text is typed.
function onPageKey(event) {
    if (event.key !== "/" || event.target.tagName === "INPUT" ||
        event.ctrlKey || event.metaKey || event.altKey)
        return;
    event.preventDefault();
    byId("search").focus();
    byId("search").select();
}

// --- search ----------------------------------------------------------------

function onSearch() {
    setSearch(byId("search").value);
    preparePaints();
    const nr = search.rows.length;

    byId("matches").textContent = !search.isActive ? ""
        : nr ? `${formatCount(nr)} row${nr > 1 ? "s" : ""}` : "no row";
    if (nr) {
        chosen.slice = null;
        showRow(search.rows[0]);
    }
    requestDraw();
}

// The next event that matches, in the chosen row of a program.
function goToEvent(direction) {
    const row = rows[search.rows[search.at]];
    const isChosen = chosen.slice && rows[chosen.row] === row &&
        chosen.slice.index >= 0;

    if (!row || row.kind !== "thread")
        return false;
    const first = direction > 0 ? 0 : row.events.level(0).length - 1;
    const slice = findEvent(row, isChosen ? chosen.slice.index + direction
                                          : first, direction);

    if (!slice)
        return false;
    choose(search.rows[search.at], row.events, slice);
    if (slice.from < view.from || slice.to > view.to)
        moveTo(slice.from - (view.to - view.from) / 3);
    return true;
}

function goToMatch(direction) {
    const nr = search.rows.length;

    if (!nr)
        return;
    if (!goToEvent(direction)) {
        search.at = (search.at + direction + nr) % nr;
        choose(search.rows[search.at], null, null);
        goToEvent(direction);
    }
    showRow(chosen.row);
    byId("matches").textContent = `${search.at + 1} of ${formatCount(nr)}`;
    requestDraw();
}

function onSearchKey(event) {
    if (event.key === "Enter")
        goToMatch(event.shiftKey ? -1 : 1);
    else if (event.key === "Escape") {
        forget();
        box.focus({ preventScroll: true });
    } else
        return;
    event.preventDefault();
    event.stopPropagation();
}

// --- all of them -----------------------------------------------------------

function toggleHelp() {
    const help = byId("help");

    help.hidden = !help.hidden;
    byId("help-button").setAttribute("aria-expanded", String(!help.hidden));
}

function listen() {
    box.addEventListener("wheel", onWheel, { passive: false });
    marks.addEventListener("pointerdown", onDown);
    marks.addEventListener("pointermove", onMove);
    marks.addEventListener("pointerup", onUp);
    marks.addEventListener("pointerleave", onLeave);
    marks.addEventListener("dblclick", onDoubleClick);
    box.addEventListener("keydown", onKey);
    box.addEventListener("scroll", () => {
        view.top = box.scrollTop;
        requestDraw();
    });
    document.addEventListener("keydown", onPageKey);
    byId("search").addEventListener("input", onSearch);
    byId("search").addEventListener("keydown", onSearchKey);
    byId("zoom-in").addEventListener("click", () => zoomMiddle(1 / 1.5));
    byId("zoom-out").addEventListener("click", () => zoomMiddle(1.5));
    byId("whole").addEventListener("click", showWhole);
    byId("help-button").addEventListener("click", toggleHelp);
}
