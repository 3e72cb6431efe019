// What is wrong with the layout of a page, and with its accessibility.

import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";

// Runs in the page: text below 12 px, controls that lie on each other or leave the window, a page that scrolls sideways.
export function layoutProblems() {
    const problems = [];
    const shown = (element) => element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true }) && !element.closest("[hidden], .unseen, .skip");
    const named = (element) => `${element.tagName.toLowerCase()}${element.id ? `#${element.id}` : ""} '${(element.getAttribute("aria-label") ?? element.textContent).trim().slice(0, 30)}'`;
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const small = new Set();
    for (let node = texts.nextNode(); node; node = texts.nextNode()) {
        const element = node.parentElement;
        if (!node.textContent.trim() || ["SCRIPT", "STYLE"].includes(element.tagName) || !shown(element)) continue;
        if (parseFloat(getComputedStyle(element).fontSize) < 12) small.add(`${named(element)} has ${getComputedStyle(element).fontSize}`);
    }
    problems.push(...[...small].slice(0, 3));
    if (document.documentElement.scrollWidth > innerWidth + 1) problems.push(`the page is ${document.documentElement.scrollWidth} wide in a window of ${innerWidth}`);
    // The part of a control that can be seen: what scrolls inside a box is cut by it.
    const visibleBox = (element) => {
        let { left, top, right, bottom } = element.getBoundingClientRect();
        for (let around = element.parentElement; around; around = around.parentElement) {
            if (getComputedStyle(around).overflow === "visible") continue;
            const cut = around.getBoundingClientRect();
            [left, top, right, bottom] = [Math.max(left, cut.left), Math.max(top, cut.top), Math.min(right, cut.right), Math.min(bottom, cut.bottom)];
        }
        return { left, top, right, bottom };
    };
    const controls = [...document.querySelectorAll("button, a, input, select, textarea, summary, h1, h2, .reading, .hint, .overlay")].filter(shown)
        .map((element) => ({ element, box: visibleBox(element) })).filter(({ box }) => box.right - box.left > 1 && box.bottom - box.top > 1);
    for (let a = 0; a < controls.length; ++a) {
        for (let b = a + 1; b < controls.length; ++b) {
            const [one, two] = [controls[a], controls[b]];
            if (one.element.contains(two.element) || two.element.contains(one.element)) continue;
            if (one.element.matches("textarea") || two.element.matches("textarea")) continue;
            const wide = Math.min(one.box.right, two.box.right) - Math.max(one.box.left, two.box.left);
            const high = Math.min(one.box.bottom, two.box.bottom) - Math.max(one.box.top, two.box.top);
            if (wide > 2 && high > 2) problems.push(`${named(one.element)} lies on ${named(two.element)}`);
        }
    }
    for (const { element, box } of controls.filter(({ element }) => element.matches("select") && element.selectedIndex >= 0)) {
        const alone = element.cloneNode(false); // with what is chosen as its only line
        alone.removeAttribute("id");
        alone.append(element.options[element.selectedIndex].cloneNode(true));
        alone.style.cssText = "position: absolute; visibility: hidden; flex: none; width: max-content; max-width: none";
        element.after(alone);
        const needed = alone.getBoundingClientRect().width;
        alone.remove();
        if (needed > box.right - box.left + 1) problems.push(`${named(element)} cuts '${element.options[element.selectedIndex].text}': ${Math.round(box.right - box.left)} of ${Math.round(needed)} px`);
    }
    for (const { element, box } of controls.filter(({ element }) => element.closest(".overlay, .panel, .site-header"))) {
        if (box.left < -1 || box.right > innerWidth + 1) problems.push(`${named(element)} leaves the window`);
    }
    return problems.slice(0, 5);
}

// Serious and critical findings of axe-core.
export async function axe(page, tests) {
    await page.evaluate(readFileSync(join(resolve(tests), "node_modules", "axe-core", "axe.min.js"), "utf8"));
    const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
    return found.violations.filter(({ impact }) => ["serious", "critical"].includes(impact))
        .map(({ id, help, nodes }) => `axe ${id}: ${help}: ${nodes.slice(0, 2).map((node) => node.html.slice(0, 120)).join(" ; ")}`);
}
