// What the simulation says about itself: a line under the title, and the tab with all of it.

import { element, raised } from "./dom.js";
import { words } from "./panel.js";

const EVERY_MS = 250; // reading costs little, but nobody reads faster
const GRAPH = 160;

export class Status {
    #last = 0;
    #times = [];

    constructor(line, tab, player, say) {
        Object.assign(this, { line, tab, player, say });
        this.step = element("span", { class: "reading" });
        this.rate = element("span", { class: "reading" });
        this.hash = element("span", { class: "reading hash", title: "Hash of the state: the same on every machine" });
        line.append(this.step, this.rate, this.hash);
        this.graph = element("canvas", { class: "graph", width: 320, height: 72, role: "img", "aria-label": "Milliseconds per step lately" });
        this.words = element("ul", { class: "words" });
        this.table = element("table", { class: "numbers" });
        this.command = element("code", { class: "command" });
        tab.append(this.graph, this.words, this.table, element("p", { class: "label" }, "The same on the command line"), this.command);
        player.addEventListener("frame", () => this.update());
        player.addEventListener("scene", () => { this.#times = []; this.update(true); });
        player.addEventListener("pause", () => this.update(true));
    }

    update(isNow = false) {
        const now = performance.now();
        if (!isNow && now - this.#last < EVERY_MS) return;
        this.#last = now;
        const status = this.player.engine.play("status_json");
        const notice = this.player.engine.play("notice");
        if (notice) this.say(notice);
        const { frame } = this.player.timing();
        this.step.textContent = `${status.mean_ms.toFixed(status.mean_ms < 10 ? 2 : 1)} ms per step`;
        const threads = status.worker_ms.length;
        this.rate.textContent = `${frame > 0 ? Math.round(1000 / frame) : 0} frames/s · ${threads} ${threads === 1 ? "thread" : "threads"}`;
        this.hash.textContent = status.hash;
        this.#times.push(status.step_ms);
        if (this.#times.length > GRAPH) this.#times.shift();
        if (!this.tab.hidden) this.#fill(status);
    }

    #fill(status) {
        this.#draw();
        this.words.replaceChildren(...(status.words ?? []).map((sentence) => element("li", {}, sentence)));
        const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;
        const rows = [["Simulated", `${status.time.toFixed(2)} s, ${status.steps} steps of ${(1000 * status.dt).toFixed(2)} ms`],
            ["Substeps", status.substeps], ["Memory", megabytes(status.memory)],
            ["Steps back", `${status.history_steps} (${megabytes(status.history_bytes)})`],
            ["In the scene", `${status.solvers} solvers, ${status.bodies} bodies, ${status.solids} solids, ${status.emitters} emitters`],
            ["State hash", status.hash],
            ["Threads", status.worker_ms.map((ms) => `${ms.toFixed(2)} ms`).join(", ")]];
        for (const [name, ms] of Object.entries(status.phases ?? {})) if (ms > 0.005) rows.push([`Phase ${name}`, `${ms.toFixed(2)} ms`]);
        for (const entry of status.ledger?.solvers ?? []) rows.push([`Liquid in ${entry.name}`, `${Number(entry.held.toPrecision(6))} m³`]);
        for (const stat of status.stats ?? []) rows.push([words(stat.name), `${Number(stat.value.toPrecision(5))} ${raised(stat.unit)}`]);
        this.table.replaceChildren(...rows.map(([name, value]) =>
            element("tr", {}, element("th", { scope: "row" }, name), element("td", {}, String(value)))));
        this.command.textContent = this.player.engine.play("command");
    }

    #draw() {
        const to = this.graph.getContext("2d");
        const { width, height } = this.graph;
        const most = Math.max(1, ...this.#times) * 1.15;
        const style = getComputedStyle(this.graph);
        to.clearRect(0, 0, width, height);
        to.beginPath();
        this.#times.forEach((ms, n) => to.lineTo((n / (GRAPH - 1)) * width, height - 2 - (ms / most) * (height - 18)));
        to.strokeStyle = style.color;
        to.lineWidth = 2;
        to.stroke();
        to.fillStyle = style.color;
        to.font = "12px system-ui, sans-serif";
        to.fillText(`up to ${Math.max(0, ...this.#times).toFixed(2)} ms`, 4, 13);
    }
}
