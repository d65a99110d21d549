import { type Html, html } from '../../html/html.ts'
import type { OpenApiOperation } from '../openapi.ts'
import { code, listed, prose } from './markup.ts'
import { notesOn } from './notes.ts'
import { anchorOf } from './operations.ts'
import { type Field, readShape, type Shape } from './shape.ts'

/** A request marks required fields, an answer marks optional ones. */
export type Direction = 'request' | 'answer'

/** A whole body: a table of its fields, or its type if it has none. */
export function bodyView(shape: Shape, direction: Direction): Html {
  if (shape.kind === 'object' && shape.fields.length > 0) return fieldTable(shape.fields, direction)
  return html`<p>${typeText(shape)}${shape.description !== undefined && html`: ${prose(shape.description)}`}</p>
    ${membersOf(shape).map((fields) => fieldTable(fields, direction))}`
}

function fieldTable(fields: readonly Field[], direction: Direction): Html {
  return table(
    ['Field', 'Type', 'Description'],
    fields.map((field) => fieldRows(field, direction)),
  )
}

export function parameterTable(parameters: OpenApiOperation['parameters']): Html {
  return table(
    ['Parameter', 'In', 'Type', 'Description'],
    parameters.map(({ name, in: place, required, description, schema }) => {
      const read = readShape(schema)
      // A path parameter cannot be empty, so its minimum length is not shown.
      const shape = { ...read, description, minLength: place === 'path' ? undefined : read.minLength }
      return row(html`${code(name)}${required && mark('required')}`, [
        html`${place}`,
        typeText(shape),
        explanation(shape, 'request'),
      ])
    }),
  )
}

/** The explicit roles keep it a table for screen readers where a narrow screen shows cells as blocks. */
function table(headings: readonly string[], rows: readonly Html[]): Html {
  return html`<table role="table">
    <thead role="rowgroup"><tr role="row">
      ${headings.map((heading) => html`<th role="columnheader" scope="col">${heading}</th>`)}
    </tr></thead>
    <tbody role="rowgroup">
      ${rows}
    </tbody>
  </table>`
}

function row(name: Html, cells: readonly Html[]): Html {
  return html`<tr role="row"><th role="rowheader" scope="row">${name}</th>${cells.map((cell) => html`<td role="cell">${cell}</td>`)}</tr>
  `
}

function fieldRows({ name, isRequired, shape }: Field, direction: Direction): Html {
  const isMarked = isRequired === (direction === 'request')
  const own = row(html`${code(name)}${isMarked && mark(isRequired ? 'required' : 'optional')}`, [
    typeText(shape),
    explanation(shape, direction),
  ])
  const members = membersOf(shape)
  if (members.length === 0) return own
  // Nested request fields start open, because callers need all of them. Nested answer fields start closed.
  const opening = direction === 'request' ? html`<details open>` : html`<details>`
  return html`${own}<tr role="row" class="nested"><td role="cell" colspan="3">
    ${members.map((fields) => html`${opening}<summary>${nestedTitle(name, fields)}</summary>${fieldTable(fields, direction)}</details>`)}
  </td></tr>
  `
}

function nestedTitle(name: string, fields: readonly Field[]): Html {
  return html`${fields.length} ${fields.length === 1 ? 'field' : 'fields'} of ${code(name)}`
}

/** The nested fields, one list for each alternative. Named resources have their own section. */
function membersOf(shape: Shape): Field[][] {
  switch (shape.kind) {
    case 'list':
      return membersOf(shape.items)
    case 'choice':
      return shape.options.flatMap(membersOf)
    case 'object':
      if (shape.fields.length > 0) return [shape.fields]
      return shape.values ? membersOf(shape.values) : []
    default:
      return []
  }
}

function typeText(shape: Shape): Html {
  return shape.isNullable ? html`${bareType(shape)} or null` : bareType(shape)
}

function bareType(shape: Shape): Html {
  switch (shape.kind) {
    case 'resource':
      return resourceLink(shape.name)
    case 'list':
      return html`array of ${typeText(shape.items)}`
    case 'object':
      return shape.values ? html`object of ${typeText(shape.values)}` : html`object`
    case 'choice':
      return listed(shape.options.map(typeText), 'or')
    case 'plain':
      return shape.format === undefined ? html`${shape.type}` : html`${shape.type}, ${shape.format}`
  }
}

export function resourceLink(name: string): Html {
  return html`<a href="#${anchorOf('resource', name)}">${name}</a>`
}

function explanation(shape: Shape, direction: Direction): Html {
  // The example of the resource shows an answer's examples together.
  const notes = notesOn(shape, { withExamples: direction === 'request' })
  return html`${shape.description !== undefined && prose(shape.description)}
    ${notes.length > 0 && html`<span class="notes">${notes.map((note) => html`${note} `)}</span>`}`
}

function mark(word: string): Html {
  return html` <span class="mark ${word}">${word}</span>`
}
