// Dark or light: as the system says, unless the visitor has chosen.

const stored = () => { try { return localStorage.getItem("theme"); } catch { return null; } };
if (stored()) document.documentElement.dataset.theme = stored();

addEventListener("DOMContentLoaded", () => {
    const button = document.getElementById("theme");
    button?.addEventListener("click", () => {
        const isDark = document.documentElement.dataset.theme
            ? document.documentElement.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
        const next = isDark ? "light" : "dark";
        document.documentElement.dataset.theme = next;
        try { localStorage.setItem("theme", next); } catch { /* private windows: it holds for this page */ }
    });
});
