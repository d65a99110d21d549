import { useRead } from '../../shared/api/hooks.ts'
import { useScope } from './open-rows.ts'
import type { Located } from './rows.ts'

/** The text of a part above 8 KB, which a page of entries has only the start of. */
export function useWholePart(
  { part, sequence, index }: Located,
  isWanted: boolean,
): { data: string | undefined; error: unknown; isFetching: boolean } {
  const { sessionId, thread } = useScope()
  const { data, error, isFetching } = useRead(
    'transcripts.part',
    { id: sessionId, sequence: String(sequence), n: String(index), thread },
    { isEnabled: isWanted && part.is_cut },
  )
  return { data: isWanted ? data?.part.text : undefined, error, isFetching }
}
