import type { ReactNode } from 'react'
import { IconButton } from '../shared/kit/button.tsx'
import { type Theme, useTheme } from '../shared/state/theme.ts'

const next: Record<Theme, Theme> = { system: 'light', light: 'dark', dark: 'system' }
const icons = { system: 'sun-moon', light: 'sun', dark: 'moon' } as const

export function ThemeButton(): ReactNode {
  const [theme, setTheme] = useTheme()
  return <IconButton icon={icons[theme]} label={`Theme: ${theme}`} onClick={() => setTheme(next[theme])} />
}
