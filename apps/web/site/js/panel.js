// The panel of parameters, made from what tarn_play_params_json says: no control is written by hand.

import { element, icon, raised } from "./dom.js";

const SOFT = 4; // sliders reach to this multiple of the start value; the number beside takes the whole range

export class Panel {
    #rows = new Map(); // path: { param, show }
    #version = -1;
    #filter = "";

    constructor(host, player, say) {
        this.host = host;
        this.player = player;
        this.say = say; // shows a sentence
        this.search = element("input", { type: "search", class: "field", placeholder: "Search parameters", "aria-label": "Search parameters",
            oninput: () => { this.#filter = this.search.value.trim().toLowerCase(); this.#build(); } });
        this.resetAll = element("button", { type: "button", class: "text-button", onclick: () => this.#reset(null) }, "Reset all");
        this.groups = element("div", { class: "groups" });
        host.replaceChildren(element("div", { class: "panel-top" }, this.search, this.resetAll), this.groups);
        player.addEventListener("scene", () => this.load());
    }

    load() {
        this.#version = this.player.engine.play("params_version");
        this.params = this.player.engine.play("params_json");
        this.scene = readJson(this.player.engine.play("text"));
        this.#build();
    }

    // Called once in a while: tools and rebuilt scenes change values, too.
    refresh() {
        if (this.player.engine.play("params_version") !== this.#version) this.load();
    }

    #build() {
        const open = new Set([...this.groups.querySelectorAll("details[open]")].map((one) => one.dataset.group));
        const groups = new Map();
        for (const param of this.params ?? []) {
            const text = `${param.path} ${param.help}`.toLowerCase();
            if (this.#filter && !text.includes(this.#filter)) continue;
            if (!groups.has(param.group)) groups.set(param.group, []);
            groups.get(param.group).push(param);
        }
        this.#rows.clear();
        const first = this.params?.find((param) => param.kind === "live")?.group;
        this.groups.replaceChildren(...[...groups].map(([name, params]) =>
            this.#group(name, params, this.#filter !== "" || open.has(name) || (open.size === 0 && name === first))));
        if (groups.size === 0) this.groups.append(element("p", { class: "empty" }, "No parameter matches."));
        this.#showChanges();
    }

    // "bodies[0].driver" by the name that the scene gives: "Boat · driver".
    #title(group) {
        const [, list, index, rest] = /^(\w+)\[(\d+)\](.*)$/.exec(group) ?? [];
        const named = list && this.scene?.[list]?.[index]?.name;
        return words(named ? `${named}${rest}` : group);
    }

    #group(name, params, isOpen) {
        const rows = element("div", { class: "rows" });
        const fill = () => {
            if (rows.childElementCount > 0) return;
            const [live, fixed] = [params.filter(({ kind }) => kind !== "rebuild"), params.filter(({ kind }) => kind === "rebuild")];
            rows.append(...live.map((param) => this.#row(param)));
            if (live.length > 0 && fixed.length > 0) rows.append(element("p", { class: "divider" }, "Changing these starts the scene over"));
            rows.append(...fixed.map((param) => this.#row(param)));
        };
        const details = element("details", { class: "group", "data-group": name, open: isOpen, ontoggle: fill },
            element("summary", {}, element("span", { class: "group-name" }, this.#title(name)),
                element("span", { class: "count" }, String(params.length))), rows);
        if (isOpen) fill();
        return details;
    }

    #row(param) {
        const id = `p-${param.path.replace(/[^\w]/g, "-")}`;
        const control = this.#control(param, id);
        const reset = element("button", { type: "button", class: "icon-button small reset", "aria-label": `Reset ${words(param.name)}`,
            title: "Reset to what the scene says", onclick: () => this.#reset(param.path) }, icon("reset"));
        const about = element("p", { class: "help", id: `${id}-help` }, param.help,
            param.kind === "rebuild" ? " Changing it starts the scene over." : "");
        const label = element("label", { for: id }, words(param.name));
        if (param.unit) label.append(" ", element("span", { class: "unit" }, raised(param.unit)));
        const row = element("div", { class: "row", "data-path": param.path }, label, control.box, reset, about);
        this.#rows.set(param.path, { param, row, show: control.show });
        this.#mark(param, row);
        return row;
    }

    #control(param, id) {
        const describe = { "aria-describedby": `${id}-help` };
        if (param.type === "bool") {
            const box = element("input", { type: "checkbox", id, ...describe, onchange: () => this.#set(param, String(box.checked)) });
            const show = (value) => { box.checked = value; };
            show(param.value);
            return { box, show };
        }
        if (param.type === "enum") {
            const box = element("select", { id, class: "field", ...describe, onchange: () => this.#set(param, box.value) },
                ...param.choices.map((choice) => element("option", { value: choice }, words(choice))));
            const show = (value) => { box.value = value; };
            show(param.value);
            return { box, show };
        }
        return Array.isArray(param.value) ? this.#vector(param, id, describe) : this.#number(param, id, describe);
    }

    #number(param, id, describe) {
        const { lo, hi } = softRange(param);
        const step = param.type === "int" ? 1 : "any";
        const box = element("input", { type: "number", id, class: "field number", min: param.min, max: param.max, step, ...describe,
            onchange: () => this.#set(param, box.value, show) });
        const slider = element("input", { type: "range", min: lo, max: hi, step: param.type === "int" ? 1 : (hi - lo) / 200,
            "aria-label": words(param.name), ...describe });
        const show = (value) => {
            box.value = tidy(value);
            slider.value = value;
        };
        // A value that is fixed at creation is applied when the slider is let go: each one starts the scene over.
        slider.addEventListener(param.kind === "live" ? "input" : "change", () => this.#set(param, tidy(Number(slider.value)), show));
        slider.addEventListener("input", () => { box.value = tidy(Number(slider.value)); });
        show(param.value);
        return { box: element("div", { class: "slider" }, slider, box), show };
    }

    #vector(param, id, describe) {
        const boxes = param.value.map((_, n) => element("input", { type: "number", id: n === 0 ? id : null, class: "field number",
            step: "any", "aria-label": `${words(param.name)} ${"xyz"[n]}`, ...describe,
            onchange: () => this.#set(param, boxes.map((one) => one.value || "0").join(","), show) }));
        const show = (value) => value.forEach((one, n) => { boxes[n].value = tidy(one); });
        show(param.value);
        return { box: element("div", { class: "vector" }, ...boxes), show };
    }

    #set(param, value, show) {
        const engine = this.player.engine;
        if (!engine.play("set", param.path, String(value))) {
            this.say(engine.play("error"));
            show?.(param.value);
            return;
        }
        if (engine.play("params_version") !== this.#version) this.load();
        else this.#update(param.path);
        this.player.dispatchEvent(new Event("params"));
    }

    #reset(path) {
        const engine = this.player.engine;
        if (!(path ? engine.play("reset", path) : engine.play("reset_all"))) this.say(engine.play("error"));
        this.load();
        this.player.dispatchEvent(new Event("params"));
    }

    #update(path) { // one value, as it was taken
        const row = this.#rows.get(path);
        if (!row) return;
        row.param.value = parsed(row.param, this.player.engine.play("value", path));
        row.param.changed = String(row.param.value) !== String(row.param.start);
        row.show(row.param.value);
        this.#mark(row.param, row.row);
        this.#showChanges();
    }

    #mark(param, row) { row.classList.toggle("changed", !!param.changed); }

    #showChanges() { this.resetAll.hidden = this.player.engine.play("changes") === ""; }
}

// "bed_depth" and "emitters[0]" as words.
export function words(name) {
    const text = name.replace(/\[(\d+)\]/g, (_, n) => ` ${Number(n) + 1}`).replaceAll("_", " ").replaceAll(".", " · ");
    return text.charAt(0).toUpperCase() + text.slice(1);
}

function readJson(text) {
    try {
        return JSON.parse(text);
    } catch {
        return null; // Tarn's reader takes more than this one
    }
}

function parsed({ type, value }, text) {
    if (type === "bool") return text === "true";
    if (type === "enum") return text.replaceAll('"', "");
    return Array.isArray(value) ? text.replace(/[[\]]/g, "").split(",").map(Number) : Number(text);
}

function softRange({ min, max, start, value, type, default: usual }) {
    const reach = SOFT * Math.max(Math.abs(start), Math.abs(usual) * 0.25, Math.abs(value) / SOFT) || 1;
    let lo = Math.max(min, start < 0 || value < 0 ? -reach : Math.min(0, reach));
    let hi = Math.min(max, reach);
    if (max - min <= 2 * (hi - lo)) [lo, hi] = [min, max];
    if (hi <= lo) hi = Math.min(max, lo + 1);
    return type === "int" ? { lo: Math.round(lo), hi: Math.round(hi) } : { lo, hi };
}

function tidy(value) {
    return typeof value === "number" ? String(Number(value.toPrecision(5))) : value;
}
