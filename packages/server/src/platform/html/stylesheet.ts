import { tokens } from './tokens.ts'

/**
 * For every page of `renderPage`. Targets are at least 24 px high, and nothing moves. On a phone a table of many columns scrolls sideways
 * instead of breaking its words.
 */
export const stylesheet = `${tokens}

*, *::before, *::after { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body { margin: 0; background: var(--page); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
a { color: var(--accent); text-underline-offset: 0.2em; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
code, pre { font-family: var(--mono); font-size: 0.875em; overflow-wrap: anywhere; }
pre { white-space: pre-wrap; background: var(--panel); border-radius: 6px; padding: 0.75rem 1rem; }
.skip { position: absolute; left: -100rem; }
.skip:focus { left: 1rem; top: 1rem; z-index: 3; background: var(--page); padding: 0.5rem 1rem; }
.top { display: flex; flex-wrap: wrap; gap: 0.25rem 1.5rem; align-items: center; padding: 0.75rem var(--gap); background: var(--side); border-bottom: 1px solid var(--line); }
.top nav { display: flex; flex-wrap: wrap; gap: 0 1.25rem; }
.top nav a { display: inline-block; padding: 0.25rem 0; }
main { padding: 1rem var(--gap) 4rem; max-width: 80rem; }
h1 { font-size: 1.75rem; line-height: 1.25; margin: 1rem 0 0.5rem; }
h2 { font-size: 1.25rem; margin: 2.25rem 0 0.5rem; }
h3 { font-size: 1rem; margin: 1.5rem 0 0.25rem; }
p { max-width: 48rem; margin: 0.5rem 0; }
.lead, small, .soft { color: var(--soft); }
small { display: block; font-size: 0.8125rem; }

.badge { display: inline-block; border-radius: 3px; padding: 0.0625rem 0.4375rem; font-size: 0.8125rem; font-weight: 600; white-space: nowrap; color: var(--soft); background: var(--panel); }
.good { color: var(--good); background: var(--good-ground); }
.warn { color: var(--warn); background: var(--warn-ground); }
.bad { color: var(--bad); background: var(--bad-ground); }
.info { color: var(--info); background: var(--info-ground); }
.notice { border-left: 4px solid currentColor; border-radius: 3px; padding: 0.5rem 1rem; }

.table { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 0.9375rem; }
th, td { text-align: left; vertical-align: baseline; padding: 0.375rem 1rem 0.375rem 0; }
th { font-size: 0.8125rem; color: var(--soft); font-weight: 600; white-space: nowrap; }
tbody tr { border-top: 1px solid var(--line); }
td { overflow-wrap: break-word; min-width: 3rem; max-width: 20rem; }
td time { white-space: nowrap; }
td small + .badge { margin-top: 0.25rem; }
td button { white-space: nowrap; }

.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(11rem, 1fr)); gap: 0.75rem 1.5rem; margin: 0.75rem 0; }
.facts dt { color: var(--soft); font-size: 0.8125rem; }
.facts dd { margin: 0; overflow-wrap: anywhere; }

nav a[aria-current] { color: var(--ink); font-weight: 600; text-decoration-color: var(--accent); text-decoration-thickness: 2px; }
.near { display: flex; flex-wrap: wrap; gap: 0 1.25rem; font-size: 0.9375rem; }
.near a { display: inline-block; padding: 0.25rem 0; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
.control { border: 1px solid var(--line); border-radius: 3px; padding: 0 0.1875rem; font-size: 0.75em; color: var(--warn); }
td form { margin: 0; gap: 0.25rem 0.5rem; flex-wrap: nowrap; }
.buttons { display: flex; flex-wrap: wrap; gap: 0 0.75rem; }
section.action { border-top: 1px solid var(--line); padding-top: 0.25rem; margin-top: 1.25rem; }

form { display: flex; flex-wrap: wrap; gap: 0.5rem 1rem; align-items: end; margin: 0.75rem 0; }
label { font-size: 0.875rem; }
.field { display: grid; gap: 0.125rem; align-content: start; max-width: 20rem; }
.wide { flex-basis: 100%; max-width: 48rem; }
.problem { color: var(--bad); font-weight: 600; }
[aria-invalid] { border-color: var(--bad); }
input, select, textarea, button { font: inherit; color: inherit; min-height: 2.25rem; border: 1px solid var(--soft); border-radius: 4px; background: var(--page); padding: 0.25rem 0.5rem; }
textarea { width: 100%; min-height: 6rem; font-family: var(--mono); font-size: 0.875rem; }
input, select { max-width: 100%; height: 2.25rem; }
button { cursor: pointer; background: var(--panel); font-weight: 600; padding: 0.25rem 0.875rem; }
button.danger { color: var(--bad); border-color: var(--bad); background: var(--bad-ground); }

@media (max-width: 40rem) {
  .near { flex-wrap: nowrap; overflow-x: auto; white-space: nowrap; padding-bottom: 0.25rem; }
  .near a[aria-current] { scroll-initial-target: nearest; }
  th, td { padding-right: 0.625rem; }
  table:has(th:nth-child(5)) { width: max-content; min-width: 100%; }
  table:has(th:nth-child(5)) td { max-width: 14rem; }
}
@media print { .top, form, .skip { display: none; } }
`
