// The board in its frame has the theme of the page around it: its address says which, where the system has another one.
(() => {
    "use strict";
    const DARK = matchMedia("(prefers-color-scheme: dark)");

    function fit(frame) {
        const [file, query] = frame.getAttribute("src").split("?");
        const asked = new URLSearchParams(query), isDark = document.body.classList.contains("dark");
        const theme = isDark === DARK.matches ? null : isDark ? "dark" : "light";
        if (asked.get("theme") === theme) return;
        if (theme) asked.set("theme", theme); else asked.delete("theme");
        frame.setAttribute("src", `${file}?${asked}`);
    }

    const fitAll = () => document.querySelectorAll("iframe.board").forEach(fit);
    DARK.addEventListener("change", fitAll);
    const changes = new MutationObserver(fitAll);
    changes.observe(document, {childList: true, subtree: true});
    const watchTheme = () => changes.observe(document.body, {attributes: true, attributeFilter: ["class"]});
    if (document.body) watchTheme(); else addEventListener("DOMContentLoaded", watchTheme);
})();
