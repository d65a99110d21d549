import { useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { useWrite } from '../../shared/api/hooks.ts'
import { setViewer } from '../../shared/api/viewer.ts'
import { Button, ButtonLink } from '../../shared/kit/button.tsx'
import { TextField } from '../../shared/kit/field.tsx'
import { Logo } from '../../shared/kit/logo.tsx'
import { ErrorNote } from '../../shared/kit/notes.tsx'
import { useTitle } from '../../shared/kit/page.tsx'
import { useToasts } from '../../shared/kit/toasts.tsx'

/** By an API key, or by a printed link, whose secret is in the fragment so that no log ever has it. */
export default function SignInPage(): ReactNode {
  useTitle('Sign in')
  const { next = '/' } = useSearch({ from: '/sign-in' })
  const navigate = useNavigate()
  const cache = useQueryClient()
  const toasts = useToasts()
  const link = useLinkInAddress()
  const hasTried = useRef(false)
  const signIn = useWrite('browser_session.create', {
    complains: false,
    onSuccess: (answer) => {
      // What an earlier person read in this tab is not theirs to see.
      cache.clear()
      setViewer(cache, answer)
      void navigate({ href: next, replace: true })
      if (link && answer.session.name === null) {
        toasts.say('Your messages to agents carry no name yet', {
          link: (
            <ButtonLink size="sm" to="/settings">
              Say who you are
            </ButtonLink>
          ),
        })
      }
    },
  })
  useEffect(() => {
    if (!link || hasTried.current) return
    hasTried.current = true
    signIn.mutate({ key: link })
  }, [link, signIn.mutate])
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const name = String(form.get('name')).trim()
    signIn.mutate({ key: String(form.get('key')).trim(), ...(name && { name }) })
  }
  return (
    <main className="grid h-full place-items-center overflow-y-auto p-6">
      <form
        onSubmit={onSubmit}
        className="flex w-full max-w-sm flex-col gap-5 rounded-lg border border-line bg-surface p-6 shadow-raised"
      >
        <div className="flex flex-col gap-1">
          <Logo size={32} />
          <h1 className="mt-3 font-semibold text-xl tracking-tight">Sign in to Yardmaster</h1>
          <p className="text-muted">
            Open the link that <code className="font-mono text-sm">npm start</code> prints, or use an API key.
          </p>
        </div>
        <ErrorNote error={signIn.error} />
        <TextField
          label="API key"
          name="key"
          type="password"
          autoComplete="current-password"
          required
          autoFocus
          spellCheck={false}
        />
        <TextField
          label="Your name"
          name="name"
          autoComplete="name"
          placeholder="Ada"
          hint="Your messages to agents carry it. You can leave it out."
        />
        <Button type="submit" look="primary" isBusy={signIn.isPending}>
          Sign in
        </Button>
      </form>
    </main>
  )
}

/** The secret of `#k=…`, which is taken out of the address at once. */
function useLinkInAddress(): string | undefined {
  const [link] = useState(() => /^#k=(.+)$/.exec(location.hash)?.[1])
  useEffect(() => {
    if (link) history.replaceState(history.state, '', location.pathname + location.search)
  }, [link])
  return link
}
