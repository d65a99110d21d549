import { combine } from '@atlaskit/pragmatic-drag-and-drop/combine'
import { draggable, dropTargetForElements } from '@atlaskit/pragmatic-drag-and-drop/element/adapter'
import type { CardPlace } from './move-card.ts'

/** Makes a row draggable and a place to drop another one. Answers how to stop. */
export type AttachRow = (element: HTMLElement, row: { id: number; key: string }) => () => void
/** A heading takes rows and other sections. */
export type AttachSection = (element: HTMLElement, key: string) => () => void

type Drops = {
  onCard: (id: number, to: CardPlace) => void
  onSection: (key: string, beforeKey: string) => void
  /** Whether a row may leave its section. */
  reach: 'anywhere' | 'inside'
}

/** Marks are attributes of the elements: nothing renders while a row is dragged. */
export function createDrag({ onCard, onSection, reach }: Drops): {
  attachRow: AttachRow
  attachSection: AttachSection | undefined
} {
  return {
    attachRow: (element, { id, key }) =>
      combine(
        draggable({
          element,
          getInitialData: () => ({ id, key }),
          onDragStart: () => element.setAttribute('data-dragged', ''),
          onDrop: () => element.removeAttribute('data-dragged'),
        }),
        dropTarget(element, ({ id: dragged, key: from }) => {
          if (reach === 'inside' && from !== key) return undefined
          if (typeof dragged === 'number' && dragged !== id) return () => onCard(dragged, { key, beforeId: id })
        }),
      ),
    attachSection:
      reach === 'inside'
        ? undefined
        : (element, key) =>
            combine(
              draggable({ element, getInitialData: () => ({ section: key }) }),
              dropTarget(element, ({ id, section }) => {
                if (typeof id === 'number') return () => onCard(id, { key })
                if (typeof section === 'string' && section !== key) return () => onSection(section, key)
              }),
            ),
  }
}

function dropTarget(
  element: HTMLElement,
  dropOf: (dragged: Record<string | symbol, unknown>) => (() => void) | undefined,
): () => void {
  const mark = () => element.setAttribute('data-drop', '')
  const unmark = () => element.removeAttribute('data-drop')
  return dropTargetForElements({
    element,
    canDrop: ({ source }) => dropOf(source.data) !== undefined,
    onDragEnter: mark,
    onDragLeave: unmark,
    onDrop: ({ source }) => {
      unmark()
      dropOf(source.data)?.()
    },
  })
}
