// The scene page: a picture over the whole window, and everything around it.

import { Controls, KEYS } from "./controls.js";
import { element, iconButton, toast } from "./dom.js";
import { Panel } from "./panel.js";
import { fetchScene, Player } from "./player.js";
import { copy, readLink, unpackText, writeLink } from "./share.js";
import { Status } from "./status.js";
import { Missing, showMissing } from "./support.js";

const find = (id) => document.getElementById(id);
const REFRESH_MS = 500;

class ScenePage {
    async start() {
        const link = readLink();
        this.name = link.scene ?? "flagship";
        find("poster").src = `pictures/${encodeURIComponent(this.name)}_large.webp`;
        const text = this.#textOf(link);
        text.catch(() => {}); // told below
        try {
            this.player = await Player.start(find("picture"));
            this.#build();
            await this.#open(link, text);
        } catch (error) {
            if (error instanceof Missing) {
                showMissing(find("stage"), error.list);
                document.body.classList.add("unsupported");
                return;
            }
            this.#trouble(error.message);
        }
        addEventListener("hashchange", () => this.#follow());
    }

    #build() {
        const player = this.player;
        player.addEventListener("trouble", (event) => this.#trouble(event.detail));
        player.addEventListener("scene", () => this.#titles());
        player.addEventListener("pointer", () => this.hint());
        this.controls = new Controls(find("bar"), player, { panel: () => this.#togglePanel(), fullScreen: () => this.#fullScreen(),
            say: toast, hint: () => this.hint() });
        this.panel = new Panel(find("tab-parameters"), player, toast);
        this.status = new Status(find("readings"), find("tab-status"), player, toast);
        find("bar").append(element("div", { class: "bar-group", role: "group", "aria-label": "Page" },
            iconButton("share", "Copy a link to this", () => this.#share()), iconButton("picture", "Save the picture", () => this.#save()),
            iconButton("full", "Full screen", () => this.#fullScreen(), "f"),
            this.panelButton = iconButton("panel", "Parameters and status", () => this.#togglePanel(), "p")));
        for (const tab of document.querySelectorAll("[role=tab]")) tab.addEventListener("click", () => this.#chooseTab(tab));
        find("tabs").addEventListener("keydown", (event) => this.#tabKey(event));
        find("panel-close").addEventListener("click", () => this.#togglePanel(false));
        find("keys").append(...KEYS.map(([key, what]) => element("div", {}, element("dt", {}, key), element("dd", {}, what))));
        this.#togglePanel(matchMedia("(min-width: 900px)").matches);
        setInterval(() => this.#idle(), REFRESH_MS);
    }

    #textOf({ scene, text }) { return text ? unpackText(text) : fetchScene(scene ?? "flagship"); }

    async #open(link, source = this.#textOf(link)) {
        const { scene, changes, camera, text } = link;
        this.name = scene ?? "flagship";
        this.player.openText(await source, this.name);
        if (changes && !this.player.engine.play("set_changes", changes)) toast(this.player.engine.play("error"));
        if (camera && !this.player.engine.play("set_camera", camera)) toast(this.player.engine.play("error"));
        this.packed = text;
        this.panel.load();
        this.#debugViews();
        this.hint();
        find("trouble").hidden = true;
        this.player.run();
        this.player.addEventListener("frame", () => find("poster").classList.add("gone"), { once: true });
        document.body.dataset.state = "running";
        performance.mark("tarn: running");
    }

    async #follow() { // another link was opened, or one was typed
        if (location.hash === this.written) return;
        document.body.dataset.state = "loading";
        await this.#open(readLink()).catch((error) => this.#trouble(error.message));
    }

    #titles() {
        const title = this.player.engine.play("title") || this.name;
        document.title = `${title} · Tarn`;
        find("title").textContent = title;
        find("about").textContent = this.player.engine.play("about");
        find("edit").href = `editor.html#scene=${encodeURIComponent(this.name)}${this.packed ? `&text=${this.packed}` : ""}`;
    }

    hint() {
        find("hint").textContent = this.player.engine.play("hint");
    }

    #link() {
        return writeLink({ scene: this.name, changes: this.player.engine.play("changes"), camera: this.player.engine.play("camera"), text: this.packed });
    }

    async #share() {
        this.written = this.#link();
        history.replaceState(null, "", this.written);
        const isCopied = await copy(location.href);
        toast(isCopied ? "The link is copied: it carries the scene, your changes and the camera." : "The address of this page is now the link to share.");
    }

    async #save() {
        const blob = await this.player.picture();
        const link = element("a", { href: URL.createObjectURL(blob), download: `tarn_${this.name}_${this.player.engine.play("time").toFixed(2)}s.png` });
        link.click();
        setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    }

    #fullScreen() {
        if (document.fullscreenElement) document.exitFullscreen();
        else document.documentElement.requestFullscreen?.().catch((error) => toast(`Full screen is not possible here: ${error.message}`));
    }

    #togglePanel(isOpen = find("panel").hidden) {
        find("panel").hidden = !isOpen;
        document.body.classList.toggle("with-panel", isOpen);
        this.panelButton.setAttribute("aria-expanded", String(isOpen));
    }

    #chooseTab(chosen) {
        for (const tab of document.querySelectorAll("[role=tab]")) {
            const isChosen = tab === chosen;
            tab.setAttribute("aria-selected", String(isChosen));
            tab.tabIndex = isChosen ? 0 : -1;
            find(tab.getAttribute("aria-controls")).hidden = !isChosen;
        }
        this.status.update(true);
    }

    #tabKey(event) {
        const tabs = [...document.querySelectorAll("[role=tab]")];
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (!step) return;
        const next = tabs[(tabs.indexOf(event.target) + step + tabs.length) % tabs.length];
        this.#chooseTab(next);
        next.focus();
        event.stopPropagation();
    }

    #debugViews() {
        const views = this.player.engine.play("debug_json");
        find("debug").replaceChildren(...views.map(({ id, name, help, on }) => {
            const box = element("input", { type: "checkbox", onchange: () => this.player.engine.play("set_debug", id, box.checked) });
            box.checked = on;
            return element("label", { class: "check" }, box, element("span", {}, name), element("span", { class: "help" }, help));
        }));
        find("debug-none").hidden = views.length > 0;
    }

    #idle() {
        if (find("panel").hidden || document.hidden) return;
        this.panel.refresh();
        this.hint();
    }

    #trouble(message) {
        find("trouble").hidden = false;
        find("trouble-text").textContent = message;
        document.body.dataset.state = "trouble";
    }
}

const page = new ScenePage();
window.tarnPage = page; // for the console, and for tests
page.start();
