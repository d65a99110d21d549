import type { Page } from '@yardmaster/contract/paging'
import { type Selectable, sql } from 'kysely'
import type { Database } from '../../platform/db/database.ts'
import type { Paged } from '../../platform/db/select-page.ts'
import type { Tables } from '../../platform/db/tables.ts'

type Columns =
  | 'source'
  | 'state'
  | 'outcome'
  | 'failure_reason'
  | 'withdrawn_by'
  | 'trigger_id'
  | 'created_at'
  | 'dispatched_at'
  | 'started_at'
  | 'ended_at'

export type ListedTurn = Pick<Selectable<Tables['turns']>, Columns> & {
  number: number
  /** When the next turn was dispatched. */
  next_dispatched_at: Date | null
  author_key: string | null
  author_name: string | null
}

/** A person's message is recorded with the prompt that it becomes; the two are written by two clocks. */
const sameMomentSeconds = 5

/**
 * The latest first. A prompt is a person's if it holds a message of that person to the session from the moment in which it was
 * accepted.
 */
export async function selectTurnPage(
  db: Database,
  sessionId: number,
  { page, perPage }: Page,
): Promise<Paged<ListedTurn>> {
  const [{ rows }, { total }] = await Promise.all([
    sql<ListedTurn>`
      select turn.sequence as number, turn.source, turn.state, turn.outcome, turn.failure_reason, turn.withdrawn_by,
        turn.trigger_id, turn.created_at, turn.dispatched_at, turn.started_at, turn.ended_at,
        (
          select later.dispatched_at
          from turns as later
          where later.session_id = turn.session_id
            and later.sequence > turn.sequence
            and later.dispatched_at is not null
          order by later.sequence
          limit 1
        ) as next_dispatched_at,
        author.author_key,
        author.display_name as author_name
      from turns as turn
      left join enqueued_messages as message on message.id = turn.message_id
      left join lateral (
        select said.author_key, people.display_name
        from human_messages as said
        left join people on people.key = said.author_key
        where said.session_id = turn.session_id
          and said.content <> ''
          and said.occurred_at between coalesce(message.created_at, turn.created_at) - make_interval(secs => ${sameMomentSeconds})
            and coalesce(message.created_at, turn.created_at) + make_interval(secs => ${sameMomentSeconds})
          and strpos(turn.prompt, said.content) > 0
        order by said.occurred_at desc, said.id desc
        limit 1
      ) as author on true
      where turn.session_id = ${sessionId}
      order by turn.sequence desc
      limit ${perPage}
      offset ${(page - 1) * perPage}
    `.execute(db),
    db
      .selectFrom('turns')
      .select(({ fn }) => fn.countAll<number>().as('total'))
      .where('session_id', '=', sessionId)
      .executeTakeFirstOrThrow(),
  ])
  return { rows, totalCount: total }
}
