// The bar under the picture: time, tool, speed. And the keys that do the same.

import { element, iconButton, setIcon } from "./dom.js";

const SPEEDS = [[0.1, "1/10"], [0.25, "1/4"], [0.5, "1/2"], [1, "1"], [2, "2"]];
export const KEYS = [["Space", "pause and go on"], [". and ,", "one step forward and back"], ["R", "start over"],
    ["Arrow keys", "turn the camera"], ["+ and −", "zoom"], ["W A S D Q E", "fly"], ["0", "the scene's own camera"],
    ["T", "next tool"], ["P", "parameters"], ["F", "full screen"]];

export class Controls {
    constructor(host, player, actions) {
        this.player = player;
        this.actions = actions; // panel(), fullScreen(), say(text)
        this.back = iconButton("back", "One step back", () => this.#stepBack(), ",");
        this.pause = iconButton("pause", "Pause", () => this.#toggle(), "Space");
        this.step = iconButton("step", "One step forward", () => player.step(), ".");
        this.restart = iconButton("restart", "Start over", () => player.restart(), "r");
        this.speed = element("select", { class: "field", "aria-label": "Speed", title: "Speed",
            onchange: () => player.engine.play("set_speed", Number(this.speed.value)) },
            ...SPEEDS.map(([value, name]) => element("option", { value, selected: value === 1 }, `${name} ×`)));
        this.tool = element("select", { class: "field tool", "aria-label": "What the pointer does", title: "What the pointer does",
            onchange: () => this.#chooseTool(this.tool.value) });
        this.camera = iconButton("camera", "The scene's own camera", () => player.engine.play("camera_reset"), "0");
        host.append(element("div", { class: "bar-group", role: "group", "aria-label": "Time" }, this.back, this.pause, this.step, this.restart, this.speed),
            element("div", { class: "bar-group", role: "group", "aria-label": "Pointer and camera" }, this.tool, this.camera));
        player.addEventListener("pause", () => this.#show());
        player.addEventListener("scene", () => this.#load());
        addEventListener("keydown", (event) => this.#key(event));
        addEventListener("keyup", (event) => this.#flyKey(event.code, 0));
        addEventListener("blur", () => this.#land());
    }

    #load() {
        this.tools = this.player.engine.play("tools_json");
        this.tool.replaceChildren(...this.tools.map((tool) => element("option", { value: tool.id, selected: tool.chosen }, tool.name)));
        this.speed.value = String(this.player.engine.play("speed"));
        this.#show();
    }

    #show() {
        const isPaused = this.player.isPaused;
        setIcon(this.pause, isPaused ? "play" : "pause", isPaused ? "Go on" : "Pause");
    }

    #chooseTool(id) {
        this.player.engine.play("set_tool", id);
        this.actions.hint();
    }

    #nextTool() {
        this.tool.selectedIndex = (this.tool.selectedIndex + 1) % this.tool.length;
        this.#chooseTool(this.tool.value);
    }

    #toggle() { this.player.pause(!this.player.isPaused); }

    #stepBack() {
        if (!this.player.stepBack()) this.actions.say("This is as far back as the history reaches.");
    }

    #key(event) {
        const isTyping = event.target.closest("input:not([type=range]):not([type=checkbox]), select, textarea, [contenteditable]");
        const isOnControl = event.target.closest("button, a, summary, input");
        if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
        if (isOnControl && ["Space", "Enter"].includes(event.code)) return;
        if (event.target.closest("input") && event.code.startsWith("Arrow")) return;
        const engine = this.player.engine;
        const turn = event.shiftKey ? 0.02 : 0.08;
        const keys = { " ": () => this.#toggle(), ".": () => this.player.step(), ",": () => this.#stepBack(), r: () => this.player.restart(),
            0: () => engine.play("camera_reset"), t: () => this.#nextTool(), p: () => this.actions.panel(), f: () => this.actions.fullScreen(),
            "+": () => engine.play("zoom", 1.1), "=": () => engine.play("zoom", 1.1), "-": () => engine.play("zoom", 1 / 1.1),
            ArrowLeft: () => engine.play("orbit", -turn, 0), ArrowRight: () => engine.play("orbit", turn, 0),
            ArrowUp: () => engine.play("orbit", 0, turn), ArrowDown: () => engine.play("orbit", 0, -turn) };
        const action = keys[event.key] ?? keys[event.key.toLowerCase()];
        if (action) {
            action();
            event.preventDefault();
        } else {
            this.#flyKey(event.code, 1);
        }
    }

    #held = {};

    #flyKey(code, isDown) {
        if (!["KeyW", "KeyA", "KeyS", "KeyD", "KeyQ", "KeyE"].includes(code) || !!this.#held[code] === !!isDown) return;
        this.#held[code] = isDown;
        const axis = (plus, minus) => (this.#held[plus] ? 1 : 0) - (this.#held[minus] ? 1 : 0);
        this.player.engine.play("fly", axis("KeyD", "KeyA"), axis("KeyE", "KeyQ"), axis("KeyW", "KeyS"));
    }

    #land() {
        this.#held = {};
        this.player.engine.play("fly", 0, 0, 0);
    }
}
