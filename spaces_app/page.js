// The address of the page: links inside it, back and forward, reload. The server opens views (app.py); this tells it
// which one is wanted, and writes into the address what it has opened.
window.qassayPage = (() => {
    "use strict";
    const KEY = "qassay-work";
    const views = {}; // the id of a tab -> the address of what it shows, where it tells one
    let tab = null; // the one that is open; null before the server has answered for the first time
    let sample = "";
    let work = ""; // the token of what was scored
    let answered = ""; // the number of the answer that was last seen
    let wanted = null; // the address that the server is to open
    let last = location.search;
    let wasLink = false;

    // Browsers that keep nothing of other sites' frames refuse sessionStorage.
    const stored = () => { try { return sessionStorage.getItem(KEY) || ""; } catch { return ""; } };
    const store = token => {
        try {
            if (token) sessionStorage.setItem(KEY, token); else sessionStorage.removeItem(KEY);
        } catch { /* then a reload begins anew */ }
    };

    // The address of a view, with what is not of the view, such as Gradio's __theme.
    function addressOf(query) {
        const address = new URLSearchParams(query);
        for (const [name, value] of new URLSearchParams(location.search)) {
            if (name.startsWith("__")) address.set(name, value);
        }
        if (sample && !address.has("sample")) address.set("sample", sample);
        return `${location.pathname}?${address}${location.hash}`;
    }

    function write(how, query) {
        const address = addressOf(query);
        try {
            if (how === "pushState" || address !== location.pathname + location.search + location.hash ||
                history.state?.work !== work) history[how]({work}, "", address);
        } catch { /* browsers refuse too many changes in a short time */ }
        last = location.search;
    }

    const viewOf = name => views[name] ?? `?${new URLSearchParams({tab: name})}`;

    function open(query) {
        wanted = query;
        document.getElementById("view-open")?.click();
    }

    // What the server says is shown.
    function read() {
        const told = document.querySelector("#view-now [data-answer]")?.dataset;
        if (!told) return;
        sample = told.sample;
        work = told.work;
        store(work);
        for (const name of Object.keys(views)) delete views[name];
        for (const part of document.querySelectorAll(".view-now [data-view]")) {
            if (part.dataset.view) views[new URLSearchParams(part.dataset.view).get("tab")] = part.dataset.view;
        }
        const isOpened = told.tab && told.answer !== answered;
        answered = told.answer;
        if (isOpened) tab = told.tab;
        if (tab === null) return;
        write("replaceState", viewOf(tab));
        if (isOpened && wasLink) show();
    }

    // After a link: what it led to is on the screen, and the keyboard goes on from there.
    function show() {
        wasLink = false;
        requestAnimationFrame(() => requestAnimationFrame(() => {
            const selected = document.querySelector("[role=tab][aria-selected=true]");
            selected?.focus({preventScroll: true});
            selected?.scrollIntoView({block: "start"});
        }));
    }

    let isWatching = false;
    function watch() {
        if (isWatching) return;
        isWatching = true;
        const observer = new MutationObserver(read);
        for (const part of document.querySelectorAll(".view-now")) {
            observer.observe(part, {childList: true, subtree: true, attributes: true, attributeFilter: ["data-view", "data-answer"]});
        }
    }

    // Of a link as it is written: "?tab=errors&kind=too+long".
    const queryOf = link => new URL(link.getAttribute("href"), location.href).search;
    const linkOf = event => event.target.closest?.("a.go[href]");

    // With an opener the new tab gets sessionStorage too, and so what was scored.
    const openBeside = link => window.open(addressOf(queryOf(link)), "_blank");

    function follow(query) {
        tab = new URLSearchParams(query).get("tab") || tab;
        open(query);
    }

    addEventListener("click", event => {
        const link = linkOf(event);
        if (!link || event.defaultPrevented || event.shiftKey || event.altKey) return;
        event.preventDefault();
        if (event.ctrlKey || event.metaKey) return openBeside(link);
        write("pushState", queryOf(link));
        wasLink = true;
        follow(location.search);
    });
    addEventListener("auxclick", event => {
        const link = linkOf(event);
        if (!link || event.button !== 1) return;
        event.preventDefault();
        openBeside(link);
    });
    // A link that is copied from here names the sample too.
    addEventListener("contextmenu", event => {
        const link = linkOf(event);
        if (link) link.setAttribute("href", addressOf(queryOf(link)));
    });
    // The answer as plain text, for an e-mail or a chat.
    addEventListener("click", async event => {
        const button = event.target.closest?.("button.copy"), text = button?.closest("[data-text]")?.dataset.text;
        if (!text) return;
        try {
            await navigator.clipboard.writeText(text);
        } catch { // where a page may not, such as in frames
            const box = Object.assign(document.createElement("textarea"), {value: text});
            document.body.append(box);
            box.select();
            document.execCommand("copy");
            box.remove();
            button.focus();
        }
        const said = button.dataset.said ??= button.textContent;
        button.textContent = "Copied";
        setTimeout(() => { button.textContent = said; }, 1500);
    });
    addEventListener("popstate", event => {
        if (tab === null || (location.search === last && (event.state?.work ?? work) === work)) return;
        last = location.search;
        follow(location.search);
    });

    return {
        // The values for the server: the address to open, and the token of the work to open it with.
        asked() {
            watch();
            const query = (wanted ?? location.search).slice(0, 10000);
            wanted = null;
            return [query, String(history.state?.work ?? stored()).slice(0, 100)];
        },
        // A tab was opened, by the visitor or by the server.
        tab(name) {
            if (tab === null || name === tab) return;
            tab = name;
            write("pushState", viewOf(tab));
        },
    };
})();
