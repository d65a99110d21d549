import type { OpenApiDocument } from './openapi.ts'
export function renderReference(document: OpenApiDocument): { html: string; css: string } {
  return { html: document.info.title, css: '' }
}
