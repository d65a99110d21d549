import type { ReactNode } from 'react'
import { IconButton } from '../shared/kit/button.tsx'
import { type Choice, useAppearance } from '../shared/state/appearance.ts'

const next: Record<Choice<'theme'>, Choice<'theme'>> = { system: 'light', light: 'dark', dark: 'system' }
const icons = { system: 'sun-moon', light: 'sun', dark: 'moon' } as const

export function ThemeButton(): ReactNode {
  const [theme, setTheme] = useAppearance('theme')
  return <IconButton icon={icons[theme]} label={`Theme: ${theme}`} onClick={() => setTheme(next[theme])} />
}
