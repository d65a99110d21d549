import { useQueryClient } from '@tanstack/react-query'
import { useWrite } from '../api/hooks.ts'
import { viewerKey } from '../api/viewer.ts'
import { dropDrafts } from './draft.ts'

/** Signs this browser out, and forgets the drafts that it keeps. */
export function useSignOut(): () => void {
  const cache = useQueryClient()
  const signOut = useWrite('browser_session.delete', {
    onSuccess: () => {
      dropDrafts()
      cache.setQueryData(viewerKey, null)
    },
  })
  return () => signOut.mutate({})
}
