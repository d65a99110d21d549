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

export type Field = {
  name: string
  label: string
  value?: string | number
  /** `area`: several lines. `password`: what is typed is not shown. */
  type?: 'text' | 'number' | 'area' | 'password'
  /** The values to choose from, with the words for them. */
  choices?: readonly (readonly [value: string, label: string])[]
  hint?: string
  /** Why the value was refused. */
  problem?: string
}

type Form = {
  action: string
  button: string
  fields?: readonly Field[]
  hidden?: Readonly<Record<string, string | number>>
  isDangerous?: boolean
}

/** A form that posts to an action. */
export function actionForm(form: Form): Html {
  return renderForm(form, 'post')
}

/** A form that only asks: what was filled in becomes part of the address. */
export function queryForm(form: Form): Html {
  return renderForm(form, 'get')
}

function renderForm({ action, button, fields = [], hidden = {}, isDangerous = false }: Form, method: string): Html {
  return html`<form method="${method}" action="${action}">
    ${Object.entries(hidden).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
    ${fields.map((field) => renderField(field, `${method}-${action}-${field.name}`.replace(/[^\w]+/g, '-')))}
    <button class="${isDangerous ? 'danger' : 'plain'}">${button}</button>
    </form>`
}

function renderField(field: Field, id: string): Html {
  const { label, type, hint, problem } = field
  return html`<div class="${type === 'area' ? 'field wide' : 'field'}">
    <label for="${id}">${label}</label>
    ${control(field, id)}
    ${problem !== undefined && html`<small class="problem" id="${id}-problem">${problem}</small>`}
    ${hint !== undefined && html`<small id="${id}-hint">${hint}</small>`}
    </div>`
}

function control({ name, value = '', type = 'text', choices, hint, problem }: Field, id: string): Html {
  const about = [problem !== undefined && `${id}-problem`, hint !== undefined && `${id}-hint`].filter(Boolean).join(' ')
  const attributes = html`id="${id}" name="${name}"
    ${about !== '' && html` aria-describedby="${about}"`}${problem !== undefined && html` aria-invalid="true"`}`
  if (choices)
    return html`<select ${attributes}>${choices.map(
      ([each, label]) => html`<option value="${each}"${each === String(value) && html` selected`}>${label}</option>`,
    )}</select>`
  // A browser drops the first line break in a text area, so one is added.
  if (type === 'area') return html`<textarea ${attributes} rows="6" spellcheck="false">\n${value}</textarea>`
  // A browser ignores `off` for passwords, and would offer the one of the operator.
  const autocomplete = type === 'password' ? 'new-password' : 'off'
  return html`<input type="${type}" ${attributes} value="${value}" autocomplete="${autocomplete}">`
}

/** What happened, or what is wrong. */
export function notice(sentences: Interpolated, tone: Tone): Html {
  return html`<p class="notice ${tone}" role="${tone === 'bad' ? 'alert' : 'status'}">${sentences}</p>`
}

/** A moment, with how long ago it was. */
export function moment(time: Date | null, now: Date): Html {
  if (time === null) return html`<span class="soft">never</span>`
  const iso = time.toISOString()
  return html`<time datetime="${iso}" title="${iso}">${relative(time, now)}</time>`
}

function relative(time: Date, now: Date): string {
  const seconds = (now.getTime() - time.getTime()) / 1000
  return seconds >= 0 ? `${duration(seconds)} ago` : `in ${duration(-seconds)}`
}

/** A length of time in its largest unit: `40 s`, `12 min`, `5 h`, `3 d`. */
export function duration(seconds: number): string {
  if (seconds < 90) return `${Math.round(seconds)} s`
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`
  return seconds < 129_600 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} d`
}

/**
 * A text from outside. Characters that reorder or hide other text, and controls, are shown as their code points: with them a
 * title could imitate another part of the page.
 */
export function foreignText(text: string, limit = 20_000): Html {
  const shown = text.length > limit ? text.slice(0, limit) : text
  const parts = shown.split(unseen).map((part, index) => (index % 2 === 0 ? part : codePoint(part)))
  const more = text.length - shown.length
  return html`<bdi>${parts}</bdi>${more > 0 && html` <span class="soft">… ${more} more characters</span>`}`
}

/** Without line breaks, tabs and the joiners that some scripts and emoji are written with. */
const unseen = /((?![\t\n\r\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}])/u

function codePoint(character: string): Html {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
  return html`<span class="control">U+${code}</span>`
}
