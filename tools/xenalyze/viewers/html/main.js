// SPDX-License-Identifier: GPL-2.0-or-later
// The start of the page, its size and its theme.

// Numbers of events that do not occur have no name.
function listEventNames(item) {
    const all = facts.event_names.map((name, key) =>
        key && name ? item(toCss(exitColour(key)), isolateName(name)) : null)
        .filter(Boolean);
    const shown = all.slice(0, MANY_ROWS);

    if (all.length > MANY_ROWS)
        shown.push(make("li", { textContent:
            `and ${all.length - MANY_ROWS} more` }));
    return shown;
}

function showLegend() {
    const legend = byId("legend");
    const title = (text) => make("li", { className: "title",
                                         textContent: text });
    const item = (colour, text) => make("li", {}, makeSwatch(colour),
        make("span", { textContent: text, title: text }));
    const group = (text, items) => items.length
        ? [make("ul", {}, title(text), ...items)] : [];
    const states = STATE_TEXTS.map((text, state) =>
        facts.used_states >> state & 1
            ? item(`var(--${STATE_COLOURS[state]})`, text) : null);
    const exits = facts.names.slice(1, 1 + MANY_ROWS).map((name, i) =>
        item(toCss(exitColour(i + 1)), name));
    const more = facts.names.length - 1 - exits.length;

    if (facts.pcpus.some(([, , loss]) => loss.length))
        states.push(item("var(--lost)", "hatched: records lost"));
    if (more > 0)
        exits.push(make("li", { textContent: `and ${more} more` }));
    legend.replaceChildren(
        ...group("States of vcpus", states.filter(Boolean)),
        ...group("VM exits, hypercalls", exits),
        ...group("Events of programs", listEventNames(item)),
        ...group("Domains", domains.map((domain) =>
            item(toCss(domain.colour), domain.label))));
}

function fitView() {
    const most = Math.max(260, innerHeight * 0.7);

    byId("content").style.height = `${rows.height + AXIS_HEIGHT}px`;
    box.style.height = `${Math.min(rows.height + AXIS_HEIGHT + 2, most)}px`;
}

function resize() {
    const width = box.clientWidth, height = box.clientHeight;

    if (!width || !height)
        return;
    byId("screen").style.height = `${height}px`;
    setSize(width, height, Math.min(3, window.devicePixelRatio || 1));
    // A canvas of a new size is black until it is drawn.
    draw();
    drawMarks();
    showRange();
}

function setTheme() {
    readTheme();
    preparePaints();
    showLegend();
    draw();
    drawMarks();
}

const PAPER_WIDTH = 900, PAPER_HEIGHT = 640;

// Paper has light colours and a size of its own, so texts are legible.
function setPaper(isPaper) {
    const height = Math.min(PAPER_HEIGHT, rows.height + AXIS_HEIGHT);

    document.documentElement.classList.toggle("paper", isPaper);
    readTheme();
    preparePaints();
    showLegend();
    if (!isPaper) {
        view.top = box.scrollTop;
        resize();
        return;
    }
    view.top = Math.max(0, Math.min(view.top, rows.height + AXIS_HEIGHT -
                                    height));
    setSize(PAPER_WIDTH, height, 2);
    draw();
}

function watchTheme() {
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change",
                                                                setTheme);
    addEventListener("beforeprint", () => setPaper(true));
    addEventListener("afterprint", () => setPaper(false));
}

// With #measure in the address: the cost of frames while the page zooms and
// moves by itself, as text of the document's data-frames.
function measure() {
    const costs = [], steps = 120, whole = facts.to - facts.from;
    let step = 0;

    function frame() {
        const phase = step / steps;
        const span = whole * Math.pow(1e-4, phase < 0.5 ? 2 * phase
                                                        : 2 - 2 * phase);
        const from = facts.from + (whole - span) * phase;

        view.from = from;
        view.to = from + Math.max(1, span);
        const start = performance.now();

        draw();
        drawMarks();
        costs.push(performance.now() - start);
        if (++step < steps) {
            requestAnimationFrame(frame);
            return;
        }
        costs.sort((a, b) => a - b);
        document.documentElement.dataset.frames =
            `median ${costs[steps >> 1].toFixed(2)} ms, ` +
            `p95 ${costs[Math.floor(steps * 0.95)].toFixed(2)} ms, ` +
            `${costs.length} frames`;
        showWhole();
    }
    requestAnimationFrame(frame);
}

function start() {
    const name = facts.trace.split("/").pop() || facts.trace;

    document.title = `${name} \u2013 Xen trace`;
    byId("trace").textContent = name;
    byId("trace").title = facts.trace;
    readTheme();
    preparePaints();
    showChips();
    showVerdict();
    showNote();
    showLegend();
    showTables();
    fitView();
    listen();
    watchTheme();
    new ResizeObserver(resize).observe(box);
    resize();
    document.documentElement.dataset.state = "ready";
    if (location.hash === "#measure")
        measure();
}

start();
