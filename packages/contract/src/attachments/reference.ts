import { idAndName } from './grammar.ts'

/** How a prompt names a file: `attachment:<id>/<name>`. Free of zod, because pages use it too. */
export function referenceOf({ id, name }: { id: string; name: string }): string {
  return `attachment:${id}/${name}`
}

/** Each file that a text names, once, in the order of the text. The name is as the text has it. */
export function referencesIn(text: string): { id: string; name: string; reference: string }[] {
  const found = new Map<string, { id: string; name: string; reference: string }>()
  for (const [reference, id = '', name = ''] of text.matchAll(pattern)) {
    if (!found.has(id)) found.set(id, { id, name, reference })
  }
  return [...found.values()]
}

/** Puts another text in place of every reference. */
export function replaceReferences(
  text: string,
  replacement: (named: { id: string; name: string; reference: string }) => string,
): string {
  return text.replace(pattern, (reference: string, id: string, name: string) => replacement({ id, name, reference }))
}

const pattern = new RegExp(`attachment:${idAndName}`, 'gu')

/** The name of a file as a reference can carry it: without folders, spaces and signs that end a word in a text. */
export function attachmentName(name: string): string {
  const own = name.normalize('NFC').split(/[/\\]/).at(-1) ?? ''
  const plain = own.replace(/[^\p{L}\p{M}\p{N}._-]+/gu, '-').replace(/^[\p{M}.-]+|[.-]+$/gu, '')
  const characters = [...plain]
  if (characters.length <= maxName) return plain || 'file'
  const [extension = ''] = /\.[\p{L}\p{N}]{1,10}$/u.exec(plain) ?? []
  const kept = characters
    .slice(0, maxName - extension.length)
    .join('')
    .replace(/[.-]+$/, '')
  return `${kept}${extension}`
}

/** Four bytes a character at most, and file systems allow 255 bytes. */
const maxName = 60
