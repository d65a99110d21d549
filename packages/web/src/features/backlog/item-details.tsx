import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useRead } from '../../shared/api/hooks.ts'
import { Code, Copyable, CopyButton } from '../../shared/kit/copy-button.tsx'
import { Dialog } from '../../shared/kit/dialog.tsx'
import { Facts } from '../../shared/kit/facts.tsx'
import { ErrorNote } from '../../shared/kit/notes.tsx'
import { Time } from '../../shared/kit/time.tsx'
import type { Item } from './rank.ts'

/** Everything that is known about an item: where it came from, what was decided, how it ended. */
export function ItemDetails({ item: shown, onClose }: { item: Item; onClose: () => void }): ReactNode {
  const { data, error } = useRead('work_backlog_items.show', { id: String(shown.id) })
  const item = data?.work_backlog_item ?? shown
  return (
    <Dialog title={item.title} width="lg" isOpen onClose={onClose}>
      <div className="flex flex-col gap-4">
        <ErrorNote error={error} />
        <Facts
          of={[
            ['Key', <Code key="key">{item.key}</Code>],
            ['Repository', item.repo && <Code label="repository">{item.repo}</Code>],
            ['Surface', item.surface],
            ['Kind', `${item.kind}, ${item.scope_direction}`],
            ['Cost', item.estimated_cost],
            ['Rank', `${item.precedence}${item.pinned ? ', pinned' : ''}`],
            ['Position', item.position],
            ['Issue', item.issue_url && <Outside to={item.issue_url} />],
            ['State of the issue', item.issue_url && livenessOf(item)],
            ['Verdict of the gate', item.gate_verdict],
            ['Decided', item.decided_at],
            ['Gate session', item.gate_session && <Code label="gate session">{item.gate_session}</Code>],
          ]}
        />
        <section>
          <h3 className="mb-1 font-semibold">History</h3>
          <ol className="flex flex-col gap-1 border-line border-l pl-3">
            <li>
              Queued by {item.added_by} <Time at={item.added_at} className="text-muted" />
              {item.writing_session_id !== null && <SessionLink id={item.writing_session_id} before=" in " />}
            </li>
            {item.started_at && (
              <li>
                Started <Time at={item.started_at} className="text-muted" />
                {item.started_session_id !== null && <SessionLink id={item.started_session_id} before=" as " />}
                {item.started_by_session_id !== null && (
                  <SessionLink id={item.started_by_session_id} before=", pulled by " />
                )}
              </li>
            )}
            {item.removed_at && (
              <li>
                Removed by {item.removed_by} <Time at={item.removed_at} className="text-muted" />: {item.removal_reason}
              </li>
            )}
          </ol>
        </section>
        {item.prompt && <Text title="Prompt" text={item.prompt} />}
        {item.notes && <Text title="Notes" text={item.notes} />}
        {Object.keys(item.ratings).length > 0 && (
          <Text title="Ratings" text={JSON.stringify(item.ratings, null, 2)} isCode />
        )}
      </div>
    </Dialog>
  )
}

function livenessOf({ liveness, liveness_checked_at }: Item): ReactNode {
  return (
    <>
      {liveness}
      {liveness_checked_at && (
        <span className="text-muted">
          {' '}
          (asked <Time at={liveness_checked_at} />)
        </span>
      )}
    </>
  )
}

function SessionLink({ id, before }: { id: number; before: string }): ReactNode {
  return (
    <>
      {before}
      <Link to="/sessions/$id" params={{ id: String(id) }} className="text-accent-text hover:underline">
        session {id}
      </Link>
    </>
  )
}

function Outside({ to }: { to: string }): ReactNode {
  return (
    <Copyable value={to} label="address of the issue">
      <a href={to} target="_blank" rel="noreferrer" className="break-all text-accent-text hover:underline">
        {to}
      </a>
    </Copyable>
  )
}

function Text({ title, text, isCode = false }: { title: string; text: string; isCode?: boolean }): ReactNode {
  return (
    <section>
      <div className="mb-1 flex items-center gap-1">
        <h3 className="font-semibold">{title}</h3>
        <CopyButton value={text} label={title.toLowerCase()} />
      </div>
      <p
        className={`max-h-72 overflow-y-auto whitespace-pre-wrap break-words rounded-md bg-canvas p-3 ${isCode ? 'font-mono text-sm' : ''}`}
      >
        {text}
      </p>
    </section>
  )
}
