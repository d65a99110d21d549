import { type FormDraft, useFormDraft } from './form-draft.ts'

type TextsOf<Values> = { [Name in keyof Values]: Values[Name] extends string ? Name : never }[keyof Values] & string

type FieldOf = { value: string; onChange: (event: { currentTarget: { value: string } }) => void }

type TypedForm<Values> = Pick<FormDraft<Values>, 'values' | 'change' | 'sending' | 'accepted'> & {
  /** Ties a field to its value: `<TextField label="Title" {...field('title')} />`. */
  field: (name: TextsOf<Values>) => FieldOf
  /** Undefined while there is nothing to discard. */
  discard: (() => void) | undefined
}

/** A form whose values stay in this browser until the server accepts them or the person discards them. Never for secrets. */
export function useTypedForm<Values extends object>(name: string, empty: Values): TypedForm<Values> {
  const { values, isChanged, change, clear, sending, accepted } = useFormDraft(name, empty)
  return {
    values,
    change,
    field: (key) => ({
      value: String(values[key]),
      // A select offers no other values than the type has, and the server checks them all.
      onChange: ({ currentTarget }) => change({ [key]: currentTarget.value } as Partial<Values>),
    }),
    discard: isChanged ? clear : undefined,
    sending,
    accepted,
  }
}
