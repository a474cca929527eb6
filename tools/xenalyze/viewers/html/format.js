// SPDX-License-Identifier: GPL-2.0-or-later
// Numbers as text, and elements of the page.  Names from the trace are set as
// text only.

const byId = (id) => document.getElementById(id);

const facts = JSON.parse(byId("facts").textContent);

const formatCount = (n) => n.toLocaleString("en-US");

const UNITS = [[1e9, "s"], [1e6, "ms"], [1e3, "\u00b5s"], [1, "ns"]];

function formatDuration(ns) {
    for (const [size, unit] of UNITS) {
        // 999.96 ms would be printed as 1000 ms.
        if (ns >= size * 0.9995) {
            const value = ns / size;
            const digits = unit === "ns" ? 0 : value < 10 ? 2
                : value < 100 ? 1 : 0;

            return `${value.toFixed(digits)} ${unit}`;
        }
    }
    return "0";
}

// Seconds since the start of the trace, with the digits of a span of time.
function formatMoment(ns, span) {
    const digits = Math.min(9, Math.max(0, Math.ceil(-Math.log10(span / 1e9))
                                           + 3));

    return `${(ns / 1e9).toFixed(digits)} s`;
}

function formatPercent(share) {
    if (!(share > 0))
        return "0 %";
    return share < 0.0005 ? "< 0.1 %" : `${(100 * share).toFixed(1)} %`;
}

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

// A name that is written from right to left does not move the number of the
// vcpu behind it.
function isolateName(label) {
    const [, name, rest] = label.match(/^(.*?)(\/[0-9]+)?$/s);

    return RIGHT_TO_LEFT.test(name) ? `\u2068${name}\u2069${rest || ""}`
                                    : label;
}

// make("p", { className: "x" }, child, "text"): an element.
function make(tag, properties, ...children) {
    const element = Object.assign(document.createElement(tag), properties);

    element.append(...children);
    return element;
}

function makeSwatch(colour) {
    const swatch = make("i", { className: "swatch" });

    swatch.style.background = colour;
    swatch.setAttribute("aria-hidden", "true");
    return swatch;
}
