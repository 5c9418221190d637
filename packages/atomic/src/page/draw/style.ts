// What a page of runs adds to the style of our pages.

export const runStyle: string = `
:root { --accent: var(--plain); --ring: 0 0 0 2px var(--back), 0 0 0 4px var(--accent); }
a { color: var(--plain); text-underline-offset: .15em; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: .2rem; }
code, pre { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; font-size: .85rem; }
button, input, textarea { font: inherit; color: inherit; }
button {
  padding: .35rem .85rem; border: 1px solid var(--line); border-radius: .4rem; background: var(--card); cursor: pointer;
  min-height: 2.25rem; text-align: left;
}
button:hover { border-color: var(--soft); }
button[aria-disabled] { opacity: .55; cursor: default; }
button.main { background: var(--accent); border-color: var(--accent); color: var(--back); font-weight: 600; }
button.danger { color: var(--bad); border-color: var(--bad); }
button.quiet { border-color: transparent; background: none; color: var(--plain); padding: .2rem .4rem; }
input:not([type="checkbox"], [type="radio"]), textarea {
  padding: .4rem .6rem; border: 1px solid var(--soft); border-radius: .4rem; background: var(--back); width: 100%;
}
input[type="checkbox"], input[type="radio"] { width: 1.1rem; height: 1.1rem; margin: .2rem 0 0; accent-color: var(--accent); }
textarea { resize: vertical; }
.buttons { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; }
.field { display: grid; gap: .2rem; font-size: .92rem; }
.mark { display: inline-block; width: 1.2em; text-align: center; font-weight: 700; flex: none; }
.mark.running { animation: pulse 1.6s ease-in-out infinite; }
@keyframes pulse { 50% { opacity: .35; } }
@media (prefers-reduced-motion: reduce) { .mark.running { animation: none; } }
.status-word { font-size: .85rem; }
.number { font-variant-numeric: tabular-nums; }

h2 { margin: 1.5rem 0 .5rem; }
.run-head { display: flex; flex-wrap: wrap; align-items: center; gap: .25rem 1rem; }
.run-head h1 { font-size: 1.4rem; margin: 0; } .run-head h1 .soft { font-weight: 400; }
.run-head .status { margin: 0; padding: .05rem .7rem; border: 1px solid; border-radius: 1rem; font-size: .92rem; }
.run-head .actions { margin-left: auto; }
.run-head dl { flex-basis: 100%; display: flex; flex-wrap: wrap; gap: .15rem 1.75rem; margin: .35rem 0 0; font-size: .92rem; }
.run-head dl > div { display: flex; gap: .5rem; min-width: 0; align-items: baseline; } .run-head dt { flex: none; }
.chart { height: 6rem; }
.limit { display: inline-flex; gap: .5rem; align-items: center; margin-right: 1.25rem; color: var(--text); }
meter { appearance: none; -webkit-appearance: none; width: 7rem; height: .45rem; border: 0; border-radius: 1rem; background: var(--track); overflow: hidden; }
meter::-webkit-meter-bar { background: var(--track); border: 0; border-radius: 1rem; height: .45rem; }
meter::-webkit-meter-optimum-value { background: var(--plain); } meter::-webkit-meter-suboptimum-value { background: var(--warn); }
meter:-moz-meter-optimum::-moz-meter-bar { background: var(--plain); } meter:-moz-meter-sub-optimum::-moz-meter-bar { background: var(--warn); }
.raise summary, .budget { font-size: .92rem; font-weight: 400; padding: .35rem 0; color: var(--soft); }
.raise .limit { margin-left: .5rem; margin-right: .75rem; }
.raise form { display: flex; flex-wrap: wrap; gap: .75rem; align-items: end; padding: .25rem 0 .5rem; }
.raise .field { width: 9rem; }

.problems .notes a { font-weight: 600; color: var(--bad); }
.problems .text, .asked { white-space: pre-wrap; }
.problems summary { font-size: 1rem; padding: .3rem 0; }
.problems .text, .asked, .option > span, .about, .notice, .said, .long, .title, .rest { unicode-bidi: plaintext; }
.question {
  padding: .8rem 1rem; margin: .6rem 0; background: var(--card); border: 1px solid var(--line);
  border-left: .3rem solid var(--warn); border-radius: .4rem; display: grid; gap: .6rem;
}
.asked { font-size: 1.05rem; margin: 0; max-height: 60vh; overflow: auto; }
.question form { display: grid; gap: .6rem; } .question .buttons input { flex: 1 1 12rem; width: auto; }
fieldset { border: 0; margin: 0; padding: 0; display: grid; gap: .15rem; }
.option { display: flex; gap: .6rem; padding: .45rem .6rem; border-radius: .4rem; cursor: pointer; align-items: start; }
.option:hover { background: var(--track); }

.graph, .graph ol { display: grid; gap: .3rem; }
.graph .inside { margin: .3rem 0 0 .55rem; padding-left: .9rem; border-left: 2px solid var(--line); }
.graph .branches {
  display: grid; gap: .6rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 15rem), 1fr)); margin: .4rem 0 .2rem 1.1rem;
}
.graph .branches > .node { border: 1px solid var(--line); border-radius: .5rem; padding: .35rem .6rem; }
.graph > .node { border: 1px solid var(--line); border-radius: .5rem; padding: .35rem .7rem; background: var(--card); position: relative; }
.graph > .node + .node { margin-top: .55rem; }
.graph > .node + .node::before {
  content: ""; position: absolute; left: 1.35rem; top: -.9rem; height: .85rem; border-left: 2px solid var(--line);
}
.graph > .running { border-color: var(--plain); } .graph > .waiting { border-color: var(--warn); } .graph > .failed { border-color: var(--bad); }
.graph > .pending { background: none; border-style: dashed; }
.head { display: flex; flex-wrap: wrap; gap: .1rem .6rem; align-items: baseline; padding: .1rem 0; font-size: 1rem; font-weight: 400; }
summary.head { list-style: none; } summary.head::-webkit-details-marker { display: none; }
summary.head::before { content: "▸"; color: var(--soft); width: .8em; } details[open] > summary.head::before { content: "▾"; }
.fold { border: 0; background: none; color: var(--soft); padding: 0; width: 1.5rem; min-height: 1.5rem; text-align: center; margin-left: -.35rem; }
.head .title { font-weight: 600; } .head .facts { margin-left: auto; font-size: .92rem; }
.branches > .node > .head > .facts { margin-left: 1.8rem; flex-basis: 100%; }
.view.graph { container-type: inline-size; }
@container (max-width: 34rem) { .head .facts { margin-left: 1.8rem; flex-basis: 100%; } }
.said { margin: .1rem 0 .2rem 1.8rem; font-size: .92rem; white-space: pre-wrap; }
.last-word { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
a.title { color: var(--text); text-decoration-color: var(--line); } a.title:hover { text-decoration-color: currentColor; }
[aria-current] { background: color-mix(in srgb, var(--plain) 14%, transparent); border-radius: .25rem; }

.tabs { display: flex; gap: .25rem; margin: 1.25rem 0 1rem; border-bottom: 1px solid var(--line); }
.tabs a { padding: .5rem .9rem; color: var(--soft); text-decoration: none; border-bottom: 3px solid transparent; margin-bottom: -1px; }
.tabs a[aria-current] { color: var(--text); font-weight: 600; border-color: var(--accent); background: none; border-radius: 0; }
.search { display: flex; gap: 1rem; align-items: center; margin-bottom: .75rem; }
.search input[type="search"] { max-width: 22rem; } .search label { white-space: nowrap; display: flex; gap: .4rem; }

.list { position: relative; } .list.timeline { --row: 3.25rem; } .list.log { --row: 2rem; }
.list:not(.still) > .row { position: absolute; left: 0; right: 0; overflow: hidden; contain: strict; }
.still > .row { content-visibility: auto; contain-intrinsic-size: auto 3.25rem; }
.timeline .row { padding: .35rem 0; border-bottom: 1px solid var(--track); }
.timeline .name { flex-wrap: nowrap; white-space: nowrap; } .name .rest { flex: 1 1 auto; }
.row .rest, .timeline .row .title { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; min-width: 0; }
.timeline .row .title { flex: none; max-width: 55%; } .row .facts { margin-left: auto; flex: none; }
.log .row { display: flex; gap: .6rem; align-items: center; border-bottom: 1px solid var(--track); font-size: .92rem; }
.log .number { flex: none; } .log .row a { color: var(--text); text-decoration: none; } .log .row a:hover { text-decoration: underline; }
.still .row .rest, .still .name { white-space: normal; flex-wrap: wrap; }
.moment { font-size: .92rem; align-content: center; }

.long, .diff {
  margin: .3rem 0; padding: .6rem .75rem; background: var(--card); border-radius: .35rem; white-space: pre-wrap;
  overflow: auto; max-height: 30rem;
}
.long.bad { color: var(--bad); }
.diff span { display: block; min-height: 1em; }
.diff .added { color: var(--good); background: color-mix(in srgb, var(--good) 10%, transparent); }
.diff .removed { color: var(--bad); background: color-mix(in srgb, var(--bad) 10%, transparent); }
.diff .hunk { color: var(--plain); } .diff .file { color: var(--soft); font-weight: 600; }
.talk > li { margin: .6rem 0; padding-left: .75rem; border-left: 3px solid var(--line); }
.talk > .prompt { border-color: var(--soft); } .talk > .agent { border-color: var(--plain); } .talk > .warning { border-color: var(--warn); }
.talk h3 { font-size: .85rem; margin: 0; color: var(--soft); font-weight: 600; }
.talk summary { font-size: .95rem; font-weight: 400; padding: .1rem 0; }
.session { display: flex; flex-wrap: wrap; gap: .25rem .5rem; align-items: center; }
.session code { background: var(--card); padding: .1rem .4rem; border-radius: .25rem; }
@media print { .long, .diff, .asked { max-height: none; overflow: visible; } }
`;

