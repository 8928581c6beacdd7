"use strict";
// Sorts the table of feeds and searches all feeds of the page. Without this script the page is complete.
const setUpReport = () => {
  const table = document.getElementById("feed-table");
  if (!table) return;
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const units = { ms: 1e-3, s: 1, m: 60, h: 3600, d: 86400 };

  const texts = new Set([1, 3]);

  // The first text of a cell; counts, durations and ages as numbers. Unknown values sort last.
  const value = (row, column) => {
    if (column === 0) return rows.indexOf(row);
    const cell = row.cells[column];
    if (texts.has(column)) return cell.textContent;
    if (column === 10) return value(row, 6);
    const text = cell.firstChild ? cell.firstChild.data || "" : "";
    if (text === "never") return Number.MAX_VALUE;
    if (text === "·") return 0;
    const parts = [...text.replace(/,/g, "").matchAll(/([\d.]+) ?(ms|[smhd])?/g)];
    if (!parts.length) return NaN;
    return parts.reduce((sum, [, number, unit]) => sum + number * (units[unit] || 1), 0);
  };

  const compare = (a, b, way) => {
    if (typeof a === "string") return way * a.localeCompare(b);
    if (isNaN(a) || isNaN(b)) return isNaN(a) - isNaN(b);
    return way * (a - b);
  };

  const headings = [...table.tHead.rows[0].cells];
  headings.forEach((heading, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.childNodes);
    heading.append(button);
    button.addEventListener("click", () => {
      const first = column === 0 || texts.has(column) ? "ascending" : "descending";
      const other = first === "ascending" ? "descending" : "ascending";
      const order = heading.getAttribute("aria-sort") === first ? other : first;
      headings.forEach((one) => one.removeAttribute("aria-sort"));
      heading.setAttribute("aria-sort", order);
      const way = order === "ascending" ? 1 : -1;
      const keyed = rows.map((row) => [value(row, column), row]);
      keyed.sort((a, b) => compare(a[0], b[0], way));
      body.append(...keyed.map(([, row]) => row));
    });
  });
  table.classList.add("sortable");

  const search = document.getElementById("search");
  if (!search) return;
  search.hidden = false;
  const [input, found] = [search.querySelector("input"), search.querySelector("output")];
  const name = (one, part) => [one, one.querySelector(part).textContent.toLowerCase()];
  const short = [...document.querySelectorAll("#other-table tr:not(:first-child)")];
  const feeds = [...rows.map((row) => name(row, "th")), ...short.map((row) => name(row, "td"))];
  const articles = [...document.querySelectorAll("article")].map((one) => name(one, "bdi"));
  input.addEventListener("input", () => {
    const words = input.value.toLowerCase();
    for (const [one, text] of [...feeds, ...articles]) one.hidden = !text.includes(words);
    const count = feeds.filter(([one]) => !one.hidden).length;
    found.textContent = words ? `${count.toLocaleString("en")} of ${feeds.length.toLocaleString("en")}` : "";
  });
};
setUpReport();
// A script that replaces the contents of the page says so.
document.addEventListener("report-changed", setUpReport);
