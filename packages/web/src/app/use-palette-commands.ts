import { useCommands } from '../shared/keys/commands.tsx'
import { useAppearance } from '../shared/state/appearance.ts'
import { useShell } from './shell-context.ts'

/** What works on every page and has no key. Only the palette shows it, so its file has it. */
export function usePaletteCommands(): void {
  const { open } = useShell()
  const [, setTheme] = useAppearance('theme')
  const [times, setTimes] = useAppearance('times')
  useCommands([
    {
      id: 'ask',
      label: 'Ask an agent about this page…',
      group: 'Everywhere',
      icon: 'message-square',
      run: () => open('ask'),
    },
    { id: 'theme light', label: 'Light theme', group: 'Appearance', icon: 'sun', run: () => setTheme('light') },
    { id: 'theme dark', label: 'Dark theme', group: 'Appearance', icon: 'moon', run: () => setTheme('dark') },
    {
      id: 'theme system',
      label: "The system's theme",
      group: 'Appearance',
      icon: 'sun-moon',
      run: () => setTheme('system'),
    },
    {
      id: 'times',
      label: 'Exact times or ages',
      group: 'Appearance',
      icon: 'clock',
      run: () => setTimes(times === 'ages' ? 'exact' : 'ages'),
    },
  ])
}
