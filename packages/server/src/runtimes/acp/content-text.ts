import type { Content, ToolContent } from './messages.ts'

/** In text, as everything in a transcript. Of a picture only that there was one. */
export function describeContent({ type, text, mimeType, uri }: Content): string {
  if (type === 'text') return text ?? ''
  return `[${[type, mimeType, uri].filter(Boolean).join(' ')}]`
}

/** What a tool has to show for itself. */
export function describeToolContent({ type, content, path, oldText, newText }: ToolContent): string {
  if (type === 'content' && content) return describeContent(content)
  if (type !== 'diff') return ''
  return [`${path ?? ''}`, ...signed('-', oldText), ...signed('+', newText)].join('\n')
}

function signed(sign: string, text: string | null | undefined): string[] {
  return text ? text.split('\n').map((line) => `${sign} ${line}`) : []
}

export function cut(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text
  return `${text.slice(0, maxCharacters)}… [${text.length - maxCharacters} more characters]`
}
