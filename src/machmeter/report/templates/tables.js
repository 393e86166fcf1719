"use strict";
// Tables sort by a button in each heading and filter by a text; without scripts they stay as written.
(() => {
  const FEWEST_TO_SORT = 6;
  const FEWEST_TO_FILTER = 12;

  // `1 min 38 s`, `2 h 3 min`, `45 s`.
  const DURATION = /^(?:(\d[\d,]*) h)? ?(?:(\d+) min)? ?(?:(\d+) s)?$/;
  const secondsIn = (text) => {
    const [, hours, minutes, seconds] = text.match(DURATION) ?? [];
    if (hours === undefined && minutes === undefined) return undefined;
    const [h, min, s] = [hours, minutes, seconds].map((n) => Number((n ?? "0").replaceAll(",", "")));
    return 3600 * h + 60 * min + s;
  };
  // A number with its unit, as cells have it: `1.05x`, `< 12.0 ns`, `4 KiB`, `2,997 of 3,000`.
  // `2 x 16` is no number: its text is sorted, by each number in it.
  const NUMBER = /^(?:<|±|~|about)?\s*([+\-−]?\d[\d,]*(?:\.\d+)?)(?! x \d)\s?([A-Za-zµ%/]*)(?=$|[\s,;[])/;
  const BINARY = { Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40 };
  const DECIMAL = { p: 1e-12, n: 1e-9, µ: 1e-6, m: 1e-3, k: 1e3, M: 1e6, G: 1e9, T: 1e12 };
  const factorOf = (unit) => {
    const [, binary] = unit.match(/^([KMGT]i)B/) ?? [];
    if (binary) return BINARY[binary];
    const [, decimal] = unit.match(/^([pnµmkMGT])(?:s|B|msg|op|flop|Hz|bit)(?:\/s)?$/) ?? [];
    return decimal ? DECIMAL[decimal] : 1;
  };
  const numberIn = (text) => {
    const [, digits, unit] = text.match(NUMBER) ?? [];
    return digits && Number(digits.replaceAll(",", "").replace("−", "-")) * factorOf(unit);
  };

  const keyOf = (row, column) => {
    const cell = row.cells[column];
    const key = cell?.dataset.sort;
    const text = cell?.textContent.trim() ?? "";
    return key === undefined ? secondsIn(text) ?? numberIn(text) ?? text : Number(key);
  };
  const words = new Intl.Collator("en", { numeric: true });
  // Numbers come before texts.
  const compare = (a, b) => {
    if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
    return typeof a === "number" ? a - b : words.compare(a, b);
  };

  const sort = (table, column, descending) => {
    const body = table.tBodies[0];
    const keyed = [...body.rows].map((row) => [keyOf(row, column), row]);
    keyed.sort(([a], [b]) => (descending ? compare(b, a) : compare(a, b)));
    body.append(...keyed.map(([, row]) => row));
  };

  const sortable = (table) => {
    const headings = [...table.tHead.rows[0].cells];
    headings.forEach((heading, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "sort";
      button.append(...heading.childNodes);
      heading.append(button);
      button.addEventListener("click", () => {
        const descending = heading.getAttribute("aria-sort") === "ascending";
        for (const other of headings) other.removeAttribute("aria-sort");
        heading.setAttribute("aria-sort", descending ? "descending" : "ascending");
        sort(table, column, descending);
      });
    });
  };

  let count = 0;
  const filterable = (table, box) => {
    const rows = [...table.tBodies[0].rows];
    const [line, label, input, status] = ["p", "label", "input", "span"].map((name) =>
      document.createElement(name),
    );
    count += 1;
    line.className = "sorter";
    input.type = "search";
    input.id = `filter-${count}`;
    label.htmlFor = input.id;
    label.textContent = "Filter rows (commas between several texts) ";
    status.setAttribute("role", "status");
    line.append(label, input, " ", status);
    box.before(line);
    input.addEventListener("input", () => {
      const wanted = input.value.toLowerCase().split(",").map((w) => w.trim()).filter(Boolean);
      let shown = 0;
      for (const row of rows) {
        const text = [...row.cells].map((c) => c.textContent).join(" | ").toLowerCase();
        row.hidden = !wanted.every((word) => text.includes(word));
        shown += row.hidden ? 0 : 1;
      }
      status.textContent = wanted.length ? `${shown} of ${rows.length} rows` : "";
    });
  };

  for (const table of document.querySelectorAll(".scroll table")) {
    const rows = table.tBodies[0]?.rows.length ?? 0;
    if (rows >= FEWEST_TO_SORT) sortable(table);
    if (rows >= FEWEST_TO_FILTER) filterable(table, table.closest(".scroll"));
  }
})();
