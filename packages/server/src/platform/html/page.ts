import { type Html, html } from './html.ts'

export type Page = {
  title: string
  /** Below the title. */
  lead?: Html | string
  body: Html
  /** Above the title: links to pages near this one. */
  near?: Html
  /** The place that the page belongs to. */
  place?: (typeof places)[number]['href']
  /** The page loads itself again after this many seconds. */
  refreshSeconds?: number
  /** An origin that the answer to a form of the page may send the browser on to. */
  formOrigin?: string
}

/** Where the stylesheet of every page is served. */
export const stylesheetPath = '/pages.css'

/** The pages that every page links to. */
const places = [
  { href: '/', label: 'Dashboard' },
  { href: '/health', label: 'Health' },
  { href: '/jobs', label: 'Jobs' },
  { href: '/supervisor', label: 'Supervisor' },
  { href: '/docs', label: 'API reference' },
] as const

/** A whole document. Pages need no script. */
export function renderPage({ title, lead, body, near, place, refreshSeconds }: Page): string {
  return html`<!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    ${refreshSeconds !== undefined && html`<meta http-equiv="refresh" content="${refreshSeconds}">`}
    <title>${title} · Yardmaster</title>
    <link rel="stylesheet" href="${stylesheetPath}">
    </head>
    <body>
    <a class="skip" href="#main">Skip to the content</a>
    <header class="top">
      <b>Yardmaster</b>
      <nav aria-label="Pages">${places.map(({ href, label }) => link(href, label, href === place))}</nav>
    </header>
    <main id="main">
      ${near}
      <h1>${title}</h1>
      ${lead !== undefined && html`<p class="lead">${lead}</p>`}
      ${body}
    </main>
    </body>
    </html>
    `.toString()
}

/** A link in a list of pages, marked if it is the page that is shown. */
export function link(href: string, label: string, isCurrent: boolean): Html {
  return html`<a href="${href}"${isCurrent && html` aria-current="page"`}>${label}</a>`
}
