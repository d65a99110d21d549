import type { ReactNode } from 'react'
import { ErrorNote } from '../shared/kit/notes.tsx'
import { Page } from '../shared/kit/page.tsx'

/** Also when a new version was installed and this tab asks for a file of the old one: reading again loads the new one. */
export function PageFailed({ error, onRetry }: { error: unknown; onRetry: () => void }): ReactNode {
  const isOldVersion = error instanceof TypeError && /import|module|fetch/i.test(error.message)
  return (
    <Page title="This page failed" width="narrow">
      <ErrorNote
        error={isOldVersion ? new Error('This part of the page could not be loaded.') : error}
        onRetry={isOldVersion ? () => location.reload() : onRetry}
      />
    </Page>
  )
}
