// Sorting, filtering and links to a ticket and pass. The page is whole without it.
(() => {
  "use strict";
  const table = document.getElementById("ticket-table");
  const rows = table ? [...table.tBodies[0].rows] : [];
  const runs = [...document.querySelectorAll("details.run")];
  const form = document.getElementById("filter");
  const text = document.getElementById("filter-text");
  const kind = document.getElementById("filter-kind");

  // Sorting: every head of a single column becomes a button.
  const heads = table ? [...table.querySelectorAll("th[data-sort]")] : [];
  const columnOf = (head) => {
    if (head.rowSpan > 1 || head.parentNode === table.tHead.rows[table.tHead.rows.length - 1] && table.tHead.rows.length === 1) {
      return head.cellIndex;
    }
    const fixed = [...table.tHead.rows[0].cells].filter((cell) => cell.rowSpan > 1).length;
    return fixed + head.cellIndex;
  };
  const valueOf = (row, column, numeric) => {
    const cell = row.cells[column];
    if (!numeric) return cell.textContent;
    const value = cell.dataset.v ?? cell.textContent;
    return value === "" || value === "n/a" ? null : Number(value);
  };
  const sort = (head) => {
    const numeric = head.dataset.sort === "number";
    const column = columnOf(head);
    const down = head.getAttribute("aria-sort") === "ascending";
    const keyed = rows.map((row, place) => ({ row, place, value: valueOf(row, column, numeric) }));
    const order = numeric ? (a, b) => a - b : (a, b) => a.localeCompare(b, "en", { numeric: true });
    keyed.sort((a, b) => {
      // What cannot be seen comes last, whichever way.
      if (a.value === null || b.value === null) return (a.value === null) - (b.value === null) || a.place - b.place;
      return (down ? -1 : 1) * order(a.value, b.value) || a.place - b.place;
    });
    table.tBodies[0].append(...keyed.map((entry) => entry.row));
    heads.forEach((other) => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
  };
  for (const head of heads) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    button.addEventListener("click", () => sort(head));
    head.append(button);
  }

  // Filtering: the table and the runs together.
  const filter = () => {
    const wanted = text.value.trim().toLowerCase();
    const fits = (name, its) => name.toLowerCase().includes(wanted) && (kind.value === "" || its === kind.value);
    let count = 0;
    for (const row of rows) {
      row.hidden = !fits(row.cells[0].textContent, row.dataset.kind);
      count += !row.hidden;
    }
    for (const run of runs) run.hidden = !fits(run.dataset.t, run.dataset.kind);
    document.getElementById("filter-count").textContent = `${count} of ${rows.length}`;
  };
  if (form) {
    form.hidden = false;
    form.addEventListener("submit", (event) => event.preventDefault());
    text.addEventListener("input", filter);
    kind.addEventListener("change", filter);
  }

  // Links: #t=TICKET&p=PASS. A pass that is not there leads to its ticket.
  const find = (name) => {
    if (document.getElementById(name)) return document.getElementById(name);
    const decoded = (part) => { try { return decodeURIComponent(part); } catch { return part; } };
    const [, ticket, rest] = /^t=([^&]*)(.*)$/.exec(name) ?? [];
    if (ticket === undefined) return null;
    const encoded = encodeURIComponent(decoded(ticket)).replace(/[!'()*]/g, (c) => "%" + c.charCodeAt(0).toString(16).toUpperCase());
    return document.getElementById(`t=${encoded}${rest}`) ?? document.getElementById(`t=${encoded}`);
  };
  const follow = () => {
    const name = location.hash.slice(1);
    const note = document.getElementById("not-shown");
    note.hidden = true;
    if (!name.startsWith("t=")) return;
    const target = find(name);
    if (!target) {
      note.textContent = "The address names a ticket that is not in this page.";
      note.hidden = false;
      note.scrollIntoView();
      return;
    }
    if (target.closest("[hidden]")) {
      text.value = kind.value = "";
      filter();
    }
    for (let part = target; part; part = part.parentElement) if (part.localName === "details") part.open = true;
    target.scrollIntoView();
    (target.localName === "details" ? target.querySelector("summary") : target).focus({ preventScroll: true });
  };
  addEventListener("hashchange", follow);
  follow();
})();
