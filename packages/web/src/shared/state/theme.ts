import { useState } from 'react'

/** `system` follows the operating system. `public/theme.js` applies the choice before the first paint. */
export type Theme = 'system' | 'light' | 'dark'

const key = 'yardmaster.theme'

export function useTheme(): [theme: Theme, setTheme: (theme: Theme) => void] {
  const [theme, setTheme] = useState<Theme>(() => {
    const stored = localStorage.getItem(key)
    return stored === 'light' || stored === 'dark' ? stored : 'system'
  })
  const choose = (next: Theme) => {
    setTheme(next)
    if (next === 'system') {
      localStorage.removeItem(key)
      delete document.documentElement.dataset.theme
    } else {
      localStorage.setItem(key, next)
      document.documentElement.dataset.theme = next
    }
  }
  return [theme, choose]
}
