import { useRef } from 'react'
import { newId } from '../kit/new-id.ts'

/**
 * The idempotency key of a request. The same content is the same request: a double press, or a second try after the answer was lost.
 * `renew` when it was accepted: from then on the same content is another one.
 */
export function useRequestKey(): { keyOf: (request: object) => string; renew: () => void } {
  const used = useRef({ content: '', key: '' })
  return {
    keyOf: (request) => {
      const content = JSON.stringify(request)
      if (used.current.content !== content) used.current = { content, key: newId() }
      return used.current.key
    },
    renew: () => {
      used.current.content = ''
    },
  }
}
