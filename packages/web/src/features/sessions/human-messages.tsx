import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Time } from '../../shared/kit/time.tsx'
import type { Shown } from './session-facts.ts'

/** What named people said anywhere in the family, so that a reader knows what was really asked for. */
export function HumanMessages({ shown }: { shown: Shown }): ReactNode {
  const { human_messages: messages, human_message_capture_gaps: gaps } = shown
  return (
    <>
      {messages.length === 0 && <p className="text-muted text-sm">None are recorded.</p>}
      <ul className="flex flex-col gap-2">
        {messages.map((message) => (
          <li key={`${message.authored_in_session_id}-${message.occurred_at}-${message.content.slice(0, 40)}`}>
            <p className="flex flex-wrap items-center gap-x-1.5 text-muted text-sm">
              <span className="font-medium text-text">{message.author_display_name}</span>
              {message.origin === 'elsewhere' && (
                <Link
                  to="/sessions/$id"
                  params={{ id: String(message.authored_in_session_id) }}
                  className="min-w-0 truncate leading-6 underline"
                >
                  {message.authored_in}
                </Link>
              )}
              <span>{message.channel_label}</span>
              <Time at={message.occurred_at} />
            </p>
            <p className="line-clamp-6 whitespace-pre-wrap break-words">{message.content}</p>
          </li>
        ))}
      </ul>
      {gaps.map(({ channel, reason, remedy }) => (
        <p key={channel} className="mt-1 text-muted text-sm">
          {reason} {remedy}
        </p>
      ))}
    </>
  )
}
