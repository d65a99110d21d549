import type { Field, Shape } from './shape.ts'

export type Resources = ReadonlyMap<string, Shape>

/** A value that fits the shape: its example if it has one, else a simple value. */
export function sampleOf(shape: Shape, resources: Resources, name = 'text', within: readonly string[] = []): unknown {
  const [example = shape.default ?? shape.allowed?.[0]] = shape.examples
  if (example !== undefined) return example
  if (shape.isNullable) return null
  switch (shape.kind) {
    case 'resource': {
      const resource = resources.get(shape.name)
      // Stops the recursion of a resource that contains itself.
      return resource && !within.includes(shape.name)
        ? sampleOf(resource, resources, name, [...within, shape.name])
        : {}
    }
    case 'list': {
      const isCircular = shape.items.kind === 'resource' && within.includes(shape.items.name)
      return isCircular ? [] : [sampleOf(shape.items, resources, name, within)]
    }
    case 'object':
      return Object.fromEntries(
        shape.fields.map((field) => [field.name, sampleOf(field.shape, resources, field.name, within)]),
      )
    case 'choice': {
      const [first] = shape.options
      return first ? sampleOf(first, resources, name, within) : null
    }
    case 'plain':
      return plainSample(shape, name)
  }
}

/** A short request body: required fields and fields with an example. */
export function sampleBody(shape: Shape, resources: Resources): unknown {
  if (shape.kind !== 'object') return sampleOf(shape, resources)
  const relevant = shape.fields.filter(({ isRequired, shape: { examples } }) => isRequired || examples.length > 0)
  const chosen = relevant.length > 0 ? relevant : [shape.fields.find(hasClearSample) ?? shape.fields[0]]
  return Object.fromEntries(
    chosen.flatMap((field) => (field ? [[field.name, sampleOf(field.shape, resources, field.name)]] : [])),
  )
}

function hasClearSample({ shape }: Field): boolean {
  return shape.allowed !== undefined || (shape.kind === 'plain' && shape.type !== 'string' && !shape.isNullable)
}

function plainSample(shape: Shape & { kind: 'plain' }, name: string): unknown {
  switch (shape.type) {
    case 'boolean':
      return true
    case 'integer':
    case 'number':
      return isIdName(name) ? 42 : Math.min(Math.max(shape.minimum ?? 1, 1), shape.maximum ?? 1)
    case 'string':
      return formatSamples[shape.format ?? ''] ?? (isIdName(name) ? '42' : name.replaceAll('_', ' '))
    default:
      return null
  }
}

const formatSamples: Record<string, string> = {
  'date-time': '2026-08-22T18:09:42Z',
  date: '2026-08-22',
  uri: 'https://example.com/',
  email: 'someone@example.com',
  uuid: '0b6c1f3e-5d0a-4c4e-9a53-6f2d1c7e8b90',
}

function isIdName(name: string): boolean {
  return /(^|_)ids?$/.test(name)
}
