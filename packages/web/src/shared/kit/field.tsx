import type { InputHTMLAttributes, ReactNode, Ref, SelectHTMLAttributes, TextareaHTMLAttributes } from 'react'
import { useId } from 'react'
import { Icon } from './icon.tsx'

const control =
  'w-full rounded-md border border-control bg-surface px-2.5 text-base text-text transition-colors hover:border-faint aria-invalid:border-failed disabled:opacity-60'

type FieldProps = {
  label: string
  /** What the value does, or where its default comes from. */
  hint?: ReactNode
  /** The sentence of the API about this field. */
  error?: string | undefined
  isLabelHidden?: boolean
}

type Described = { id: string; 'aria-describedby': string | undefined; 'aria-invalid': boolean | undefined }

/** Label, control, hint and error, tied together for assistive technology. */
function Field({
  label,
  hint,
  error,
  isLabelHidden,
  children,
}: FieldProps & { children: (ids: Described) => ReactNode }) {
  const id = useId()
  const described = [error && `${id}-error`, hint && `${id}-hint`].filter(Boolean).join(' ') || undefined
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <label htmlFor={id} className={isLabelHidden ? 'unseen' : 'font-medium text-sm'}>
        {label}
      </label>
      {children({ id, 'aria-describedby': described, 'aria-invalid': error ? true : undefined })}
      {error && (
        <p id={`${id}-error`} className="text-failed text-sm">
          {error}
        </p>
      )}
      {hint && (
        <p id={`${id}-hint`} className="text-muted text-sm">
          {hint}
        </p>
      )}
    </div>
  )
}

export function TextField(props: FieldProps & InputHTMLAttributes<HTMLInputElement>): ReactNode {
  const { label, hint, error, isLabelHidden, className = '', ...rest } = props
  return (
    <Field {...{ label, hint, error, isLabelHidden }}>
      {(ids) => <input {...rest} {...ids} className={`h-8 ${control} ${className}`} />}
    </Field>
  )
}

export function TextArea(
  props: FieldProps & { ref?: Ref<HTMLTextAreaElement> } & TextareaHTMLAttributes<HTMLTextAreaElement>,
): ReactNode {
  const { label, hint, error, isLabelHidden, className = '', ...rest } = props
  return (
    <Field {...{ label, hint, error, isLabelHidden }}>
      {(ids) => <textarea rows={4} {...rest} {...ids} className={`resize-y py-2 ${control} ${className}`} />}
    </Field>
  )
}

type Option = { value: string; label: string }

/** The browser's own select: it is the best one on a phone, and costs nothing. */
export function Select(
  props: FieldProps & { options: readonly Option[] } & SelectHTMLAttributes<HTMLSelectElement>,
): ReactNode {
  const { label, hint, error, isLabelHidden, options, className = '', ...rest } = props
  return (
    <Field {...{ label, hint, error, isLabelHidden }}>
      {(ids) => (
        <span className="relative">
          <select {...rest} {...ids} className={`h-8 appearance-none truncate pr-8 ${control} ${className}`}>
            {options.map(({ value, label }) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
          <Icon name="chevron-down" size={14} className="pointer-events-none absolute top-2 right-2.5 text-muted" />
        </span>
      )}
    </Field>
  )
}

type SwitchProps = {
  label: string
  hint?: ReactNode
  isOn: boolean
  onChange: (isOn: boolean) => void
  isDisabled?: boolean
}

export function Switch({ label, hint, isOn, onChange, isDisabled }: SwitchProps): ReactNode {
  return (
    <label className="flex min-h-8 items-start gap-2.5 py-1">
      <input
        type="checkbox"
        role="switch"
        checked={isOn}
        aria-checked={isOn}
        disabled={isDisabled}
        onChange={(event) => onChange(event.currentTarget.checked)}
        className="relative mt-0.5 h-4.5 w-8 shrink-0 cursor-pointer appearance-none rounded-full border border-control bg-hover transition-colors before:absolute before:top-0.5 before:left-0.5 before:size-3 before:rounded-full before:bg-control before:transition-transform checked:border-accent checked:bg-accent checked:before:translate-x-3.5 checked:before:bg-on-accent disabled:opacity-55"
      />
      <span className="min-w-0">
        <span className="block font-medium">{label}</span>
        {hint && <span className="block text-muted text-sm">{hint}</span>}
      </span>
    </label>
  )
}
