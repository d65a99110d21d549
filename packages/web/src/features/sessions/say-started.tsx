import { ButtonLink } from '../../shared/kit/button.tsx'
import type { Toasts } from '../../shared/kit/toasts.tsx'
import { nameOfSession } from './name-of-session.ts'

/** Says where a session is that was started, to a person who stays where they are. */
export function sayStarted(toasts: Toasts, session: Parameters<typeof nameOfSession>[0] & { id: number }): void {
  toasts.say(`Started “${nameOfSession(session)}”`, {
    link: (
      <ButtonLink size="sm" to="/sessions/$id" params={{ id: String(session.id) }}>
        Open
      </ButtonLink>
    ),
  })
}
