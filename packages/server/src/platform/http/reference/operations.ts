import type { OpenApiDocument, OpenApiOperation } from '../openapi.ts'

export type Operation = OpenApiOperation & { anchor: string; method: string; path: string }
export type OperationGroup = { tag: string; anchor: string; operations: Operation[] }

/** Groups operations by their first tag, in the document's order of tags. */
export function groupOperations(document: OpenApiDocument): OperationGroup[] {
  const operations = listOperations(document)
  const tags = new Set([...document.tags.map(({ name }) => name), ...operations.map(tagOf)])
  return [...tags]
    .map((tag) => ({
      tag,
      anchor: anchorOf('tag', tag),
      operations: operations.filter((operation) => tagOf(operation) === tag),
    }))
    .filter((group) => group.operations.length > 0)
}

function listOperations({ paths }: OpenApiDocument): Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      path,
      method: method.toUpperCase(),
      anchor: anchorOf('', operation.operationId),
    })),
  )
}

function tagOf({ tags }: Operation): string {
  return tags[0] ?? 'Other'
}

/** The prefix separates tags, resources and operations with the same name. */
export function anchorOf(prefix: '' | 'tag' | 'resource', name: string): string {
  return [prefix, name.replace(/[^\w-]+/g, '-')].filter(Boolean).join('-')
}
