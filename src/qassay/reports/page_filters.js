// A link to a filter hides the other example cards, with a message; without scripts it leads to the first card of the
// filter.
(() => {
  const inFrame = location.protocol === "about:"; // there "#f1" would be an address of the page around the frame
  let keep = () => {};
  document.addEventListener("click", event => {
    const link = event.target.closest && event.target.closest('a[href^="#"]');
    if (!link) return;
    const anchor = link.getAttribute("href").slice(1);
    if (inFrame) {
      event.preventDefault();
      const target = document.getElementById(anchor);
      if (target) target.scrollIntoView();
      if (link.matches(".go")) keep(anchor);
    } else if (link.matches(".go") && `#${anchor}` === location.hash) {
      keep(anchor);
    }
  });
  const cards = [...document.querySelectorAll("article[data-in]")];
  if (!cards.length) return;
  const section = cards[0].closest("section"), told = document.createElement("p"), all = document.createElement("button");
  const words = document.createElement("span");
  told.className = "kept";
  told.setAttribute("role", "status");
  all.type = "button";
  all.textContent = "Show all examples";
  told.append(words, all);
  section.querySelector("h2").after(told);
  const folds = new Map([...section.querySelectorAll("details")].map(fold => [fold, fold.open]));
  told.hidden = true;

  keep = name => {
    const anchor = document.getElementById(name), told_of = anchor && anchor.dataset.keeps;
    const kept = cards.filter(card => !told_of || card.dataset.in.split(" ").includes(anchor.id));
    for (const card of cards) card.hidden = !kept.includes(card);
    for (const grid of section.querySelectorAll(".cards")) {
      const isEmpty = ![...grid.children].some(card => !card.hidden);
      const head = grid.previousElementSibling;
      grid.hidden = isEmpty;
      if (head && head.localName === "h3") {
        const fold = grid.nextElementSibling;
        const more = fold && fold.localName === "details" && fold.querySelector("article:not([hidden])");
        head.hidden = isEmpty && !more;
      }
    }
    for (const [fold, wasOpen] of folds) {
      fold.hidden = !fold.querySelector("article:not([hidden])");
      fold.open = told_of ? !fold.hidden : wasOpen;
    }
    told.hidden = !told_of;
    if (!told_of) return;
    words.textContent = `${kept.length} of the ${cards.length} examples of this report: ${told_of}. `;
    section.scrollIntoView();
  };
  const keepOfAddress = () => keep(location.hash.slice(1));
  all.addEventListener("click", () => {
    if (!inFrame) history.replaceState(null, "", location.pathname + location.search);
    keep("");
    section.querySelector("h2").scrollIntoView();
  });
  addEventListener("hashchange", keepOfAddress);
  keepOfAddress();
})();
