export type Entry = { who: 'user' | 'assistant' | 'other'; text: string }

/** What a conversation is about, as far as it can be told without understanding it. */
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

/** The reading copy: `--- User ---` and what they said. */
export function readConversation(text: string): Entry[] {
  const entries: Entry[] = []
  for (const line of text.split('\n')) {
    const [, header] = /^--- (.+) ---$/.exec(line) ?? []
    if (header !== undefined) entries.push({ who: speaker(header), text: '' })
    else if (!/^<\/?conversation>$/.test(line)) addLine(entries.at(-1), line)
  }
  return entries
}

/** Its own file. A line that cannot be read tells nothing. */
export function readTranscript(jsonLines: string): Entry[] {
  return jsonLines.split('\n').flatMap((line) => {
    try {
      // Only the agent itself writes here.
      const { type, message } = JSON.parse(line) as { type: string; message: { content: unknown } }
      return { who: speaker(type), text: textOf(message.content) }
    } catch {
      return []
    }
  })
}

function textOf(content: unknown): string {
  if (!Array.isArray(content)) return String(content)
  return content.map(({ type, text }: { type: string; text?: string }) => text ?? `[${type}]`).join('\n')
}

function speaker(name: string): Entry['who'] {
  const lower = name.toLowerCase()
  return lower === 'user' || lower === 'assistant' ? lower : 'other'
}

function addLine(entry: Entry | undefined, line: string): void {
  if (entry) entry.text = entry.text === '' ? line : `${entry.text}\n${line}`
}

/** What was said; calls of tools and their results are not. */
function lastOf(entries: readonly Entry[], who: Entry['who']): string {
  return entries.findLast((entry) => entry.who === who && said(entry) !== '')?.text ?? ''
}

function said({ text }: Entry): string {
  return text.startsWith('[tool_') ? '' : text.trim()
}

const shown = 200

function short(text: string): string {
  const line = text.trim().replace(/\s*\n\s*/g, '; ')
  return line.length <= shown ? line : `${line.slice(0, shown - 3)}...`
}
