// SPDX-License-Identifier: GPL-2.0-or-later
// The start of the page, its size and its theme.

function showLegend() {
    const legend = byId("legend");
    const title = (text) => make("li", { className: "title",
                                         textContent: text });
    const item = (colour, text) => make("li", {}, makeSwatch(colour),
        make("span", { textContent: text, title: text }));
    const used = [1, 2, 3, 4, 6];

    if (facts.vcpus.some(([, , , , state]) => state.length))
        legend.replaceChildren(title("States of vcpus"), ...used.map((state) =>
            item(`var(--${STATE_COLOURS[state]})`, STATE_NAMES[state])));
    legend.append(item("var(--lost)", "records lost (hatched)"),
                  title("Domains"), ...domains.map((domain) =>
                      item(toCss(domain.colour), domain.label)));
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
    setSize(width, height);
    requestDraw();
}

function setTheme() {
    readTheme();
    preparePaints();
    draw();
    drawMarks();
}

// Paper has light colours.  The picture has to be drawn again for them.
function setPaper(isPaper) {
    document.documentElement.classList.toggle("paper", isPaper);
    setTheme();
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
