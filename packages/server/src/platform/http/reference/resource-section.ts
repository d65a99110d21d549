import { type Html, html } from '../../html/html.ts'
import { bodyView } from './field-table.ts'
import { code, prose } from './markup.ts'
import { anchorOf } from './operations.ts'
import { type Resources, sampleOf } from './sample.ts'
import type { Shape } from './shape.ts'

export function resourceSection(name: string, shape: Shape, resources: Resources): Html {
  const anchor = anchorOf('resource', name)
  return html`<article class="resource" id="${anchor}">
    <h3><a href="#${anchor}">${name}</a></h3>
    ${shape.kind === 'object' && shape.description !== undefined && html`<p>${prose(shape.description)}</p>`}
    ${bodyView(shape, 'answer')}
    <details><summary>Example</summary><pre>${code(JSON.stringify(sampleOf(shape, resources), null, 2))}</pre></details>
  </article>
  `
}
