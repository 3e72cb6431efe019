// A canvas that runs a scene: the loop, its size, mouse, fingers and keys. What they do is decided in apps/play; here
// events are only passed on.

import { Engine } from "./engine.js";
import { Missing, missing } from "./support.js";

const EVENTS = { pointermove: 0, pointerdown: 1, pointerup: 2, pointercancel: 3 };
const BUTTONS = [1, 4, 2]; // left, middle, right of the DOM, as play.h numbers them
const SLOWEST_FRAME = 0.25; // longer pauses, of a hidden tab, are not simulated [s]
const SCALES = [1, 0.75, 0.5]; // of the picture, where drawing is slow
const SLOW_MS = 45, SLOW_POINTS = 12; // this many frames over this time: fewer pixels
const STUCK_MS = 200; // frames that take longer count for several

export async function fetchScene(name) {
    const answer = await fetch(new URL(`../scenes/${encodeURIComponent(name)}.json`, import.meta.url));
    if (!answer.ok) throw new Error(`There is no scene '${name}' (${answer.status}).`);
    return answer.text();
}

export class Player extends EventTarget {
    #running = false;
    #last = 0;
    #slow = 0;
    #scale = 0;
    #fitTimer = 0;
    #frames = 0;
    #frameMs = 0;

    // pixels: share of the pixels along each side that are drawn, for slow machines.
    constructor(canvas, engine, { maxScale = 2, pixels = 1 } = {}) {
        super();
        this.canvas = canvas;
        this.engine = engine;
        this.maxScale = maxScale;
        this.pixels = pixels;
        const { width, height } = this.#size();
        engine.open(canvas, width, height);
        this.#listen();
        new ResizeObserver(() => this.#fitSoon()).observe(canvas);
        canvas.addEventListener("webglcontextlost", () => this.#lost());
    }

    // Options may stand in the address: ?threads=1&pixels=0.5. Throws Missing if the browser cannot do it.
    static async start(canvas, options = {}) {
        const given = new URLSearchParams(location.search);
        const numbers = ["threads", "pixels"].filter((name) => Number(given.get(name)) > 0).map((name) => [name, Number(given.get(name))]);
        const all = { ...options, ...Object.fromEntries(numbers) };
        const loading = Engine.load(all);
        loading.catch(() => {}); // what is missing is said first
        await new Promise((done) => setTimeout(done)); // the requests are on their way: making a context takes a moment
        const lacks = missing(canvas);
        if (lacks.length > 0) throw new Missing(lacks);
        return new Player(canvas, await loading, all);
    }

    // Opens a scene; throws the reader's message if it is not valid.
    openText(text, name) {
        this.engine.must("open_text", text, name);
        this.#changed();
    }

    editText(text) {
        this.engine.must("edit", text);
        this.#changed();
    }

    get isPaused() { return this.engine.play("is_paused"); }

    pause(isPaused) {
        this.engine.play("pause", isPaused);
        this.#emit("pause");
    }

    step() {
        this.engine.play("step");
        this.#emit("pause");
    }

    stepBack() {
        const isDone = this.engine.play("step_back");
        this.#emit("pause");
        return isDone;
    }

    restart() {
        if (!this.engine.play("restart")) this.#fail(this.engine.play("error"));
        this.#changed();
    }

    run() {
        if (this.#running) return;
        this.#running = true;
        this.#last = performance.now();
        requestAnimationFrame((now) => this.#frame(now));
    }

    stop() { this.#running = false; }

    // The picture as a PNG.
    picture() {
        this.engine.redraw(); // the browser keeps what was drawn only until this task ends
        return new Promise((done) => this.canvas.toBlob(done, "image/png"));
    }

    // Mean time of a frame lately, and the share of it that is simulation [ms].
    timing() { return { frame: this.#frameMs, step: this.engine.stepMs(), draw: this.engine.drawMs(), frames: this.#frames }; }

    #frame(now) {
        if (!this.#running) return;
        const seconds = Math.min((now - this.#last) / 1000, SLOWEST_FRAME);
        this.#last = now;
        const isDrawn = this.engine.frame(seconds);
        if (!isDrawn && this.engine.pageError()) this.#fail(this.engine.pageError());
        const ms = seconds * 1000;
        if (this.#frames === 0) performance.mark("tarn: first picture");
        this.#frameMs += (ms - this.#frameMs) * (this.#frames++ < 2 ? 1 : 0.1);
        this.#watchSpeed(ms - this.engine.stepMs());
        this.#emit("frame");
        requestAnimationFrame((next) => this.#frame(next));
    }

    // Drawing that takes too long is made smaller, never slower to react.
    #watchSpeed(drawMs) {
        if (this.#frames < 3) return; // the first ones compile shaders
        this.#slow = drawMs > STUCK_MS ? this.#slow + 4 : drawMs > SLOW_MS ? this.#slow + 1 : Math.max(0, this.#slow - 1);
        if (this.#slow < SLOW_POINTS || this.#scale + 1 >= SCALES.length) return;
        this.#slow = 0;
        this.#scale++;
        this.#fit();
    }

    #size() {
        const box = this.canvas.getBoundingClientRect();
        const scale = Math.min(devicePixelRatio || 1, this.maxScale) * SCALES[this.#scale] * this.pixels;
        return { width: Math.max(16, Math.round(box.width * scale)), height: Math.max(16, Math.round(box.height * scale)) };
    }

    #fitSoon() { // a window that is being resized gives many sizes, and a new one takes a moment
        clearTimeout(this.#fitTimer);
        this.#fitTimer = setTimeout(() => this.#fit(), 150);
    }

    #fit() {
        const { width, height } = this.#size();
        if (width === this.canvas.width && height === this.canvas.height) return;
        this.canvas.width = width;
        this.canvas.height = height;
        if (!this.engine.resize(width, height)) this.#fail(this.engine.pageError());
        this.engine.redraw();
    }

    #listen() {
        const canvas = this.canvas;
        for (const type of Object.keys(EVENTS)) canvas.addEventListener(type, (event) => this.#pointer(event));
        canvas.addEventListener("contextmenu", (event) => event.preventDefault());
        canvas.addEventListener("wheel", (event) => {
            const { x, y } = this.#at(event);
            const pixels = event.deltaMode === 0 ? 100 : 3; // per notch, in pixels or lines
            this.engine.play("wheel", x, y, Math.max(-3, Math.min(3, -event.deltaY / pixels)));
            event.preventDefault();
        }, { passive: false });
    }

    #pointer(event) {
        const { x, y } = this.#at(event);
        const isMouse = event.pointerType === "mouse";
        const id = isMouse ? 0 : 1 + (event.pointerId & 0xffff);
        const button = isMouse ? BUTTONS[event.button] ?? 0 : 1;
        const keys = (event.shiftKey ? 1 : 0) | (event.ctrlKey || event.metaKey ? 2 : 0) | (event.altKey ? 4 : 0);
        if (event.type === "pointerdown") {
            this.canvas.setPointerCapture(event.pointerId);
            this.canvas.focus({ preventScroll: true });
        }
        this.engine.play("pointer", id, EVENTS[event.type], x, y, button, keys);
        if (event.type !== "pointermove") this.#emit("pointer");
    }

    #at(event) {
        const box = this.canvas.getBoundingClientRect();
        const share = (value) => Math.max(0, Math.min(1, value));
        return { x: share((event.clientX - box.left) / box.width), y: share((event.clientY - box.top) / box.height) };
    }

    #lost() {
        this.stop();
        this.#fail("The browser took the graphics away, as it does when memory is short. Load the page again to go on.");
    }

    #changed() {
        this.#emit("scene");
        this.#emit("pause");
    }

    #fail(message) {
        this.stop();
        this.dispatchEvent(new CustomEvent("trouble", { detail: message }));
    }

    #emit(name) { this.dispatchEvent(new Event(name)); }
}
