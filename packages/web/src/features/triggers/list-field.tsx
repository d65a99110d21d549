import { type ReactNode, useState } from 'react'
import { TextField } from '../../shared/kit/field.tsx'

export type FieldsProps = {
  configuration: Record<string, unknown>
  /** Keys that become undefined are left out. */
  onChange: (changes: Record<string, unknown>) => void
}

type ListFieldProps = {
  label: string
  hint: string
  isRequired?: boolean
  value: unknown
  onChange: (names: string[]) => void
}

/** Keeps the text as it is typed, so that a comma at its end does not vanish. */
export function ListField({ label, hint, isRequired = false, value, onChange }: ListFieldProps): ReactNode {
  const [typed, setTyped] = useState(() => (Array.isArray(value) ? value.join(', ') : ''))
  return (
    <TextField
      label={label}
      hint={hint}
      required={isRequired}
      value={typed}
      onChange={(event) => {
        setTyped(event.currentTarget.value)
        onChange(event.currentTarget.value.split(',').flatMap((name) => name.trim() || []))
      }}
    />
  )
}

export function text(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}
