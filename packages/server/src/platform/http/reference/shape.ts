import { z } from 'zod'
import type { JsonSchema } from '../openapi.ts'

/** A JSON Schema reduced to what the page shows: its type, whether it is nullable, and its constraints. */
export type Shape = Facts &
  (
    | { kind: 'plain'; type: string }
    | { kind: 'resource'; name: string }
    | { kind: 'list'; items: Shape }
    | { kind: 'object'; fields: Field[]; values: Shape | undefined }
    | { kind: 'choice'; options: Shape[] }
  )
export type Field = { name: string; isRequired: boolean; shape: Shape }
export type Facts = Pick<SchemaNode, 'description' | 'format' | 'pattern' | Bound> & {
  isNullable: boolean
  /** The allowed values, if the schema lists them. */
  allowed: unknown[] | undefined
  examples: unknown[]
  default?: unknown
}
type Bound = 'minimum' | 'maximum' | 'minLength' | 'maxLength' | 'minItems' | 'maxItems'
type SchemaNode = z.infer<typeof SchemaNode>

export function readShape(schema: JsonSchema): Shape {
  return shapeOf(SchemaNode.parse(schema))
}

/** The JSON Schema keywords that our documents use; others are ignored. */
const SchemaNode = z.object({
  $ref: z.string().optional(),
  type: z.union([z.string(), z.array(z.string())]).optional(),
  description: z.string().optional(),
  format: z.string().optional(),
  pattern: z.string().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
  minItems: z.number().optional(),
  maxItems: z.number().optional(),
  const: z.unknown().optional(),
  enum: z.array(z.unknown()).optional(),
  examples: z.array(z.unknown()).optional(),
  default: z.unknown().optional(),
  required: z.array(z.string()).optional(),
  get items() {
    return z.union([z.boolean(), SchemaNode]).optional()
  },
  get prefixItems() {
    return z.array(SchemaNode).optional()
  },
  get properties() {
    return z.record(z.string(), SchemaNode).optional()
  },
  get additionalProperties() {
    return z.union([z.boolean(), SchemaNode]).optional()
  },
  get anyOf() {
    return z.array(SchemaNode).optional()
  },
  get oneOf() {
    return z.array(SchemaNode).optional()
  },
  get allOf() {
    return z.array(SchemaNode).optional()
  },
})

function shapeOf(node: SchemaNode): Shape {
  if (node.allOf) return shapeOf(merged(node, node.allOf))
  if (node.$ref !== undefined) return { ...factsOf(node), kind: 'resource', name: node.$ref.replace(/^.*\//, '') }
  // A declared type takes precedence over alternatives that the converter generated.
  const alternatives = node.type === undefined ? (node.anyOf ?? node.oneOf) : undefined
  if (alternatives) return shapeOfAlternatives(node, alternatives)
  const types = typesOf(node)
  const [type = 'any', ...others] = types.filter((name) => name !== 'null')
  const facts = { ...factsOf(node), isNullable: types.includes('null') && types.length > 1 }
  if (others.length > 0) {
    const options = [type, ...others].map((name) => shapeOf({ type: name }))
    return { ...facts, kind: 'choice', options }
  }
  if (type === 'array') return { ...facts, kind: 'list', items: shapeOf(itemsOf(node)) }
  if (type === 'object') return { ...facts, kind: 'object', ...membersOf(node) }
  return { ...facts, kind: 'plain', type }
}

/** A tuple is shown as a list of what it may hold: its `items` are false. */
function itemsOf({ items, prefixItems = [] }: SchemaNode): SchemaNode {
  if (typeof items === 'object') return items
  const kinds = new Map(prefixItems.map((each) => [JSON.stringify(each), each]))
  const [first, ...others] = kinds.values()
  return others.length > 0 ? { anyOf: [...kinds.values()] } : (first ?? {})
}

/** `null` and one other alternative mean that alternative, nullable. The outer schema takes precedence. */
function shapeOfAlternatives(node: SchemaNode, alternatives: SchemaNode[]): Shape {
  const [first, ...others] = alternatives.filter(({ type }) => type !== 'null')
  const isNullable = first !== undefined && others.length + 1 < alternatives.length
  const facts = { ...factsOf(node), isNullable }
  if (first === undefined) return { ...facts, kind: 'plain', type: 'null' }
  if (others.length > 0) return { ...facts, kind: 'choice', options: [first, ...others].map(shapeOf) }
  const inner = shapeOf(first)
  // Keep only the outer examples: an inner example does not show when to send null.
  const outer = Object.fromEntries(Object.entries(facts).filter(([, fact]) => fact !== undefined))
  return { ...inner, ...outer, isNullable: isNullable || inner.isNullable }
}

function merged({ allOf: _, ...node }: SchemaNode, parts: SchemaNode[]): SchemaNode {
  const all = [...parts, node]
  return {
    ...Object.assign({}, ...all),
    properties: Object.assign({}, ...all.map(({ properties }) => properties)),
    required: all.flatMap(({ required }) => required ?? []),
  }
}

function typesOf({ type, properties, items, ...node }: SchemaNode): string[] {
  if (type !== undefined) return [type].flat()
  if (properties) return ['object']
  if (items) return ['array']
  const known = node.enum ?? (node.const === undefined ? [] : [node.const])
  return [...new Set(known.map((value) => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value)))]
}

function membersOf({ properties = {}, required = [], additionalProperties }: SchemaNode): {
  fields: Field[]
  values: Shape | undefined
} {
  return {
    fields: Object.entries(properties).map(([name, property]) => ({
      name,
      isRequired: required.includes(name),
      shape: shapeOf(property),
    })),
    // The converter writes `{}` or `true` where any value is allowed.
    values: isRestrictive(additionalProperties) ? shapeOf(additionalProperties) : undefined,
  }
}

function isRestrictive(schema: boolean | SchemaNode | undefined): schema is SchemaNode {
  return typeof schema === 'object' && Object.keys(schema).length > 0
}

function factsOf(node: SchemaNode): Facts {
  const { description, format, pattern, minLength, maxLength, minItems, maxItems } = node
  const allowed = node.enum ?? (node.const === undefined ? undefined : [node.const])
  return {
    isNullable: false,
    description,
    format,
    pattern,
    minLength,
    maxLength,
    minItems,
    maxItems,
    minimum: withoutMachineBound(node.minimum),
    maximum: withoutMachineBound(node.maximum),
    allowed: allowed?.filter((value) => value !== null),
    examples: node.examples ?? [],
    default: node.default,
  }
}

/** Drops the safe-integer range that the converter writes on every integer. */
function withoutMachineBound(bound: number | undefined): number | undefined {
  return bound !== undefined && Math.abs(bound) >= Number.MAX_SAFE_INTEGER ? undefined : bound
}
