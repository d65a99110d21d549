import { randomBytes } from 'node:crypto'

/** Text that others wrote, fenced by a random tag, which no text can close. The prompt names the tag to its agent. */
export function quoted(conversation: string): { tag: string; block: string } {
  const tag = `conversation-${randomBytes(16).toString('hex')}`
  return { tag, block: `<${tag}>\n${conversation}\n</${tag}>` }
}
