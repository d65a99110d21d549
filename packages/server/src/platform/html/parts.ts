import { type Html, html, type Interpolated } from './html.ts'

type Tone = 'good' | 'warn' | 'bad' | 'info' | 'plain'

/** A short word with a colour. The word alone carries the meaning. */
export function badge(word: string, tone: Tone): Html {
  return html`<span class="badge ${tone}">${word}</span>`
}

/** A table that scrolls sideways on a narrow screen. */
export function table(headings: readonly string[], rows: readonly (readonly Interpolated[])[]): Html {
  return html`<div class="table" tabindex="0" role="region" aria-label="Table"><table>
    <thead><tr>${headings.map((heading) => html`<th scope="col">${heading}</th>`)}</tr></thead>
    <tbody>${rows.map((cells) => html`<tr>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody>
    </table></div>`
}

/** Names with their values. */
export function facts(pairs: readonly (readonly [name: string, value: Interpolated])[]): Html {
  return html`<dl class="facts">${pairs.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`
}

type Field = { name: string; label: string; value?: string | number; type?: 'text' | 'number'; hint?: string }

/** A form that posts to an action. A field without a label of its own is sent as it is. */
export function actionForm(options: {
  action: string
  button: string
  fields?: readonly Field[]
  hidden?: Readonly<Record<string, string | number>>
  isDangerous?: boolean
}): Html {
  const { action, button, fields = [], hidden = {}, isDangerous = false } = options
  return html`<form method="post" action="${action}">
    ${Object.entries(hidden).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
    ${fields.map(
      ({ name, label, value, type = 'text', hint }) => html`<label>${label}
        <input type="${type}" name="${name}" value="${value ?? ''}" autocomplete="off">
        ${hint !== undefined && html`<small>${hint}</small>`}</label>`,
    )}
    <button class="${isDangerous ? 'danger' : 'plain'}">${button}</button>
    </form>`
}
