// The address of the page: internal links, back and forward. The server opens views (app.py); this script sends
// it the requested view, and writes the opened view into the address.
window.qassayPage = (() => {
    "use strict";
    const views = {}; // id of a tab -> address of its view, if it has one
    let tab = null; // the open tab; null before the first response of the server
    let sample = "";
    let answered = ""; // the number of the last answer shown
    let seen = ""; // what the server has told
    let wanted = null; // the address that the server must open
    let last = location.search;
    let followed = null; // the last link followed
    let late = null; // the action that waits for the tabs

    // The address of a view, with other parameters, such as Gradio's __theme.
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
            if (how === "pushState" || address !== location.pathname + location.search + location.hash)
                history[how](null, "", address);
        } catch { /* browsers refuse too many changes in a short time */ }
        last = location.search;
    }

    const viewOf = name => views[name] ?? `?${new URLSearchParams({tab: name})}`;

    // The answer is shown before the tabs are filled; meanwhile the last click waits.
    const isPending = () => document.querySelector("#scores .pending") !== null;
    function whenFilled(act) {
        if (isPending()) late = act; else act();
    }

    // Press a hidden button, so that the server shows the view of an address.
    function ask(query, button = "view-open") {
        wanted = query;
        document.getElementById(button)?.click();
    }

    // The view that the server has opened.
    function read() {
        // Gradio also draws anew what is as before, such as after a press of a hidden button: the address is already another one.
        const now = Array.from(document.querySelectorAll(".view-now i"), part => part.outerHTML).join();
        if (now === seen) return;
        seen = now;
        const told = document.querySelector("#view-now [data-answer]")?.dataset;
        if (!told) return;
        sample = told.sample;
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

    // After a link: scroll to its target, and move the keyboard focus there.
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

    // In a list of examples the open example is marked, and the Tab key reaches only its link.
    function mark() {
        const example = new URLSearchParams(views.errors).get("example"); // for any open tab
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

    // For links such as "?tab=errors&kind=too+long".
    const queryOf = link => new URL(link.getAttribute("href"), location.href).search;
    const linkOf = event => event.target.closest?.("a.go[href]");

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
    // A click on a row of a list follows its link, and the arrow keys move between rows.
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
    // A copied link names the sample too.
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
        } catch { // refused, for example in frames
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
    addEventListener("popstate", () => {
        if (tab === null || location.search === last) return;
        last = location.search;
        whenFilled(() => follow(location.search));
    });

    return {
        // The address to open, for the server.
        asked() {
            watch();
            const query = (wanted ?? location.search).slice(0, 10000);
            wanted = null;
            return query;
        },
        // The visitor or the server opened a tab.
        tab(name) {
            if (tab === null || name === tab) return;
            tab = name;
            write("pushState", viewOf(tab));
        },
    };
})();

// On a phone a table that is wider than its box becomes cards, one per row, with each value below the name of its column.
(() => {
    "use strict";
    const PHONE = matchMedia("(max-width: 40rem)");
    const widths = new WeakMap(); // widths of the boxes at the last check

    function fit(box) {
        const table = box.querySelector("table"), width = box.clientWidth;
        if (!table || !width || widths.get(box) === width) return;
        widths.set(box, width);
        box.classList.remove("as-cards");
        if (!PHONE.matches || table.scrollWidth <= width + 1) return;
        // Long keys break behind an underscore.
        const heads = [...table.tHead.rows[0].cells].map(cell => cell.innerText.trim().split("\n")[0].replaceAll("_", "_\u200b"));
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
