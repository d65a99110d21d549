import { useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { viewerKey } from '../../shared/api/viewer.ts'
import { signIn } from '../../shared/api/web-session.ts'
import { Button } from '../../shared/kit/button.tsx'
import { TextField } from '../../shared/kit/field.tsx'
import { ErrorNote } from '../../shared/kit/notes.tsx'
import { useTitle } from '../../shared/kit/page.tsx'

/** By an API key, or by a printed link, whose secret is in the fragment so that no log ever has it. */
export default function SignInPage(): ReactNode {
  useTitle('Sign in')
  const { submit, isBusy, error } = useSignIn()
  const link = useLinkInAddress()
  const hasTried = useRef(false)
  useEffect(() => {
    if (!link || hasTried.current) return
    hasTried.current = true
    void submit({ key: link })
  }, [link, submit])
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const name = String(form.get('name')).trim()
    void submit({ key: String(form.get('key')).trim(), ...(name && { name }) })
  }
  return (
    <main className="grid h-full place-items-center overflow-y-auto p-6">
      <form
        onSubmit={onSubmit}
        className="flex w-full max-w-sm flex-col gap-5 rounded-lg border border-line bg-surface p-6 shadow-raised"
      >
        <div>
          <h1 className="font-semibold text-xl tracking-tight">Sign in to Yardmaster</h1>
          <p className="mt-1 text-muted">
            Open the link that <code className="font-mono text-sm">npm start</code> prints, or use an API key.
          </p>
        </div>
        <ErrorNote error={error} />
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
          maxLength={100}
          placeholder="Ada"
          hint="Your messages carry it. You can leave it out."
        />
        <Button type="submit" look="primary" isBusy={isBusy}>
          Sign in
        </Button>
      </form>
    </main>
  )
}

function useSignIn() {
  const { next = '/' } = useSearch({ from: '/sign-in' })
  const navigate = useNavigate()
  const cache = useQueryClient()
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const submit = async (proof: { key: string; name?: string }) => {
    setBusy(true)
    setError(undefined)
    try {
      cache.setQueryData(viewerKey, await signIn(proof))
      await navigate({ href: next, replace: true })
    } catch (problem) {
      setError(problem)
    } finally {
      setBusy(false)
    }
  }
  return { submit, isBusy, error }
}

/** The secret of `#k=…`, which is taken out of the address at once. */
function useLinkInAddress(): string | undefined {
  const [link] = useState(() => /^#k=(.+)$/.exec(location.hash)?.[1])
  useEffect(() => {
    if (link) history.replaceState(history.state, '', location.pathname + location.search)
  }, [link])
  return link
}
