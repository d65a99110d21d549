import { memo, type ReactNode } from 'react'
import { part } from '../../shared/kit/part.tsx'
import { MessageRow } from './message-row.tsx'
import { useOpenRow } from './open-rows.ts'
import type { Located } from './rows.ts'
import { Disclosure, ToolGroup } from './tool-rows.tsx'
import type { TranscriptRowProps } from './transcript-row-props.ts'
import { TurnRow } from './turn-row.tsx'

const PartText = part(() => import('./part-text.tsx'))
const SubagentRow = part(() => import('./subagent-row.tsx'), <div className="h-9.5 rounded-lg border border-line" />)

/** Not drawn again while its row and its turn are the same objects, as when an entry is added below or someone scrolls. */
export const TranscriptRow = memo(function TranscriptRow(props: TranscriptRowProps): ReactNode {
  const { row, turn, newestTurn, isLast } = props
  switch (row.type) {
    case 'turn':
      return <TurnRow number={row.number} turn={turn} newest={newestTurn} />
    case 'message':
      return <MessageRow row={row} />
    case 'tools':
      return <ToolGroup id={row.key} items={row.items} isLast={isLast} />
    case 'subagent':
      return <SubagentRow row={row} Row={TranscriptRow} />
    case 'block':
      return <Block id={row.key} text={row.text} />
  }
})

/** An image, or something of a kind that the service does not know. */
function Block({ id, text }: { id: string; text: Located }): ReactNode {
  const [isOpen, toggle] = useOpenRow(id)
  if (text.part.type === 'image') return <p className="px-1 text-muted text-sm">[An image]</p>
  return (
    <div id={`e${text.sequence}`}>
      <Disclosure isOpen={isOpen} onToggle={toggle}>
        <span className="min-w-0 truncate">Other entry</span>
      </Disclosure>
      {isOpen && (
        <div className="my-1 ml-5 rounded-md border border-line bg-surface">
          <PartText located={text} />
        </div>
      )}
    </div>
  )
}
