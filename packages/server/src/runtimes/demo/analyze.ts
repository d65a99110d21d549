import { type Entry, spokenText } from './summarize.ts'

type Request = { text: string; isAnswered: boolean }

/** The limits of a tree of segments. */
const maxGoalCharacters = 500
const maxChildren = 1000

/** An outcome analysis as JSON: the conversation, with a child for each request. Without a model, an answer is a success. */
export function analysisOf(entries: readonly Entry[]): string {
  const requests = requestsIn(entries).slice(0, maxChildren)
  const whole: Request = {
    text: requests[0]?.text ?? 'Nothing was asked.',
    isAnswered: requests.at(-1)?.isAnswered ?? false,
  }
  const children = requests.map((request, index) => segment(`S0.${index}`, request, []))
  return JSON.stringify({ notes: 'Written by the demo agent.', root: segment('S0', whole, children) })
}

function requestsIn(entries: readonly Entry[]): Request[] {
  const requests: Request[] = []
  for (const entry of entries) {
    const text = spokenText(entry)
    const last = requests.at(-1)
    if (entry.role === 'user' && text !== '') requests.push({ text, isAnswered: false })
    else if (entry.role === 'assistant' && last) last.isAnswered = true
  }
  return requests
}

function segment(id: string, { text, isAnswered }: Request, children: readonly object[]): object {
  return {
    id,
    trigger: { kind: 'New', source: 'user' },
    goal: { text: Array.from(text).slice(0, maxGoalCharacters).join(''), kind: 'Action' },
    outcome: isAnswered
      ? { kind: 'Success', explanation: 'The agent answered.' }
      : { kind: 'Failure', explanation: 'No answer followed.' },
    children,
  }
}
