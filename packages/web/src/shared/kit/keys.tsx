import { Fragment, type ReactNode } from 'react'

const names: Record<string, string> = {
  mod: navigator.platform.startsWith('Mac') ? '⌘' : 'Ctrl',
  enter: '⏎',
  escape: 'Esc',
  arrowup: '↑',
  arrowdown: '↓',
  alt: 'Alt',
  shift: 'Shift',
}

/** `mod+k` is one chord, `g b` two presses after another. */
export function Keys({ of }: { of: string }): ReactNode {
  return (
    <span className="inline-flex shrink-0 items-center gap-1 text-faint text-xs">
      {of.split(' ').map((chord, index) => (
        <Fragment key={chord}>
          {index > 0 && <span>then</span>}
          <kbd className="inline-flex h-4.5 min-w-4.5 items-center justify-center rounded-sm border border-line-strong px-1 font-sans">
            {chord
              .split('+')
              .map((key) => names[key] ?? (key.length === 1 ? key.toUpperCase() : key))
              .join(' ')}
          </kbd>
        </Fragment>
      ))}
    </span>
  )
}
