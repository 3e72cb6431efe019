// Live demos in place: one canvas and one engine, which move to the picture that was clicked.

import { toast } from "./dom.js";
import { fetchScene, Player } from "./player.js";

let player = null, current = null;

async function run(demo) {
    const canvas = document.getElementById("picture");
    leave();
    current = demo;
    demo.classList.add("loading");
    demo.querySelector(".demo-frame").append(canvas);
    canvas.hidden = false;
    canvas.setAttribute("aria-label", `Live: ${demo.dataset.title}`);
    try {
        const text = fetchScene(demo.dataset.scene);
        player ??= await Player.start(canvas, { maxScale: 1.5 });
        player.openText(await text, demo.dataset.scene);
        player.run();
        demo.classList.add("live");
        demo.querySelector(".demo-hint").textContent = player.engine.play("hint");
    } catch (error) {
        leave();
        toast(error.message);
    }
    demo.classList.remove("loading");
}

function leave() {
    player?.stop();
    current?.classList.remove("live", "loading");
    current = null;
}

function tick() { // the line under the demo that runs
    if (current?.classList.contains("live")) {
        const { mean_ms: ms, hash } = player.engine.play("status_json");
        current.querySelector(".demo-reading").textContent = `${ms.toFixed(2)} ms per step · state ${hash}`;
    }
}

for (const demo of document.querySelectorAll(".demo")) {
    demo.querySelector(".demo-run").addEventListener("click", () => run(demo));
}
// A demo that was scrolled away rests, and goes on when it comes back.
const seen = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
        if (target !== current || !player) continue;
        if (isIntersecting) player.run();
        else player.stop();
    }
});
document.querySelectorAll(".demo").forEach((demo) => seen.observe(demo));
setInterval(tick, 300);
