import { useParams } from '@tanstack/react-router'
import type { ComponentType, ReactNode } from 'react'

/**
 * The page of one record. It starts again at the address of another one: a read keeps its old answer while it waits for the next, and the
 * forms and buttons of the record before would be under the address of this one.
 */
export function PageOfOne({ of: Shown }: { of: ComponentType<{ id: string }> }): ReactNode {
  const { id = '' } = useParams({ strict: false })
  return <Shown key={id} id={id} />
}
