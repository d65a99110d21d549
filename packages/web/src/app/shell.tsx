import { Outlet, useRouter } from '@tanstack/react-router'
import { type ReactNode, useEffect, useMemo, useState } from 'react'
import { useViewer } from '../shared/api/viewer.ts'
import { ErrorNote } from '../shared/kit/notes.tsx'
import { part } from '../shared/kit/part.tsx'
import { LiveProvider } from '../shared/live/live.tsx'
import { Banners } from './banners.tsx'
import { BottomBar } from './bottom-bar.tsx'
import { Rail } from './rail.tsx'
import { reactions } from './reactions.ts'
import { ShellContext, type ShellDialog } from './shell-context.ts'
import { TopBar } from './top-bar.tsx'
import { useShellCommands } from './use-shell-commands.ts'

const Palette = part(() => import('./palette.tsx'))
const AskDialog = part(() => import('../features/sessions/ask-dialog.tsx'))
const KeysHelp = part(() => import('./keys-help.tsx'))
const OthersAnswers = part(() => import('../features/elicitations/others-answers.ts'))
const Tooltips = part(() => import('../shared/kit/tooltips.tsx'))

/** Around every page of a person who is signed in. Others are sent to the sign-in page, and back afterwards. */
export function Shell(): ReactNode {
  const viewer = useViewer()
  if (viewer.data) {
    return (
      <LiveProvider reactions={reactions} after={viewer.data.last_event_id}>
        <Frame />
      </LiveProvider>
    )
  }
  if (viewer.data === null) return <ToSignIn />
  return (
    <div className="grid h-full place-items-center p-6">
      {viewer.error && <ErrorNote error={viewer.error} onRetry={() => viewer.refetch()} />}
    </div>
  )
}

/** Goes there once: `<Navigate>` would go again at every change of the address, which this is. */
function ToSignIn(): ReactNode {
  const router = useRouter()
  useEffect(() => {
    const { pathname, searchStr, hash } = router.state.location
    // The fragment may hold the secret of a link: it goes along as a fragment, never into `next`.
    void router.navigate({ to: '/sign-in', search: { next: pathname + searchStr }, hash, replace: true })
  }, [router])
  return null
}

function Frame(): ReactNode {
  useEffect(dropLinkFromAddress, [])
  const [dialog, setDialog] = useState<ShellDialog>()
  const shell = useMemo(() => ({ open: setDialog }), [])
  useShellCommands(setDialog)
  const close = () => setDialog(undefined)
  return (
    <ShellContext value={shell}>
      <a
        href="#main"
        className="fixed top-2 left-2 z-60 -translate-y-20 rounded-md bg-accent px-3 py-2 font-medium text-on-accent focus:translate-y-0"
      >
        Skip to the page
      </a>
      <div className="flex h-full">
        <Rail />
        <div className="flex min-w-0 grow flex-col">
          <TopBar />
          <Banners />
          <main id="main" tabIndex={-1} className="flex min-h-0 grow flex-col overflow-y-auto outline-none">
            <Outlet />
          </main>
          <BottomBar />
        </div>
      </div>
      <Tooltips />
      <OthersAnswers />
      {dialog === 'palette' && <Palette onClose={close} />}
      {dialog === 'ask' && <AskDialog onClose={close} />}
      {dialog === 'keys' && <KeysHelp onClose={close} />}
    </ShellContext>
  )
}

/** A link that was opened in a browser that is signed in already: its secret must not stay in sight. */
function dropLinkFromAddress(): void {
  if (location.hash.startsWith('#k=')) history.replaceState(history.state, '', location.pathname + location.search)
}
