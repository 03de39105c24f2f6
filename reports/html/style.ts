/** CSS of every page, for light and dark mode, screens from 360 px, and print. It loads no other files. */
export const PAGE_STYLE = `
:root {
  color-scheme: light dark;
  --ground: #fff; --shade: #8c959f; --panel: #f6f8fa; --ink: #1f2328; --muted: #59636e; --line: #d1d9e0; --link: #0550ae;
  --good: #116329; --good-ground: #dafbe1; --bad: #a40e26; --bad-ground: #ffebe9;
  --warn: #7a4b00; --warn-ground: #fff4cc; --note: #0a4a9e; --note-ground: #e3f1ff; --declared: #4d5a00; --declared-ground: #eef5c8;
  --s0: #0969da; --s1: #bc4c00; --s2: #1a7f37; --s3: #8250df; --s4: #a0386f; --s5: #57606a;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0d1117; --shade: #6e7681; --panel: #161b22; --ink: #e6edf3; --muted: #9da7b1; --line: #343b44; --link: #79c0ff;
    --good: #56d364; --good-ground: #12261e; --bad: #ff938a; --bad-ground: #2f1519;
    --warn: #e3b341; --warn-ground: #2b2411; --note: #8cc8ff; --note-ground: #11233a; --declared: #c3d14f; --declared-ground: #20260f;
    --s0: #58a6ff; --s1: #f0883e; --s2: #56d364; --s3: #bc8cff; --s4: #f778ba; --s5: #9da7b1;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 7.5rem; -webkit-text-size-adjust: 100%; }
body { margin: 0 auto; max-width: 76rem; padding: 0 1rem 3rem; background: var(--ground); color: var(--ink);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; overflow-wrap: anywhere; }
a { color: var(--link); text-underline-offset: .15em; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
.skip { position: absolute; left: -100vw; }
.skip:focus { left: 1rem; top: .5rem; background: var(--ground); padding: .25rem .5rem; z-index: 1; }
h1, h2, h3 { line-height: 1.25; text-wrap: balance; }
h1 { font-size: 1.75rem; margin: 0; }
h2 { font-size: 1.3rem; margin: 1.5rem 0 .75rem; padding-bottom: .3rem; border-bottom: 1px solid var(--line); }
h3 { font-size: 1.05rem; margin: 1.5rem 0 .5rem; }
p { margin: .5rem 0; max-width: 75ch; }
.muted, .kind, caption, footer { color: var(--muted); }
.banner { margin: 1rem 0; padding: 1rem 1.5rem; border: 1px solid var(--line); border-left: .5rem solid var(--tone); border-radius: .5rem; background: var(--tone-ground); }
.good { --tone: var(--good); --tone-ground: var(--good-ground); }
.bad { --tone: var(--bad); --tone-ground: var(--bad-ground); }
.open { --tone: var(--warn); --tone-ground: var(--warn-ground); }
.banner h1 { color: var(--tone); }
.banner .kind { margin: 0 0 .25rem; color: var(--ink); font-size: .9rem; }
.banner .scroll { margin-bottom: 0; } .banner tbody tr:last-child > * { border: 0; }
.sentence { font-size: 1.15rem; margin: .4rem 0 0; }
.remark { display: block; margin-top: .4rem; max-width: 70rem; font-size: .9rem; } .sentence:has(.remark) { max-width: none; }
.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(15rem, 100%), 1fr)); gap: .5rem 1.5rem; margin: 1rem 0 0; font-size: .9rem; }
.facts dt { color: var(--muted); font-size: .8rem; }
.banner .facts dt { color: var(--ink); opacity: .85; }
.facts dd { margin: 0; }
nav { position: sticky; top: 0; z-index: 1; padding: .4rem 0; background: var(--ground); border-bottom: 1px solid var(--line); }
nav ul { display: flex; flex-wrap: wrap; gap: 0 1.1rem; list-style: none; margin: 0; padding: 0; font-size: .88rem; }
nav a { display: inline-block; padding: .15rem 0; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)); gap: .75rem; margin: 1rem 0; padding: 0; list-style: none; }
.tiles li { border: 1px solid var(--line); border-radius: .5rem; padding: .6rem .8rem; background: var(--panel); }
.tiles strong { font-size: 1.4rem; line-height: 1.2; margin-right: .5rem; font-variant-numeric: tabular-nums; }
.tiles li > span:last-child { display: block; color: var(--muted); font-size: .85rem; }
.tiles .verdict { vertical-align: .15em; }
.verdict { display: inline-block; padding: 0 .5em; border-radius: 1em; font-size: .82rem; font-weight: 600; white-space: nowrap; color: var(--muted); background: var(--panel); border: 1px solid var(--line); }
.v-pass, .v-within { color: var(--good); background: var(--good-ground); }
.v-fail, .v-broken, .v-error { color: var(--bad); background: var(--bad-ground); }
.v-warn, .v-not-testable, .v-insufficient-samples, .v-not-measurable { color: var(--warn); background: var(--warn-ground); }
.v-declared { color: var(--declared); background: var(--declared-ground); }
.v-observed { color: var(--note); background: var(--note-ground); }
blockquote { margin: .5rem 0; padding: .1rem 0 .1rem .9rem; border-left: 3px solid var(--line); max-width: 75ch; }
code, pre { font: .86em/1.45 ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; }
code { unicode-bidi: isolate; }
.banner caption, h2 + .scroll caption, summary + .scroll caption, summary + .unspecified caption, summary + .reasons caption, section > div:first-of-type > .scroll:first-child caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.collapsed { border-bottom: 1px solid var(--line); }
.collapsed > .fold > summary { padding: .7rem .25rem; }
:not(.collapsed) + .collapsed { margin-top: 1.75rem; border-top: 1px solid var(--line); }
.collapsed h2 { display: inline; margin: 0 .5rem 0 .15rem; padding: 0; border: 0; font-size: 1.1rem; }
.collapsed .muted { font-size: .9rem; }
.expanded > .fold > summary { margin: 2rem 0 .75rem; padding: 0 0 .3rem; border-bottom: 1px solid var(--line); }
.expanded h2 { display: inline; margin: 0; padding: 0; border: 0; }
.expanded + .collapsed { margin-top: 1.75rem; border-top: 1px solid var(--line); }
.command { position: relative; }
pre { margin: .25rem 0 .75rem; padding: .6rem .75rem; max-height: 24rem; overflow: auto; white-space: pre-wrap; background: var(--panel); border: 1px solid var(--line); border-radius: .35rem; unicode-bidi: plaintext; }
.scroll { overflow-x: auto; margin: .75rem 0 1.25rem; }
.scroll:not(.banner *), nav ul { background: linear-gradient(90deg, var(--ground) 40%, transparent) left / 3rem 100% local, linear-gradient(270deg, var(--ground) 40%, transparent) right / 3rem 100% local,
  linear-gradient(90deg, var(--shade), transparent) left / .75rem 100% scroll, linear-gradient(270deg, var(--shade), transparent) right / .75rem 100% scroll; background-repeat: no-repeat; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; }
caption { text-align: left; padding: 0 0 .4rem; font-size: .88rem; }
th, td { text-align: left; vertical-align: top; padding: .4rem .75rem .4rem 0; border-bottom: 1px solid var(--line); }
th { font-weight: 600; }
tbody th { font-weight: 500; min-width: 8.5rem; overflow-wrap: break-word; }
td, th { min-width: 5.5rem; }
th[scope="rowgroup"] { padding-top: 1.1rem; font-weight: 600; color: var(--ink); }
.unspecified tr > :first-child:not([colspan]) { width: 55%; overflow-wrap: anywhere; min-width: 0; padding-left: .75rem; }
thead th { overflow-wrap: normal; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
thead th { color: var(--muted); font-size: .82rem; }
details > summary { cursor: pointer; padding: .35rem 0; }
details > summary:hover { background: var(--panel); }
dl.outcome { margin: .5rem 0; display: grid; grid-template-columns: 8rem minmax(0, 1fr); gap: .35rem 1rem; }
dl.outcome dt { color: var(--muted); font-size: .88rem; }
dl.outcome dd { margin: 0; }
.source { font-size: .9em; white-space: nowrap; }
.specification { max-width: 60rem; font: .9em/1.5 ui-monospace, monospace; overflow-wrap: anywhere; } .specification p { margin: .4rem 0; }
.specification :target { background: var(--warn-ground); outline: 2px solid var(--warn); outline-offset: 2px; scroll-margin-top: 8rem; }
.expected, .actual { padding: 0 .5rem; border-left: 3px solid var(--good); background: var(--good-ground); }
.actual { border-color: var(--bad); background: var(--bad-ground); }
.requirement + .requirement { margin-top: 1.5rem; }
.finding { border: 1px solid var(--line); border-left: .3rem solid var(--tone, var(--line)); border-radius: .5rem; padding: .75rem 1rem; margin: 1rem 0; }
.finding { padding: .35rem 1rem; margin: .5rem 0; }
.finding > summary h3 { display: inline; margin: 0; text-wrap: wrap; }
.finding > div, .check > div { scroll-margin-top: 6rem; }
.brief { display: block; margin-left: 1.1rem; color: var(--muted); font-size: .92rem; }
.finding[open] .brief { display: none; }
.finding[open] { padding-bottom: .75rem; }
.anchor { font-size: .88rem; }
.ends { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: .5rem 1rem; margin: .75rem 0; }
.end { margin: .4rem 0 .1rem; font-size: .88rem; font-weight: 600; }
.causes { list-style: none; counter-reset: cause; margin: 0; padding: 0; }
.causes.continued { counter-set: cause 5; }
.cause { counter-increment: cause; border: 1px solid var(--line); border-left: .3rem solid var(--tone); border-radius: .5rem; padding: .5rem 1rem .25rem; margin: .6rem 0; }
.cause h3 { margin: 0 0 .35rem; text-wrap: wrap; }
.cause h3::before { content: counter(cause) ". "; color: var(--muted); }
.cause .count { display: inline-block; margin-left: .35rem; color: var(--tone); font-size: .9rem; font-weight: 600; white-space: nowrap; }
.cause pre { margin-bottom: .15rem; } .cause .command pre { padding-block: .45rem; max-height: 7.5rem; scrollbar-width: thin; } .cause details > summary { padding: .2rem 0; font-size: .92rem; }
.cause .command { display: flex; flex-direction: row-reverse; align-items: flex-start; gap: .4rem; } .cause .copy { position: static; margin-top: .5rem; } .cause .command pre { flex: 1; min-width: 0; padding-right: .75rem; }
.cause details ul { margin: .25rem 0; padding-left: 1.25rem; font-size: .92rem; }
.cause details li { margin: .25rem 0; }
.charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(22rem, 100%), 1fr)); gap: 1.5rem; }
.chart { margin: 0; min-width: 0; }
.chart figcaption { font-weight: 600; margin-bottom: .25rem; }
.chart > svg { display: block; width: 100%; height: auto; }
.chart text { font: 13px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; fill: var(--muted); }
.axes line { stroke: var(--line); }
.limit line { stroke: var(--good); stroke-width: 2; } .limit circle { fill: var(--good); }
.limit.open line { stroke: var(--warn); } .limit.open circle { fill: var(--warn); }
.limit.broken line { stroke: var(--bad); } .limit.broken circle { fill: var(--bad); }
.chart .limit text { fill: var(--good); font-size: 12px; paint-order: stroke; stroke: var(--ground); stroke-width: 4px; stroke-linejoin: round; } .chart .limit.open text { fill: var(--warn); } .chart .limit.broken text { fill: var(--bad); }
.point { fill: transparent; } .point:hover { fill: var(--ink); }
.line { fill: none; stroke-width: 2; stroke-linejoin: round; }
.band { opacity: .22; stroke: none; }
.line.s0 { stroke: var(--s0); } .band.s0 { fill: var(--s0); }
.line.s1 { stroke: var(--s1); stroke-dasharray: 7 3; } .band.s1 { fill: var(--s1); }
.line.s2 { stroke: var(--s2); stroke-dasharray: 2 3; } .band.s2 { fill: var(--s2); }
.line.s3 { stroke: var(--s3); stroke-dasharray: 9 3 2 3; } .band.s3 { fill: var(--s3); }
.line.s4 { stroke: var(--s4); stroke-dasharray: 12 4; } .band.s4 { fill: var(--s4); }
.line.s5 { stroke: var(--s5); stroke-dasharray: 4 2; } .band.s5 { fill: var(--s5); }
.legend { display: flex; flex-wrap: wrap; gap: .1rem 1rem; list-style: none; margin: .25rem 0 0; padding: 0; font-size: .88rem; }
.controls { display: flex; flex-wrap: wrap; align-items: center; gap: .4rem .6rem; margin: 0 0 .35rem; }
.controls input { flex: 1 1 12rem; min-width: 8rem; }
.controls input, .controls select, button { font: inherit; font-size: .9rem; padding: .2rem .5rem; color: var(--ink); background: var(--panel); border: 1px solid var(--line); border-radius: .35rem; }
.controls select { max-width: 14rem; }
button { cursor: pointer; }
button:hover { border-color: var(--muted); }
.shown { color: var(--muted); font-size: .88rem; } .shown:empty { margin-left: -.6rem; }
.nowrap, .ids code { display: inline-block; max-width: 100%; }
.copy { position: absolute; top: .35rem; right: .35rem; font-size: .8rem; padding: .05rem .45rem; }
.copy + pre { padding-right: 4.5rem; }
[hidden] { display: none !important; }
footer { margin-top: 2rem; border-top: 1px solid var(--line); font-size: .88rem; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
@media (min-width: 40.01rem) { .reasons tbody th { width: 36%; } }
@media (max-width: 40rem) {
  .stacked thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .stacked, .stacked caption, .stacked tbody, .stacked tr, .stacked th, .stacked td { display: block; text-align: left; }
  .stacked tr { border-bottom: 1px solid var(--line); padding: .5rem 0; }
  .stacked th, .stacked td { border: 0; padding: .1rem 0; white-space: normal; }
  .stacked td { display: inline-block; min-width: 0; max-width: 100%; margin-right: .9rem; }
  .stacked td::before, .stacked th[data-label]::before { content: attr(data-label) ": "; color: var(--muted); font-size: .88em; }
  .tiles { grid-template-columns: repeat(2, minmax(0, 1fr)); gap: .5rem; margin: .75rem 0; }
  .tiles li { padding: .3rem .6rem; } .tiles strong { font-size: 1.15rem; } .tiles li > span:last-child { font-size: .8rem; line-height: 1.3; }
  .expanded:has(> .fold:not([open])) { border-bottom: 1px solid var(--line); }
  .expanded > .fold:not([open]) > summary { margin: 0; padding: .6rem .25rem; border: 0; }
  .expanded > .fold:not([open]) h2, .collapsed h2 { font-size: 1.05rem; }
  .collapsed > .fold > summary { padding: .6rem .25rem; } .collapsed > .fold > summary .muted { display: none; }
  .expanded:has(> .fold:not([open])) + .collapsed { margin-top: 0; border-top: 0; }
  .banner .facts { display: block; margin-top: .6rem; } .banner .facts > div { display: flex; gap: .6rem; } .banner .facts dt { flex: 0 0 3.6rem; padding-top: .1rem; }
  .sentence { font-size: 1.05rem; } .remark { font-size: .82rem; line-height: 1.4; }
  section:not(.collapsed, .expanded) + .expanded { margin-top: 1.25rem; border-top: 1px solid var(--line); }
  h1 { font-size: 1.4rem; } h2 { font-size: 1.15rem; margin-top: 1.4rem; }
  .banner { padding: .9rem 1rem; }
  .controls select { flex: 1 1 7rem; min-width: 0; }
  dl.outcome, .ends { grid-template-columns: minmax(0, 1fr); gap: .1rem; }
  dl.outcome dd { margin-bottom: .5rem; }
  .finding, .cause { padding: .5rem .75rem .3rem; } .cause { margin: .5rem 0; }
  .cause { position: relative; } .cause h3 { font-size: .95rem; line-height: 1.3; margin-bottom: .2rem; } .cause details > summary { padding: .1rem 0; font-size: .82rem; }
  .cause .command pre { padding: .3rem .45rem; max-height: 5.4rem; font-size: .7rem; line-height: 1.3; }
  .cause .command { position: static; }
  .causes:not(:has(> :nth-child(4))) .command pre { max-height: 12rem; }
  .cause:not(:has(details[open])) .copy { position: absolute; top: auto; right: .5rem; bottom: .3rem; margin: 0; padding-block: 0; }
  body { padding-bottom: 1rem; }
  nav ul { flex-wrap: nowrap; overflow-x: auto; white-space: nowrap; }
  nav + main h2:first-of-type { margin-top: 1.25rem; }
}
@media print {
  :root { --ground: #fff; --panel: #f6f8fa; --ink: #000; --muted: #444; --line: #bbb; --link: #000; color-scheme: light;
    --good: #116329; --good-ground: #fff; --bad: #a40e26; --bad-ground: #fff; --warn: #7a4b00; --warn-ground: #fff; --note: #0a4a9e; --note-ground: #fff; --declared: #4d5a00; --declared-ground: #fff;
    --s0: #0969da; --s1: #bc4c00; --s2: #1a7f37; --s3: #8250df; --s4: #a0386f; --s5: #57606a; }
  body { max-width: none; padding: 0; font-size: 10pt; }
  nav, .skip, .copy, .anchor, .cause > details:not([open]) { display: none; }
  summary { list-style: none; } summary::-webkit-details-marker { display: none; }
  table { font-size: 8pt; } th, td, tbody th { min-width: 0; padding-right: .5rem; }
  .charts { grid-template-columns: repeat(2, minmax(0, 1fr)); }
  pre, .cause .command pre { max-height: none; overflow: visible; white-space: pre-wrap; }
  .scroll { overflow: visible; } .scroll:not(.banner *) { background: none; }
  .finding::details-content, .fold::details-content, .finding .exchange::details-content { content-visibility: visible; block-size: auto; }
  h2, h3, summary { break-after: avoid; }
  tr, svg, .chart, blockquote, .tiles li { break-inside: avoid; }
}
`
