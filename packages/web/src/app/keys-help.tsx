import { type ReactNode, useState } from 'react'
import { areSingleKeysOn, turnSingleKeys, useAllCommands } from '../shared/keys/commands.tsx'
import { Dialog } from '../shared/kit/dialog.tsx'
import { Switch } from '../shared/kit/field.tsx'
import { Keys } from '../shared/kit/keys.tsx'

export default function KeysHelp({ onClose }: { onClose: () => void }): ReactNode {
  const commands = useAllCommands().filter(({ keys }) => keys !== undefined)
  const groups = [...new Set(commands.map(({ group }) => group))]
  const [areOn, setOn] = useState(areSingleKeysOn)
  return (
    <Dialog title="Keys" isOpen onClose={onClose} width="lg">
      <div className="flex flex-col gap-5">
        <div className="grid gap-x-8 gap-y-5 md:grid-cols-2">
          {groups.map((group) => (
            <section key={group}>
              <h3 className="mb-1 font-semibold text-muted text-sm">{group}</h3>
              <ul>
                {waysOf(commands.filter((command) => command.group === group)).map(([label, ways]) => (
                  <li key={label} className="flex h-8 items-center gap-2 border-line border-b">
                    <span className="mr-auto">{label}</span>
                    {ways.map((keys) => (
                      <Keys key={keys} of={keys} />
                    ))}
                  </li>
                ))}
              </ul>
            </section>
          ))}
        </div>
        <Switch
          label="Keys without Ctrl or Alt"
          hint="Turn them off if you use speech input."
          isOn={areOn}
          onChange={(isOn) => {
            turnSingleKeys(isOn)
            setOn(isOn)
          }}
        />
      </div>
    </Dialog>
  )
}

/** The keys of each command: two that do the same are one line. */
function waysOf(commands: readonly { label: string; keys?: string }[]): readonly [label: string, ways: string[]][] {
  const labels = [...new Set(commands.map(({ label }) => label))]
  return labels.map((label) => [
    label,
    commands.flatMap((command) => (command.label === label && command.keys ? [command.keys] : [])),
  ])
}