/** Only of the live page: the list beside the run, and the node beside both. */
export const liveStyle: string = `
body { max-width: none; padding: 0; }
.top {
  position: sticky; top: 0; z-index: 2; display: flex; justify-content: space-between; align-items: center; gap: 1rem;
  padding: 0 1rem; height: 3rem; background: var(--back); border-bottom: 1px solid var(--line);
}
.home { color: var(--text); text-decoration: none; } .home b { font-size: 1.05rem; }
.skip { position: absolute; left: -100vw; } .skip:focus { position: static; }
.connection { font-size: .85rem; color: var(--soft); display: flex; align-items: center; gap: .4rem; }
.connection::before { content: ""; width: .55rem; height: .55rem; border-radius: 50%; background: var(--soft); }
.connection.live::before { background: var(--good); } .connection.lost { color: var(--bad); } .connection.lost::before { background: var(--bad); }
.columns { display: grid; grid-template-columns: minmax(15rem, 18rem) minmax(0, 1fr); }
.shows-node .columns { grid-template-columns: minmax(14rem, 16rem) minmax(0, 1fr) minmax(22rem, 38%); }
.runs, .panel { position: sticky; top: 3rem; height: calc(100vh - 3rem); overflow-y: auto; padding: .75rem; }
.runs { border-right: 1px solid var(--line); } .panel { border-left: 1px solid var(--line); padding: .75rem 1rem 3rem; }
main { padding: 1rem 1.25rem 4rem; min-width: 0; } main:focus { outline: none; }
.tabs, main section { scroll-margin-top: 3.5rem; }
.problems .text { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 8; overflow: hidden; }
.runs > p { padding: 0 .6rem .3rem; font-size: .85rem; }
.runs a { display: grid; gap: .1rem; padding: .55rem .6rem; border-radius: .5rem; color: var(--text); text-decoration: none; }
.runs .number { font-size: .88rem; }
.runs a:hover { background: var(--card); }
.runs a[aria-current] { background: color-mix(in srgb, var(--plain) 14%, transparent); border-radius: .5rem; }
.runs .about { font-size: .85rem; display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow: hidden; }
.pill { font-size: .82rem; font-weight: 600; } .pill.warn { color: var(--back); background: var(--warn); padding: 0 .45rem; border-radius: 1rem; }
.notices { padding: 0 1.25rem; }
.notice {
  display: flex; justify-content: space-between; align-items: start; padding: .5rem .8rem; margin: .75rem 0;
  border: 1px solid; border-radius: .4rem; background: var(--card); max-height: 40vh; overflow: auto; overflow-wrap: anywhere;
}
.notice .text { margin: 0; }
.panel > header { display: flex; justify-content: space-between; gap: 1rem; align-items: start; }
.panel h2 { margin: 0; font-size: 1.1rem; } .panel h2:focus { outline: none; }
.close { text-decoration: none; padding: .2rem .5rem; color: var(--soft); }
.loading { padding: 2rem 0; text-align: center; }
@media (max-width: 70rem) {
  .shows-node .columns { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); } .shows-node .runs { display: none; }
}
@media (max-width: 48rem) {
  .columns, .shows-node .columns { grid-template-columns: minmax(0, 1fr); }
  .shows-run .runs, .shows-list:not(.empty) main, .shows-node .runs, .shows-node main { display: none; }
  .runs, .panel { position: static; height: auto; border: 0; }
  main { padding: .75rem .9rem 3rem; } .notices { padding: 0 .9rem; }
  .list.timeline { --row: 6rem; } .list.log { --row: 3.25rem; }
  .timeline .row .name { flex-wrap: wrap; } .timeline .row:not(.moment) .title { flex: 1 1 60%; max-width: none; }
  .timeline .row .facts { flex: none; width: 100%; order: 1; margin: 0; white-space: normal; } .timeline .row :is(.facts, .rest) { font-size: .92rem; }
  .timeline .row:not(.moment) .rest { flex: none; width: 100%; order: 2; }
  .log:not(.still) .row .rest { white-space: normal; display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; }
  .row .status-word, .timeline .row:not(.moment) .name > .soft:not(.facts, .rest) { display: none; }
  .run-head { column-gap: .5rem; } .run-head .status, .run-head .actions button { font-size: .85rem; } .run-head dl { gap: 0 1.25rem; }
  .raise .field { width: calc(50% - .5rem); }
}
@media print {
  .columns, .shows-node .columns { display: block; }
  .top, .runs, .tabs, .search, .page textarea, .page button, .page form input:not([name=chosen]), .actions, .close, .quiet { display: none; }
  .panel { position: static; height: auto; border: 0; }
  .problems .text { display: block; }
}
`;
