import { useWrite } from '../../shared/api/hooks.ts'
import { useToasts } from '../../shared/kit/toasts.tsx'
import type { Pasting } from './paste-dialog.tsx'

type Authorized = { name: string; sessionId?: number; again?: boolean }

/** Sends the person to the authorization server, or lets them paste where it sent them. */
export function useAuthorize(onPaste: (pasting: Pasting) => void): {
  authorize: (what: Authorized) => void
  isPending: boolean
} {
  const toasts = useToasts()
  const begin = useWrite('connectors.authorize', {
    onSuccess: ({ next, url, state, server_name }) => {
      if (next === 'authorized') return toasts.say(`${server_name} is authorized already`)
      if (url === null || state === null) return
      if (next === 'paste') return onPaste({ name: server_name, url, state })
      window.location.assign(url)
    },
  })
  return {
    authorize: ({ name, sessionId, again = false }) =>
      begin.mutate({ name, ...(sessionId !== undefined && { session_id: sessionId }), ...(again && { again }) }),
    isPending: begin.isPending,
  }
}
