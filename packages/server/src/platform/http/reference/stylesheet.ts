import { tokens } from '../../html/tokens.ts'

/**
 * One column on phones, contents beside the text from 60rem, examples beside their endpoint from 100rem. Text has a contrast
 * of at least 4.5:1 in both colour schemes.
 */
export const stylesheet = `
${tokens}
:root {
  --get: var(--info); --get-ground: var(--info-ground);
  --post: var(--good); --post-ground: var(--good-ground);
  --patch: var(--warn); --patch-ground: var(--warn-ground);
  --put: var(--other); --put-ground: var(--other-ground);
  --delete: var(--bad); --delete-ground: var(--bad-ground);
}

*, *::before, *::after { box-sizing: border-box; }
html { scroll-padding-top: 4.5rem; -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body { margin: 0; background: var(--page); color: var(--ink); font: 1rem/1.6 system-ui, sans-serif; }
a { color: var(--accent); text-underline-offset: 0.2em; text-decoration-thickness: 1px; }
a:hover { text-decoration-thickness: 2px; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
code { font-family: var(--mono); font-size: 0.875em; overflow-wrap: anywhere; }
p code, td code { background: var(--panel); border-radius: 3px; padding: 0.1em 0.3em; }
.skip { position: absolute; left: -100rem; }
.skip:focus { left: 1rem; top: 1rem; z-index: 3; background: var(--page); padding: 0.5rem 1rem; }

/* Contents */
.side { position: sticky; top: 0; z-index: 2; background: var(--side); border-bottom: 1px solid var(--line); }
.side header { display: flex; align-items: center; justify-content: space-between; padding: 0.5rem var(--gap); }
.side header a { padding: 0.375rem 0; text-decoration: none; }
.home { color: var(--ink); font-weight: 700; letter-spacing: -0.01em; }
nav { display: none; }
nav:target { display: block; position: fixed; inset: 0; overflow-y: auto; background: var(--side); padding: 0.5rem var(--gap) 4rem; }
nav p { margin: 0; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav .close { position: sticky; top: 0; text-align: right; padding: 0.375rem 0; }
nav .close a { text-decoration: none; background: var(--side); padding: 0.375rem 0 0.375rem 0.75rem; }
nav .group { margin: 1.5rem 0 0.25rem; font-size: 0.8125rem; font-weight: 650; }
nav .group a { color: var(--ink); text-decoration: none; }
nav li a { display: flex; gap: 0.5rem; align-items: baseline; padding: 0.5rem 0; font-size: 0.875rem; line-height: 1.35; color: var(--soft); text-decoration: none; }
nav a:hover { color: var(--accent); }
nav code { font-size: 0.8125rem; }
var { font-style: normal; }
/* Highlights the current section, in browsers that support it without a script. */
nav { scroll-target-group: auto; overscroll-behavior: contain; }
nav li a:target-current { color: var(--accent); font-weight: 600; }

/* Text */
main { padding: 0 var(--gap) 6rem; }
h1, h2, h3, h4 { line-height: 1.25; text-wrap: balance; }
h1 { font-size: clamp(2rem, 6vw, 2.75rem); letter-spacing: -0.03em; margin: 0 0 0.75rem; }
h2 { font-size: 1.75rem; letter-spacing: -0.02em; margin: 0 0 1rem; padding-top: 3.5rem; }
h3 { font-size: 1.1875rem; margin: 2.25rem 0 0.5rem; }
h4 { font-size: 0.9375rem; margin: 1.75rem 0 0.375rem; }
p { margin: 0.5rem 0; max-width: 42rem; }
.introduction { max-width: 46rem; }
.eyebrow { margin: 3.5rem 0 0.25rem; color: var(--accent); font-weight: 600; }
.version { font-size: 0.9375rem; font-weight: 400; letter-spacing: 0; color: var(--soft); }
.summary { font-size: 1.125rem; }
.aside, .media { font-size: 0.875rem; color: var(--soft); }
.media { margin: 0.75rem 0 0.25rem; }
figure { margin: 0.75rem 0; }
figcaption { font-size: 0.9375rem; margin-bottom: 0.375rem; }
pre { margin: 0.5rem 0; padding: 0.75rem 1rem; border-radius: 6px; background: var(--panel); font: 0.8125rem/1.6 var(--mono); white-space: pre-wrap; overflow-wrap: anywhere; }
pre code { font-size: inherit; background: none; padding: 0; }
/* One click selects the whole request. */
.shell { background: var(--shell); color: var(--shell-ink); -webkit-user-select: all; user-select: all; }

/* Endpoints and resources */
.endpoint, .resource { border-top: 1px solid var(--line); padding: 2rem 0 2.5rem; }
h2 + .endpoint, h2 + p + .resource { padding-top: 1.5rem; }
.endpoint h3, .resource h3 { margin: 0; }
.resource h3 { margin-bottom: 0.75rem; }
.endpoint h3 a, .resource h3 a { color: inherit; text-decoration: none; }
.endpoint h3 a:hover code, .resource h3 a:hover { text-decoration: underline; text-decoration-thickness: 1px; }
.endpoint h3 a { display: flex; gap: 0.625rem; align-items: baseline; }
.endpoint h3 code { font-size: 1.0625rem; }
.endpoint h3 var { font-weight: 400; color: var(--soft); }
.endpoint .summary { margin-top: 0.625rem; }
:is(.endpoint, .resource):target { border-top-color: var(--accent); box-shadow: inset 0 2px 0 var(--accent); }
.method { flex: none; font: 700 0.6875rem/1 var(--mono); letter-spacing: 0.02em; padding: 0.25rem 0.375rem; border-radius: 3px; text-align: center; min-width: 3.625rem; color: var(--soft); background: var(--panel); }
.endpoint .method { font-size: 0.8125rem; min-width: 0; padding: 0.3125rem 0.5rem; }
.get { color: var(--get); background: var(--get-ground); }
.post { color: var(--post); background: var(--post-ground); }
.patch { color: var(--patch); background: var(--patch-ground); }
.put { color: var(--put); background: var(--put-ground); }
.delete { color: var(--delete); background: var(--delete-ground); }
.status { font: 700 0.8125rem/1 var(--mono); padding: 0.1875rem 0.375rem; border-radius: 3px; margin-right: 0.25rem; }
.answered { color: var(--post); background: var(--post-ground); }
.refused { color: var(--delete); background: var(--delete-ground); }
.answer + .answer { margin-top: 1.5rem; }
.refusals { list-style: none; margin: 0.5rem 0; padding: 0; display: grid; gap: 0 1.5rem; align-items: start; }
summary { cursor: pointer; padding: 0.25rem 0; font-size: 0.9375rem; }
summary:hover { color: var(--accent); }
summary::marker { color: var(--soft); }

/* Tables: on a narrow screen name and type share a line, the description stands below. */
table { width: 100%; border-collapse: collapse; font-size: 0.9375rem; line-height: 1.5; }
th, td { padding: 0; }
th { text-align: left; font-weight: 400; }
table, tbody, tr, th, td { display: block; }
thead { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; }
tbody tr { border-top: 1px solid var(--line); padding: 0.5rem 0; }
tbody th, td:not(:last-child) { display: inline; margin-right: 0.5rem; }
tbody th code { font-weight: 600; background: none; padding: 0; }
td:not(:last-child) { color: var(--soft); font-size: 0.875rem; }
tbody .nested { border: 0; padding: 0 0 0.25rem; }
.nested table { border-left: 2px solid var(--line); padding-left: 0.875rem; margin-bottom: 0.5rem; }
.nested summary { font-size: 0.875rem; color: var(--soft); }
.mark { font-size: 0.75rem; color: var(--soft); }
.mark.required { color: var(--patch); font-weight: 600; }
.notes { display: block; color: var(--soft); font-size: 0.875rem; }

@media (min-width: 45rem) {
  table { display: table; table-layout: fixed; }
  thead { display: table-header-group; position: static; clip-path: none; }
  thead th { font-size: 0.8125rem; color: var(--soft); padding: 0 1rem 0.25rem 0; }
  tbody { display: table-row-group; }
  tr { display: table-row; }
  th, td, tbody th, td:not(:last-child) { display: table-cell; vertical-align: baseline; padding: 0.4375rem 1rem 0.4375rem 0; }
  th:first-child { width: 32%; }
  th:nth-child(2) { width: 20%; }
  th:nth-child(2):nth-last-child(3) { width: 4.5rem; }
  th:nth-child(3):nth-last-child(2) { width: 18%; }
  tbody th .mark { display: block; }
  .nested > td { padding: 0 0 0.5rem; }
  .nested table { width: calc(100% - 0.25rem); margin-left: 0.25rem; border-collapse: separate; border-spacing: 0; }
  /* Hidden, because the outer table has the same headings; they still set the widths. */
  .nested thead th { padding-block: 0; font-size: 0; line-height: 0; }
  .nested tbody tr:not(:first-child, .nested) > * { border-top: 1px solid var(--line); }
  .refusals { grid-template-columns: 1fr 1fr; }
}

@media (min-width: 60rem) {
  html { scroll-padding-top: 1rem; }
  body { display: grid; grid-template-columns: 18.5rem minmax(0, 1fr); }
  .side { height: 100vh; display: flex; flex-direction: column; border: 0; border-right: 1px solid var(--line); }
  .side header { padding: 1rem 1.5rem; }
  .open, nav .close { display: none; }
  nav, nav:target { display: block; position: static; flex: 1; overflow-y: auto; padding: 0 1.5rem 3rem; }
  nav li a { padding: 0.25rem 0; }
  .group:nth-of-type(2) { margin-top: 0.25rem; }
  main { max-width: 62rem; padding-inline: clamp(2rem, 5vw, 4rem); }
}

@media (min-width: 100rem) {
  main { max-width: 98rem; }
  .endpoint { display: grid; grid-template: auto 1fr / minmax(0, 1fr) minmax(30rem, 38%); column-gap: 3rem; }
  .endpoint .example { grid-area: 1 / 2 / 3 / 3; align-self: start; position: sticky; top: 1.5rem; }
  .endpoint .example h4 { margin-top: 0.375rem; }
  .resource { max-width: 54rem; }
}

@media print {
  .side, .skip { display: none; }
  .endpoint { break-inside: auto; }
  h2, h3, h4 { break-after: avoid; }
}
`.trimStart()
