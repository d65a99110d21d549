import { leadingWords } from '../../platform/whole-words.ts'
import type { Content, ToolContent } from './messages.ts'

/** Transcripts hold only text: other content becomes a placeholder. */
export function describeContent({ type, text, mimeType, uri }: Content): string {
  if (type === 'text') return text ?? ''
  return `[${[type, mimeType, uri].filter(Boolean).join(' ')}]`
}

/** A tool's output as text; a diff as signed lines. */
export function describeToolContent({ type, content, path, oldText, newText }: ToolContent): string {
  if (type === 'content' && content) return describeContent(content)
  if (type !== 'diff') return ''
  return [`${path ?? ''}`, ...signedLines('-', oldText), ...signedLines('+', newText)].join('\n')
}

function signedLines(sign: string, text: string | null | undefined): string[] {
  return text ? text.split('\n').map((line) => `${sign} ${line}`) : []
}

/** Transcripts are redacted when they are stored. */
export function cut(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text
  const start = leadingWords(text, maxCharacters)
  return `${start}… [${text.length - start.length} more characters]`
}
