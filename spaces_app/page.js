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
    let followed = null; // the link that led here
    let late = null; // what to do when the tabs are filled

    // Browsers that keep nothing of other sites' frames refuse sessionStorage.
    const stored = () => { try { return sessionStorage.getItem(KEY) || ""; } catch { return ""; } };
    const store = token => {
        try {
            if (token) sessionStorage.setItem(KEY, token); else sessionStorage.removeItem(KEY);
        } catch { /* then a reload begins anew */ }
    };

    // A tab that is opened by a copied link has no token: it asks the other tabs of this browser for theirs, and takes the token
    // of the tab that was used last. Only pages of this address hear it.
    const others = "BroadcastChannel" in window ? new BroadcastChannel(KEY) : null;
    const WAIT = 250; // milliseconds
    let used = Date.now();
    for (const event of ["focus", "pointerdown", "keydown"]) addEventListener(event, () => { used = Date.now(); }, true);
    others?.addEventListener("message", ({data}) => {
        if (data.asks && work) others.postMessage({to: data.asks, token: work, used});
    });

    function askOthers() {
        const own = String(Math.random()), told = [];
        return new Promise(done => {
            const hear = ({data}) => { if (data.to === own) told.push(data); };
            others.addEventListener("message", hear);
            others.postMessage({asks: own});
            setTimeout(() => {
                others.removeEventListener("message", hear);
                done(told.sort((one, other) => other.used - one.used)[0]?.token ?? "");
            }, WAIT);
        });
    }

    // Whether a link leads to what somebody scored: a link to a sample names it.
    function isToFiles(query) {
        const asked = new URLSearchParams(query);
        return asked.has("tab") && !asked.has("sample");
    }

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

    // The answer is shown before the tabs are filled; what is clicked meanwhile waits, the last click alone.
    const isPending = () => document.querySelector("#scores .pending") !== null;
    function whenFilled(act) {
        if (isPending()) late = act; else act();
    }

    // Press a button that only this script sees, for the server to show what an address says.
    function ask(query, button = "view-open") {
        wanted = query;
        document.getElementById(button)?.click();
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
        const isNew = told.answer !== answered, isOpened = told.tab && isNew;
        answered = told.answer;
        if (isNew && late) {
            const act = late;
            late = null;
            requestAnimationFrame(() => requestAnimationFrame(() => whenFilled(act)));
        }
        if (isOpened) tab = told.tab;
        if (tab === null) return;
        write("replaceState", viewOf(tab));
        requestAnimationFrame(() => requestAnimationFrame(mark));
        if (isOpened && followed) show();
    }

    // After a link: what it led to is on the screen, and the keyboard goes on from there.
    function show() {
        const link = followed;
        followed = null;
        requestAnimationFrame(() => requestAnimationFrame(() => {
            const isHere = link.isConnected && link.checkVisibility();
            const selected = document.querySelector("[role=tab][aria-selected=true]");
            if (isHere || !selected) return;
            selected.focus({preventScroll: true});
            if (!link.closest(".chips")) selected.scrollIntoView({block: "start"});
        }));
    }

    // In a list of examples the one that is read is marked, and its link alone is reached by the Tab key.
    function mark() {
        const example = new URLSearchParams(views.errors).get("example"); // whichever tab is open
        for (const link of document.querySelectorAll("a.go[data-by]")) {
            const isHere = new URLSearchParams(queryOf(link)).get("example") === example;
            const row = link.closest("tr");
            link.tabIndex = isHere ? 0 : -1;
            row.classList.toggle("here", isHere);
            if (!isHere) { row.removeAttribute("aria-current"); continue; }
            row.setAttribute("aria-current", "true");
            const list = row.closest(".examples"), top = row.offsetTop - list.querySelector("thead").offsetHeight;
            if (top < list.scrollTop) list.scrollTop = top;
            else if (row.offsetTop + row.offsetHeight > list.scrollTop + list.clientHeight)
                list.scrollTop = row.offsetTop + row.offsetHeight - list.clientHeight;
        }
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
        ask(query);
    }

    addEventListener("click", event => {
        const link = linkOf(event);
        if (!link || event.defaultPrevented || event.shiftKey || event.altKey) return;
        event.preventDefault();
        if (event.ctrlKey || event.metaKey) return openBeside(link);
        whenFilled(() => {
            if (link.dataset.by) return ask(queryOf(link), link.dataset.by);
            write("pushState", queryOf(link));
            followed = link;
            follow(location.search);
        });
    });
    // A row of a list does what its link does, and the arrow keys go from row to row.
    addEventListener("click", event => {
        const row = event.target.closest?.(".examples tbody tr");
        if (!row || event.target.closest("a") || String(getSelection())) return;
        const link = row.querySelector("a.go");
        link.focus({preventScroll: true});
        link.click();
    });
    addEventListener("keydown", event => {
        const row = event.target.closest?.(".examples tbody tr");
        const next = {ArrowDown: row?.nextElementSibling, ArrowUp: row?.previousElementSibling}[event.key];
        if (!next) return;
        event.preventDefault();
        next.querySelector("a.go").focus();
    });
    addEventListener("click", event => {
        const button = event.target.closest?.("[role=tab], .overflow-dropdown button");
        if (!button || !isPending()) return;
        event.preventDefault();
        event.stopPropagation();
        late = () => button.click();
    }, true);
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
        whenFilled(() => follow(location.search));
    });

    return {
        // The values for the server: the address to open, and the token of the work to open it with.
        async asked() {
            watch();
            const query = (wanted ?? location.search).slice(0, 10000);
            wanted = null;
            let token = history.state?.work ?? stored();
            if (!token && tab === null && others && isToFiles(query)) token = await askOthers();
            return [query, String(token).slice(0, 100)];
        },
        // A tab was opened, by the visitor or by the server.
        tab(name) {
            if (tab === null || name === tab) return;
            tab = name;
            write("pushState", viewOf(tab));
        },
    };
})();

// On a phone a table that is wider than its box becomes cards: a card for a row, and each value below the name of its column.
(() => {
    "use strict";
    const PHONE = matchMedia("(max-width: 40rem)");
    const widths = new WeakMap(); // of the boxes, when they were last looked at

    function fit(box) {
        const table = box.querySelector("table"), width = box.clientWidth;
        if (!table || !width || widths.get(box) === width) return;
        widths.set(box, width);
        box.classList.remove("as-cards");
        if (!PHONE.matches || table.scrollWidth <= width + 1) return;
        const heads = [...table.tHead.rows[0].cells].map(cell => cell.innerText.trim().split("\n")[0]);
        for (const cell of table.querySelectorAll("tbody td")) {
            cell.dataset.name = heads[cell.cellIndex];
            cell.classList.toggle("long", cell.matches(".words") && cell.textContent.length > 14);
        }
        box.classList.add("as-cards");
    }

    const sizes = new ResizeObserver(entries => requestAnimationFrame(() => entries.forEach(({target}) => fit(target))));
    const seen = new WeakSet();
    new MutationObserver(() => {
        for (const box of document.querySelectorAll(".qassay .scroll")) {
            if (!seen.has(box)) { seen.add(box); sizes.observe(box); }
        }
    }).observe(document, {childList: true, subtree: true});
})();
