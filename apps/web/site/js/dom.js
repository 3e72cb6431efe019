// Small helpers for making elements.

// element("button", { class: "x", onclick }, "text", child)
export function element(tag, options = {}, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(options)) {
        if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
        else if (value === true) made.setAttribute(name, "");
        else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, value);
    }
    made.append(...children);
    return made;
}

// "kg/m^3" with a raised 3.
export function raised(text) {
    return text.replace(/\^2\b/g, "²").replace(/\^3\b/g, "³");
}

const ICONS = {
    play: "M7 4.5v15l12-7.5z",
    pause: "M7 5h3.5v14H7zM13.5 5H17v14h-3.5z",
    step: "M6 5v14l9-7zM16 5h3v14h-3z",
    back: "M18 5v14l-9-7zM5 5h3v14H5z",
    restart: "M12 5a7 7 0 1 1-6.3 4L4 8.2V14h5.6L7.2 11.4A5 5 0 1 0 12 7z",
    share: "M14 4l6 6-6 6v-3.6C9 12.4 6 14 4 18c.4-5.6 3.8-9.4 10-10z",
    picture: "M4 6h4l1.5-2h5L16 6h4v13H4zm8 2.8a3.9 3.9 0 1 0 0 7.8 3.9 3.9 0 0 0 0-7.8zm0 1.8a2.1 2.1 0 1 1 0 4.2 2.1 2.1 0 0 1 0-4.2z",
    full: "M4 4h6v2H6v4H4zm10 0h6v6h-2V6h-4zM4 14h2v4h4v2H4zm14 0h2v6h-6v-2h4z",
    panel: "M4 6h9v2H4zm13-1.5a2.5 2.5 0 1 1 0 5 2.5 2.5 0 0 1 0-5zM4 16h3v2H4zm7-1.5a2.5 2.5 0 1 1 0 5 2.5 2.5 0 0 1 0-5zM15 16h5v2h-5z",
    camera: "M12 5C7 5 3.3 9 2 12c1.300 3 5 7 10 7s8.700-4 10-7c-1.300-3-5-7-10-7zm0 3a4 4 0 1 1 0 8 4 4 0 0 1 0-8zm0 2a2 2 0 1 0 0 4 2 2 0 0 0 0-4z",
    edit: "M4 17.200V20h2.800L17 9.800 14.200 7zM18.500 8.300a.9.900 0 0 0 0-1.200l-1.600-1.600a.9.900 0 0 0-1.200 0L14.900 6.300 17.700 9.100z",
    reset: "M12 5a7 7 0 1 1-6.300 4L4 8.200V14h5.600L7.200 11.400A5 5 0 1 0 12 7z",
    close: "M6.400 5 12 10.600 17.600 5 19 6.400 13.400 12 19 17.600 17.600 19 12 13.400 6.400 19 5 17.600 10.600 12 5 6.400z",
    keys: "M3 7h18v10H3zm2 2v2h2V9zm3.500 0v2h2V9zM12 9v2h2V9zm3.500 0v2H19V9zM7 13v2h10v-2z",
};

export function icon(name) {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
    svg.setAttribute("viewBox", "0 0 24 24");
    svg.setAttribute("aria-hidden", "true");
    path.setAttribute("d", ICONS[name]);
    svg.append(path);
    return svg;
}

// A button with an icon; the label is for screen readers and the tooltip.
export function iconButton(name, label, onclick, key = "") {
    return element("button", { type: "button", class: "icon-button", "aria-label": label, "aria-keyshortcuts": key || null,
        title: key ? `${label} (${key})` : label, onclick }, icon(name));
}

export function setIcon(button, name, label) {
    button.replaceChildren(icon(name));
    button.setAttribute("aria-label", label);
    button.title = label;
}

// A short message at the foot of the page, read out by screen readers.
let toastTimer = 0;
export function toast(text) {
    let box = document.getElementById("toast");
    if (!box) {
        box = element("div", { id: "toast", role: "status", "aria-live": "polite" });
        document.body.append(box);
    }
    box.textContent = text;
    box.classList.add("shown");
    clearTimeout(toastTimer);
    toastTimer = setTimeout(() => box.classList.remove("shown"), 5000);
}
