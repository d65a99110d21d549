import { type ReactNode, useId } from 'react'
import { Select, Switch, TextArea, TextField } from '../../shared/kit/field.tsx'
import type { FormField, FormValue } from './form-fields.ts'

type FieldProps = {
  field: FormField
  value: FormValue
  error: string | undefined
  onChange: (value: FormValue) => void
}

/** Up to this many choices are all in sight; more become a list to open. */
const maxInSight = 5

export function ElicitationField({ field, value, error, onChange }: FieldProps): ReactNode {
  const { name, label, hint, isRequired, kind, inputType, choices } = field
  const shared = { label: isRequired ? label : `${label} (optional)`, hint, error, name }
  const text = typeof value === 'string' ? value : ''
  const onText = (event: { currentTarget: { value: string } }) => onChange(event.currentTarget.value)
  if (kind === 'switch')
    return (
      <div>
        <Switch label={label} hint={hint} isOn={value === true} onChange={onChange} />
        {error && <p className="text-failed text-sm">{error}</p>}
      </div>
    )
  if (kind === 'choices' || (kind === 'choice' && choices.length <= maxInSight))
    return <Choices {...{ field, value, error, onChange }} />
  if (kind === 'choice')
    return <Select {...shared} value={text} onChange={onText} options={[{ value: '', label: 'Choose…' }, ...choices]} />
  if (kind === 'json') return <TextArea {...shared} value={text} onChange={onText} rows={3} className="font-mono" />
  const isNumber = kind === 'number'
  return (
    <TextField
      {...shared}
      type={inputType}
      inputMode={isNumber ? 'decimal' : undefined}
      value={text}
      onChange={onText}
      autoComplete="off"
      className={isNumber ? 'tabular' : ''}
    />
  )
}

/** Radio buttons for one choice, boxes for several. */
function Choices({ field, value, error, onChange }: FieldProps): ReactNode {
  const id = useId()
  const { name, label, hint, isRequired, kind, choices } = field
  const isSeveral = kind === 'choices'
  const marked = typeof value === 'object' ? value : []
  const isOn = (choice: string) => (isSeveral ? marked.includes(choice) : value === choice)
  const turn = (choice: string) => {
    if (!isSeveral) return onChange(choice)
    onChange(isOn(choice) ? marked.filter((one) => one !== choice) : [...marked, choice])
  }
  return (
    <fieldset aria-describedby={error || hint ? id : undefined} className="min-w-0">
      <legend className="font-medium text-sm">{isRequired ? label : `${label} (optional)`}</legend>
      <div className="mt-1 flex flex-wrap gap-1.5">
        {choices.map((choice) => (
          <label
            key={choice.value}
            className="inline-flex min-h-8 min-w-0 cursor-pointer items-center gap-2 rounded-md border border-control bg-surface px-2.5 py-1 hover:bg-hover has-checked:border-accent has-checked:bg-selected has-focus-visible:outline-2 has-focus-visible:outline-accent-text"
          >
            <input
              type={isSeveral ? 'checkbox' : 'radio'}
              name={`${id}-${name}`}
              checked={isOn(choice.value)}
              onChange={() => turn(choice.value)}
            />
            <span className="min-w-0 break-words">{choice.label}</span>
          </label>
        ))}
      </div>
      <p id={id} className={`text-sm ${error ? 'text-failed' : 'text-muted'}`}>
        {error ?? hint}
      </p>
    </fieldset>
  )
}
