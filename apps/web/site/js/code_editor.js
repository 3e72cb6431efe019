// A text area for JSON with line numbers, colors, and one marked error. The colors lie behind the text, in the same font.

import { element } from "./dom.js";

const TOKENS = /("(?:[^"\\\n]|\\.)*")(\s*:)?|(-?\d[\d.eE+-]*)|\b(true|false|null)\b/g;

export class CodeEditor {
    #error = null;

    constructor(host, { label, onInput }) {
        this.numbers = element("pre", { class: "code-numbers", "aria-hidden": "true" });
        this.paint = element("pre", { class: "code-paint", "aria-hidden": "true" });
        this.area = element("textarea", { class: "code-area", "aria-label": label, spellcheck: "false", autocapitalize: "off",
            autocomplete: "off", wrap: "off", "aria-describedby": "editor-message" });
        host.replaceChildren(this.numbers, element("div", { class: "code-body" }, this.paint, this.area));
        this.isEdited = false;
        this.area.addEventListener("input", () => {
            this.isEdited = true;
            this.#show();
            onInput();
        });
        this.area.addEventListener("scroll", () => this.#scroll());
        this.area.addEventListener("keydown", (event) => this.#key(event));
    }

    get text() { return this.area.value; }

    set text(value) {
        this.area.value = value;
        this.area.scrollTop = 0;
        this.#error = null;
        this.isEdited = false;
        this.#show();
    }

    // Marks a place, both from 1; null: none.
    mark(place) {
        this.#error = place;
        this.area.setAttribute("aria-invalid", String(place !== null));
        this.#show();
    }

    goTo({ line, column }) {
        const lines = this.text.split("\n");
        const at = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0) + Math.max(0, column - 1);
        this.area.focus();
        this.area.setSelectionRange(at, at);
        this.area.scrollTop = Math.max(0, (line - 6) * parseFloat(getComputedStyle(this.area).lineHeight));
    }

    #key(event) { // Tab indents; Escape, then Tab, leaves the field
        if (event.key === "Escape") this.leaving = true;
        else if (event.key === "Tab" && !event.shiftKey && !this.leaving) {
            event.preventDefault();
            document.execCommand("insertText", false, "    "); // the one way that keeps undo
        } else if (event.key !== "Shift") this.leaving = false;
    }

    #show() {
        const lines = this.text.split("\n");
        this.numbers.replaceChildren(...lines.map((_, n) => {
            const isBad = this.#error?.line === n + 1;
            return element("span", { class: isBad ? "bad" : "" }, `${n + 1}\n`);
        }));
        this.paint.replaceChildren(...lines.flatMap((line, n) => [this.#line(line, n + 1), "\n"]));
        this.#scroll();
    }

    #line(line, number) {
        if (this.#error?.line !== number) return element("span", {}, ...colored(line));
        // Columns count bytes of UTF-8, as compilers do.
        const bytes = new TextEncoder().encode(line);
        const before = new TextDecoder().decode(bytes.slice(0, Math.max(0, this.#error.column - 1))).length;
        const length = Math.max(1, /^("(?:[^"\\]|\\.)*"?|[\w.+-]+)/.exec(line.slice(before))?.[0].length ?? 1);
        return element("span", { class: "bad-line" }, ...colored(line.slice(0, before)),
            element("mark", { class: "bad-place" }, line.slice(before, before + length) || " "), ...colored(line.slice(before + length)));
    }

    #scroll() {
        this.paint.style.transform = `translate(${-this.area.scrollLeft}px, ${-this.area.scrollTop}px)`;
        this.numbers.style.transform = `translateY(${-this.area.scrollTop}px)`;
    }
}

function colored(line) {
    const parts = [];
    let last = 0;
    for (const token of line.matchAll(TOKENS)) {
        const kind = token[2] ? "key" : token[1] ? "string" : token[3] ? "number" : "word";
        const text = token[2] ? token[1] : token[0];
        parts.push(line.slice(last, token.index), element("span", { class: `json-${kind}` }, text));
        last = token.index + text.length;
    }
    parts.push(line.slice(last));
    return parts;
}
