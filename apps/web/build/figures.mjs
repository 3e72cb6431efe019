// Figures of the landing page, read from the table of docs/performance.md: none is written here.

import { escapeHtml, proseHtml } from "./gallery.mjs";

// What is shown: benchmark and workers, what it stands for, and how its row becomes a number.
const SHOWN = [
    { bench: "wave.nine.512", workers: 2, unit: "ms", of: "a step of 512 × 512 cells of waves, on two cores" },
    { bench: "shallow.step.1024", workers: 2, unit: "ms", of: "a step of a flood on 1024 × 1024 cells, on two cores" },
    { bench: "ocean.cascades.256", workers: 2, unit: "ms", of: "a frame of a sea to the horizon, four cascades of waves" },
    { bench: "ripple.step.512", workers: 2, unit: "ms", of: "a step of wakes and rings on 512 × 512 cells" },
    { bench: "pipes.erosion.512", workers: 2, unit: "ms", of: "a step of rain that carves 512 × 512 cells of ground" },
    { bench: "liquid.constraint.2d.20000", workers: 2, unit: "ms", of: "a step of 20,000 liquid particles in 2-D" },
    { bench: "gas.plume.64", workers: 2, unit: "ms", of: "a step of smoke on 64 × 64 × 64 cells" },
    { bench: "lattice.d3q19.regular.128", workers: 2, unit: "ms", of: "a substep of wind on 2.1 million lattice cells" },
    { bench: "particles.ballistic.1000000", workers: 2, unit: "ms", of: "a step of a million sparks" },
    { bench: "mesh.screen.50000", workers: 2, unit: "ms", of: "a mesh of 50,000 particles, ready to draw" },
    { bench: "wave_particles.step.50000", workers: 2, unit: "ms", of: "a step of a pond with 50,000 wave particles" },
    { bench: "wave.query.100k", workers: 1, unit: "ns", of: "per query of the height of water, on one core" },
];

export function figuresOf(markdown) {
    const machine = /^Machine: (.*?)(?: The first run:)?$/m.exec(markdown)?.[1];
    const rows = [...markdown.matchAll(/^([a-z_]+\.[\w.]+) +(\d+) +([\d.]+) +([\d.]+) \w+/gm)];
    if (!machine || rows.length === 0) throw new Error("docs/performance.md: no machine or no table");
    const figures = SHOWN.flatMap((shown) => {
        const row = rows.find(([, name, workers]) => name === shown.bench && Number(workers) === shown.workers);
        if (!row) console.warn(`web: docs/performance.md has no row ${shown.bench} with ${shown.workers} workers; it is left out`);
        if (!row) return [];
        const value = shown.unit === "ms" ? Number(row[3]) : 1000 / Number(row[4]);
        return [{ ...shown, value: value.toPrecision(2) }];
    });
    if (figures.length < 4) throw new Error("docs/performance.md: most of the rows that build/figures.mjs shows are gone");
    return { machine: machine.replace(/\.$/, ""), figures };
}

export function figuresHtml({ machine, figures }) {
    const one = ({ value, unit, of, bench }) => `<li><span class="figure">${value}<small> ${unit}</small></span>
<span class="figure-of">${proseHtml(of)}</span> <code>${bench}</code></li>`;
    return `<ul class="figures">${figures.map(one).join("\n")}</ul>
<p class="fine">Measured by <code>make performance</code> on: ${escapeHtml(machine)}.</p>`;
}
