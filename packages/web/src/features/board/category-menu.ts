import type { QueryClient } from '@tanstack/react-query'
import { call } from '../../shared/api/client.ts'
import { refresh } from '../../shared/api/hooks.ts'
import type { MenuItem } from '../../shared/kit/menu.tsx'
import type { useToasts } from '../../shared/kit/toasts.tsx'
import type { BoardSection } from './board-cache.ts'

const uncategorized = 'uncategorized'

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
  const change = async (done: Promise<unknown>) => {
    await done.catch(toasts.complain)
    await refresh(cache, ['categories', 'board', 'needs_you'])
  }
  const entryOf = ({ category_id }: BoardSection) => category_id ?? uncategorized
  const save = (order: readonly BoardSection[]) => void change(call('categories.reorder', { ids: order.map(entryOf) }))
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
    const continueThem = () =>
      call('sessions.refresh_all', { category_id: entryOf(section) }).then(({ message }) => toasts.say(message))
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
        onSelect: () => void change(continueThem()),
      },
      { label: 'New category…', icon: 'plus', onSelect: () => open({ kind: 'new' }) },
      ...(category_id === undefined
        ? []
        : ([
            { label: 'Rename…', icon: 'pencil', onSelect: () => open({ kind: 'edit', section }) },
            {
              label: frozen ? 'Thaw' : 'Freeze',
              icon: 'snowflake',
              onSelect: () => void change(call('categories.update', { id: String(category_id), is_frozen: !frozen })),
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
