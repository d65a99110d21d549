import { type ComponentProps, type ReactNode, useRef, useState } from 'react'
import { TextField } from './field.tsx'

type SavedFieldProps = Omit<ComponentProps<typeof TextField>, 'value' | 'onChange' | 'onBlur' | 'onKeyDown'> & {
  /** What the server has. */
  value: string
  /** Sends what was typed, and says how that ended: `onSave={(text, ends) => update.mutate({ … }, ends)}`. */
  onSave: (typed: string, ends: { onSuccess(): void; onError(): void }) => void
}

/**
 * A number that is saved when the field is left or Enter is pressed, not at every digit. What is typed stays while it is being saved, and
 * when the server refuses it, so that it can be corrected.
 */
export function SavedField({ value, onSave, ...field }: SavedFieldProps): ReactNode {
  const [typed, setTyped] = useState<string>()
  const sent = useRef<string>(undefined)
  const save = () => {
    if (typed === undefined || typed === sent.current) return
    // While another number is on its way, the one that the server has is a change too.
    const isKnown = typed === value && sent.current === undefined
    if (isKnown || (typed === '' && field.required)) return setTyped(undefined)
    sent.current = typed
    const end = () => {
      if (sent.current === typed) sent.current = undefined
    }
    const onSuccess = () => {
      end()
      setTyped((now) => (now === typed ? undefined : now))
    }
    onSave(typed, { onSuccess, onError: end })
  }
  return (
    <TextField
      {...field}
      value={typed ?? value}
      onChange={(event) => setTyped(event.currentTarget.value)}
      onBlur={save}
      onKeyDown={(event) => event.key === 'Enter' && save()}
    />
  )
}
