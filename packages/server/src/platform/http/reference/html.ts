type Interpolated = string | number | Markup | undefined | false | readonly Interpolated[]
export type Html = Markup

/**
 * A template in which every value is escaped unless it is markup made by this function, so that no string can inject a tag.
 * Keeps line breaks between tags and drops indentation.
 */
export function html(literals: TemplateStringsArray, ...values: Interpolated[]): Html {
  const tidy = literals.map((literal) => literal.replace(/\n\s+/g, '\n'))
  return new Markup(tidy.map((literal, index) => literal + write(values[index])).join(''))
}

/** Text in which `backticks` mark code. */
export function prose(text: string): Html {
  const pieces = text.split(/`([^`]+)`/)
  return html`${pieces.map((piece, index) => (index % 2 === 1 ? code(piece) : piece))}`
}

export function code(text: string): Html {
  return html`<code>${text}</code>`
}

/** A JSON value in one line, as it would be sent. */
export function jsonCode(value: unknown): Html {
  return code(JSON.stringify(value) ?? '')
}

/** A path that can wrap after each slash, with its parameters highlighted. */
export function pathCode(path: string): Html {
  const steps = path.split(/(?<=\/)/).map((step) => step.split(/(\{\w+\})/))
  const marked = steps.map((pieces) =>
    pieces.map((piece, index) => (index % 2 === 1 ? html`<var>${piece}</var>` : piece)),
  )
  return html`<code>${marked.map((step) => html`${step}<wbr>`)}</code>`
}

export function methodBadge(method: string): Html {
  return html`<b class="method ${method.toLowerCase()}">${method}</b>`
}

export function listed(items: readonly Html[], conjunction: string): Html {
  return html`${items.map((item, index) => html`${index === 0 ? '' : index === items.length - 1 ? ` ${conjunction} ` : ', '}${item}`)}`
}

/** A class, so that an object from a document cannot imitate markup. */
class Markup {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
  toString(): string {
    return this.text
  }
}

function write(value: Interpolated): string {
  if (value === undefined || value === false) return ''
  if (value instanceof Markup) return value.text
  if (typeof value === 'object') return value.map(write).join('')
  return String(value).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
