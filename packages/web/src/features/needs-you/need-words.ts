import type { IconName } from '../../shared/kit/icon.tsx'
import { readable } from '../../shared/kit/readable.ts'
import type { NeedySession } from './use-needs-you.ts'

type Need = NonNullable<NeedySession['card']['needs_you']>

const words: Record<Need, { icon: IconName; word: string; color: string }> = {
  question: { icon: 'message-circle-question-mark', word: 'Asks you', color: 'text-needs' },
  oauth_required: { icon: 'plug', word: 'Needs a sign-in', color: 'text-needs' },
  failed: { icon: 'octagon-x', word: 'Failed', color: 'text-failed' },
  needs_input: { icon: 'circle-check', word: 'Done, unread', color: 'text-ok' },
}

/** Why a session waits for a person, and the line that says most about it. */
export function needOf({ card, elicitations, oauth_required_servers = [] }: NeedySession): {
  kind: Need
  icon: IconName
  word: string
  color: string
  text: string
} {
  const kind = card.needs_you ?? 'needs_input'
  const texts: Record<Need, string | undefined> = {
    question: elicitations[0]?.message,
    oauth_required: oauth_required_servers.map(({ server_name }) => server_name).join(', '),
    failed: card.failure,
    needs_input: card.last_line,
  }
  return { kind, ...words[kind], text: readable(texts[kind] ?? '') }
}

/** A question that is answered by yes or no, without a form. */
export function isPlain({ requested_schema }: NeedySession['elicitations'][number]): boolean {
  return Object.keys((requested_schema?.properties as object | undefined) ?? {}).length === 0
}
