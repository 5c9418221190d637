// The style of our pages. It loads no fonts, images or scripts.

export const pageStyle: string = `
:root {
  color-scheme: light dark;
  --back: #ffffff; --card: #f5f5f7; --line: #d4d4dc; --text: #1c1c22; --soft: #55555f;
  --plain: #3758c9; --good: #1a7240; --warn: #8a5300; --bad: #b3261e; --track: #e6e6ec;
}
@media (prefers-color-scheme: dark) {
  :root {
    --back: #131318; --card: #1d1d24; --line: #3a3a46; --text: #ececf1; --soft: #a9a9b6;
    --plain: #93abff; --good: #6bd394; --warn: #f0b45c; --bad: #ff8f85; --track: #2c2c36;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 1.25rem 1rem 3rem; max-width: 70rem;
  background: var(--back); color: var(--text);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Open Sans", sans-serif;
  overflow-wrap: anywhere;
}
h1 { font-size: 1.35rem; line-height: 1.3; margin: 0 0 .25rem; }
h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
p { margin: .25rem 0; }
.soft { color: var(--soft); }
.plain { color: var(--plain); } .good { color: var(--good); } .warn { color: var(--warn); } .bad { color: var(--bad); }
.status { font-weight: 600; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem .75rem; margin: .75rem 0; }
dt { color: var(--soft); } dd { margin: 0; }
ol, ul { list-style: none; margin: 0; padding: 0; }
.rows > li { padding: .3rem 0; }
.name { display: flex; flex-wrap: wrap; gap: 0 .6rem; align-items: baseline; }
.name b { font-weight: 600; }
.track { position: relative; height: .8rem; margin-top: .15rem; background: var(--track); border-radius: .2rem; overflow: hidden; }
.bar { position: absolute; top: 0; bottom: 0; min-width: 3px; border-radius: .2rem; background: currentColor; }
.break { position: absolute; top: 0; bottom: 0; background: repeating-linear-gradient(45deg, var(--line) 0 3px, transparent 3px 6px); }
.axis { display: flex; justify-content: space-between; font-size: .85rem; color: var(--soft); }
.chart { display: block; width: 100%; height: 9rem; background: var(--card); border-radius: .3rem; }
.chart .area { fill: var(--plain); fill-opacity: .18; }
.chart .curve { fill: none; stroke: var(--plain); stroke-width: 2; vector-effect: non-scaling-stroke; }
.chart .edge { stroke: var(--line); stroke-width: 1; vector-effect: non-scaling-stroke; }
.notes > li { padding: .45rem .6rem; margin: .35rem 0; background: var(--card); border-left: .25rem solid; border-radius: .2rem; }
.notes .text { color: var(--text); }
time, .number { font-variant-numeric: tabular-nums; }
table { width: 100%; border-collapse: collapse; font-size: .92rem; }
th { text-align: left; color: var(--soft); font-weight: 600; }
th, td { padding: .3rem .6rem .3rem 0; vertical-align: top; border-bottom: 1px solid var(--line); }
td:first-child { white-space: nowrap; }
.ignored { text-decoration: line-through; }
summary { cursor: pointer; padding: .6rem 0; font-size: 1.1rem; font-weight: 600; }
@media (max-width: 40rem) {
  table, tbody, tr, td { display: block; }
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  tr { padding: .5rem 0; border-bottom: 1px solid var(--line); }
  td { display: inline; border: 0; padding: 0 .5rem 0 0; }
  td:last-child { display: block; }
}
@media print {
  body { max-width: none; }
  details::details-content { content-visibility: visible; }
  .track, .bar, .diff span { print-color-adjust: exact; }
}
`;
