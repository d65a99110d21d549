import type { QueryClient } from '@tanstack/react-query'
import { call } from '../../shared/api/client.ts'
import { refresh, type Undo, writeInOrder } from '../../shared/api/hooks.ts'
import type { MenuItem } from '../../shared/kit/menu.tsx'
import type { useToasts } from '../../shared/kit/toasts.tsx'
import type { BoardSection } from './board-cache.ts'
import { showFrozen, showOrder } from './show-sections.ts'

const uncategorized = 'uncategorized'
const touched = ['categories', 'board', 'needs_you']

export type CategoryDialogState = { kind: 'new' } | { kind: 'edit' | 'delete'; section: BoardSection }

type SectionMenus = {
  sections: readonly BoardSection[]
  open: (dialog: CategoryDialogState) => void
  selectAll: (ids: readonly number[]) => void
  cache: QueryClient
  toasts: ReturnType<typeof useToasts>
}

/** The menu of each section of the board by category. */
export function createSectionMenus({ sections, open, selectAll, cache, toasts }: SectionMenus): {
  menuOf(section: BoardSection): MenuItem[]
  putBefore(key: string, beforeKey: string): void
} {
  const change = (show: () => Undo | undefined, send: () => Promise<unknown>) =>
    void writeInOrder(cache, { touched, show, send }).catch(toasts.complain)
  const entryOf = ({ category_id }: BoardSection) => category_id ?? uncategorized
  const save = (order: readonly BoardSection[]) => {
    const keys = order.map(({ key }) => key)
    change(
      () => showOrder(cache, keys),
      () => call('categories.reorder', { ids: order.map(entryOf) }),
    )
  }
  const putBefore = (key: string, beforeKey: string) => {
    const moved = sections.find((section) => section.key === key)
    if (!moved) return
    const rest = sections.filter((section) => section !== moved)
    save(
      rest.toSpliced(
        rest.findIndex((section) => section.key === beforeKey),
        0,
        moved,
      ),
    )
  }
  const step = (section: BoardSection, by: -1 | 1) => {
    const at = sections.indexOf(section)
    const rest = sections.filter((each) => each !== section)
    save(rest.toSpliced(at + by, 0, section))
  }
  const menuOf = (section: BoardSection): MenuItem[] => {
    const at = sections.findIndex(({ key }) => key === section.key)
    const { category_id, frozen } = section
    const own = sections[at] ?? section
    const continueThem = async () => {
      const { message } = await call('sessions.refresh_all', { category_id: entryOf(section) })
      toasts.say(message)
      await refresh(cache, touched)
    }
    return [
      {
        label: 'Select its sessions',
        icon: 'check',
        isDisabled: section.cards.length === 0,
        onSelect: () => selectAll(section.cards.map(({ id }) => id)),
      },
      {
        label: 'Continue those that failed or rest',
        icon: 'refresh-cw',
        isDisabled: frozen === true || section.cards.length === 0,
        onSelect: () => void continueThem().catch(toasts.complain),
      },
      { label: 'New category…', icon: 'plus', onSelect: () => open({ kind: 'new' }) },
      ...(category_id === undefined
        ? []
        : ([
            { label: 'Rename…', icon: 'pencil', onSelect: () => open({ kind: 'edit', section }) },
            {
              label: frozen ? 'Thaw' : 'Freeze',
              icon: 'snowflake',
              onSelect: () =>
                change(
                  () => showFrozen(cache, category_id, !frozen),
                  () => call('categories.update', { id: String(category_id), is_frozen: !frozen }),
                ),
            },
          ] satisfies MenuItem[])),
      'separator',
      { label: 'Move section up', icon: 'arrow-up', isDisabled: at <= 0, onSelect: () => step(own, -1) },
      {
        label: 'Move section down',
        icon: 'arrow-down',
        isDisabled: at === sections.length - 1,
        onSelect: () => step(own, 1),
      },
      ...(category_id === undefined
        ? []
        : ([
            'separator',
            { label: 'Delete…', icon: 'trash-2', isDanger: true, onSelect: () => open({ kind: 'delete', section }) },
          ] satisfies MenuItem[])),
    ]
  }
  return { menuOf, putBefore }
}
