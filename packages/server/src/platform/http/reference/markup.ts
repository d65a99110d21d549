import { type Html, html } from '../../html/html.ts'

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
