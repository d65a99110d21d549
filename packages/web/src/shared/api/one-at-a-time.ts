import { useRef } from 'react'
import type { OperationName } from './client.ts'
import type { Write } from './hooks.ts'

/** Drops a call while the previous one is on its way. A button looks busy only after the next paint, and a second press can be faster. */
export function useOneAtATime<Name extends OperationName>(write: Write<Name>): Write<Name> {
  const isUnderway = useRef(false)
  const mutate: Write<Name>['mutate'] = (input, { onSuccess, onError } = {}) => {
    if (isUnderway.current) return
    isUnderway.current = true
    write.mutate(input, {
      onSuccess(result) {
        isUnderway.current = false
        onSuccess?.(result)
      },
      onError(error) {
        isUnderway.current = false
        onError?.(error)
      },
    })
  }
  return { ...write, mutate }
}
