export type Entry = { role: 'user' | 'assistant' | 'other'; text: string }

/** Describes a conversation by counts and quotes, without a model. */
export function summaryOf(entries: readonly Entry[]): string {
  if (entries.length === 0) return 'Nothing has been said yet.'
  const request = lastOf(entries, 'user')
  const answer = lastOf(entries, 'assistant')
  const toolUses = entries.filter(({ text }) => text.includes('[tool_use')).length
  return [
    entries.length === 1 ? 'There is one message.' : `There are ${entries.length} messages.`,
    toolUses === 0 ? '' : `Tools were used ${toolUses === 1 ? 'once' : `${toolUses} times`}.`,
    request === '' ? '' : `The last request was "${short(request)}".`,
    answer === '' ? 'There is no answer yet.' : `The last answer was "${short(answer)}".`,
  ]
    .filter(Boolean)
    .join(' ')
}

/** Parses a transcript rendered as text, with headers such as `--- User ---`. */
export function readConversation(text: string): Entry[] {
  const entries: Entry[] = []
  for (const line of text.split('\n')) {
    const [, header] = /^--- (.+) ---$/.exec(line) ?? []
    if (header !== undefined) entries.push({ role: roleOf(header), text: '' })
    else if (!/^<\/?conversation-[0-9a-f]+>$/.test(line)) addLine(entries.at(-1), line)
  }
  return entries
}

/** Parses the agent's transcript file. Skips unreadable lines. */
export function readTranscript(jsonLines: string): Entry[] {
  return jsonLines.split('\n').flatMap((line) => {
    try {
      // Only the agent itself writes here.
      const { type, message } = JSON.parse(line) as { type: string; message: { content: unknown } }
      return { role: roleOf(type), text: textOf(message.content) }
    } catch {
      return []
    }
  })
}

function textOf(content: unknown): string {
  if (!Array.isArray(content)) return String(content)
  return content.map(({ type, text }: { type: string; text?: string }) => text ?? `[${type}]`).join('\n')
}

function roleOf(name: string): Entry['role'] {
  const lower = name.toLowerCase()
  return lower === 'user' || lower === 'assistant' ? lower : 'other'
}

function addLine(entry: Entry | undefined, line: string): void {
  if (entry) entry.text = entry.text === '' ? line : `${entry.text}\n${line}`
}

/** The last text of that role, without tool calls and results. */
function lastOf(entries: readonly Entry[], role: Entry['role']): string {
  return entries.findLast((entry) => entry.role === role && spokenText(entry) !== '')?.text ?? ''
}

/** Empty for a tool call or result. */
export function spokenText({ text }: Entry): string {
  return text.startsWith('[tool_') ? '' : text.trim()
}

const maxQuoteCharacters = 200

function short(text: string): string {
  const line = text.trim().replace(/\s*\n\s*/g, '; ')
  return line.length <= maxQuoteCharacters ? line : `${line.slice(0, maxQuoteCharacters - 3)}...`
}
