/**
 * The choices of a filter: any, and each value once. Give it what exists, what is chosen and what the page shows: a page is only a
 * part of the list, and what is chosen may exist no longer.
 */
export function filterChoices(
  any: string,
  values: readonly (string | null | undefined)[],
  labelOf = (value: string) => value,
): { value: string; label: string }[] {
  const named = [...new Set(values)].flatMap((value) => (value ? [{ value, label: labelOf(value) }] : []))
  return [{ value: '', label: any }, ...named.toSorted((one, other) => one.label.localeCompare(other.label))]
}
