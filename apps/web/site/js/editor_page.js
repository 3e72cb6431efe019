// The scene editor: the picture follows each valid edit; an invalid one is marked where the reader says, in its words.

import { CodeEditor } from "./code_editor.js";
import { element, iconButton, setIcon, toast } from "./dom.js";
import { fetchScene, Player } from "./player.js";
import { copy, packText, readLink, unpackText, writeLink } from "./share.js";
import { Missing, showMissing } from "./support.js";

const find = (id) => document.getElementById(id);
const WAIT_MS = 250; // after the last key

class EditorPage {
    #timer = 0;

    async start() {
        const link = readLink();
        this.name = link.scene ?? "pool_drops";
        this.code = new CodeEditor(find("code"), { label: "Scene as JSON", onInput: () => this.#soon() });
        try {
            const scenes = this.#fillScenes();
            this.player = await Player.start(find("picture"));
            await scenes;
            this.player.addEventListener("trouble", (event) => this.#say(event.detail));
            this.player.addEventListener("pause", () => this.#showPause());
            this.player.addEventListener("frame", () => this.#readings());
            this.#bar();
            await this.#open(this.name, link.text);
        } catch (error) {
            if (error instanceof Missing) showMissing(find("stage"), error.list);
            this.#say(error.message);
        }
        find("message-go").addEventListener("click", () => this.code.goTo(this.place));
    }

    async #fillScenes() {
        const scenes = await (await fetch("scenes/index.json")).json();
        const families = [...new Set(scenes.map((scene) => scene.family))];
        find("scene").append(...families.map((family) => element("optgroup", { label: family },
            ...scenes.filter((scene) => scene.family === family).map(({ name, title }) => element("option", { value: name }, title)))));
        find("scene").addEventListener("change", () => this.#open(find("scene").value).catch((error) => this.#say(error.message)));
    }

    #bar() {
        this.pause = iconButton("pause", "Pause", () => this.player.pause(!this.player.isPaused));
        find("bar").append(element("div", { class: "bar-group", role: "group", "aria-label": "Time" },
            iconButton("back", "One step back", () => this.player.stepBack()), this.pause,
            iconButton("step", "One step forward", () => this.player.step()), iconButton("restart", "Start over", () => this.player.restart())),
            element("div", { class: "bar-group" }, iconButton("camera", "The scene's own camera", () => this.player.engine.play("camera_reset"))));
        find("share").addEventListener("click", () => this.#share());
        find("download").addEventListener("click", () => this.#download());
        find("revert").addEventListener("click", () => this.#open(this.name).catch((error) => this.#say(error.message)));
    }

    async #open(name, packed = null) {
        const text = packed ? await unpackText(packed) : await fetchScene(name);
        this.name = name;
        find("scene").value = name;
        this.code.text = text;
        this.#setLink(packed);
        this.#take(() => this.player.openText(text, `${name}.json`));
        this.player.run();
        document.body.dataset.state = "running";
    }

    #setLink(packed) {
        history.replaceState(null, "", writeLink({ scene: this.name, text: packed }));
        find("open").href = `scene.html${location.hash}`;
    }

    #soon() {
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => this.#take(() => this.player.editText(this.code.text)), WAIT_MS);
    }

    // Runs an edit, and shows what the reader says about it.
    #take(edit) {
        try {
            edit();
            this.place = null;
            this.code.mark(null);
            this.#say("Valid, and running.", true);
            if (this.code.isEdited) packText(this.code.text).then((packed) => this.#setLink(packed)); // nothing is lost by a reload
        } catch (error) {
            this.place = error.line > 0 ? { line: error.line, column: error.column } : null;
            this.code.mark(this.place);
            this.#say(error.message);
        }
        find("message-go").hidden = this.place === null;
        document.title = `${this.player.engine.play("title") || "Scene"} · Tarn editor`;
    }

    #say(text, isGood = false) {
        find("editor-message").textContent = text;
        find("message").classList.toggle("good", isGood);
    }

    #readings() {
        const now = performance.now();
        if (now - (this.read ?? 0) < 300) return;
        this.read = now;
        const { mean_ms: ms, time, hash } = this.player.engine.play("status_json");
        find("readings").textContent = `${time.toFixed(1)} s · ${ms.toFixed(2)} ms per step · ${hash}`;
    }

    #showPause() {
        const isPaused = this.player.isPaused;
        if (this.pause) setIcon(this.pause, isPaused ? "play" : "pause", isPaused ? "Go on" : "Pause");
    }

    async #share() {
        const packed = await packText(this.code.text);
        this.#setLink(packed);
        toast(await copy(location.href) ? "The link is copied: it carries the whole text." : "The address of this page is now the link to share.");
    }

    #download() {
        const url = URL.createObjectURL(new Blob([this.code.text], { type: "application/json" }));
        element("a", { href: url, download: `${this.name}.json` }).click();
        setTimeout(() => URL.revokeObjectURL(url), 10000);
    }
}

const page = new EditorPage();
window.tarnPage = page; // for the console, and for tests
page.start();
