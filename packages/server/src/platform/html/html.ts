export type Interpolated = string | number | Markup | undefined | false | readonly Interpolated[]
export type Html = Markup

/**
 * A template in which every value is escaped unless it is markup made by this function, so that no string can inject a tag.
 * Keeps line breaks between tags and drops indentation.
 */
export function html(literals: TemplateStringsArray, ...values: Interpolated[]): Html {
  const tidy = literals.map((literal) => literal.replace(/\n\s+/g, '\n'))
  return new Markup(tidy.map((literal, index) => literal + write(values[index])).join(''))
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
