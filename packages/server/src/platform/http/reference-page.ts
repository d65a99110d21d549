import { html } from '../html/html.ts'
import type { OpenApiDocument } from './openapi.ts'
import type { Caller } from './reference/curl.ts'
import { endpointSection } from './reference/endpoint-section.ts'
import { chapters, introduction } from './reference/introduction.ts'
import { navigation } from './reference/navigation.ts'
import { groupOperations } from './reference/operations.ts'
import { commonRefusals } from './reference/refusals.ts'
import { resourceSection } from './reference/resource-section.ts'
import { readShape } from './reference/shape.ts'
import { stylesheet } from './reference/stylesheet.ts'

/** Renders the OpenAPI document as an HTML page with one stylesheet and no script. */
export function renderReference(document: OpenApiDocument): { html: string; css: string } {
  const groups = groupOperations(document)
  const operations = groups.flatMap((group) => group.operations)
  const resources = new Map(
    Object.entries(document.components.schemas).map(([name, schema]) => [name, readShape(schema)]),
  )
  const caller = callerOf(document)
  const basePath = document.servers[0]?.url ?? ''
  const common = commonRefusals(operations)
  const page = html`<!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${document.info.title}: API reference</title>
    <link rel="stylesheet" href="/docs/reference.css">
    </head>
    <body id="top">
    <a class="skip" href="#main">Skip to the reference</a>
    <div class="side">
      <header>
        <a class="home" href="#top">${document.info.title}</a>
        <a class="open" href="#contents">Contents</a>
      </header>
      ${navigation({ chapters: chapters(operations), groups, resourceNames: [...resources.keys()] })}
    </div>
    <main id="main">
      ${introduction(document, { operations, caller, basePath, resources, common })}
      ${groups.map(
        (group) => html`<section>
          <h2 id="${group.anchor}">${group.tag}</h2>
          ${group.operations.map((operation) => endpointSection(operation, { caller, resources, common }))}
        </section>`,
      )}
      <section>
        <h2 id="resources">Resources</h2>
        <p>The objects in the answers above.</p>
        ${[...resources].map(([name, shape]) => resourceSection(name, shape, resources))}
      </section>
    </main>
    </body>
    </html>
    `
  return { html: page.toString(), css: stylesheet }
}

/** The default address of the service, for a document whose server URL is only a path. */
const defaultOrigin = 'http://127.0.0.1:3000'

function callerOf({ servers, components }: OpenApiDocument): Caller {
  const base = servers[0]?.url ?? ''
  const { name } = components.securitySchemes.apiKey ?? {}
  return {
    base: base.startsWith('/') || base === '' ? defaultOrigin + base : base,
    keyHeader: typeof name === 'string' ? name : 'X-API-Key',
  }
}
