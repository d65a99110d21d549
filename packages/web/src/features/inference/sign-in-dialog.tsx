import { type FormEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { useRead, useWrite } from '../../shared/api/hooks.ts'
import { Button } from '../../shared/kit/button.tsx'
import { Code } from '../../shared/kit/copy-button.tsx'
import { Dialog } from '../../shared/kit/dialog.tsx'
import { TextField } from '../../shared/kit/field.tsx'
import { Icon } from '../../shared/kit/icon.tsx'
import { ErrorNote } from '../../shared/kit/notes.tsx'
import { Time } from '../../shared/kit/time.tsx'
import { useToasts } from '../../shared/kit/toasts.tsx'
import type { LoginAttempt } from './account.ts'

type SignInProps = { runtime: string; email?: string; onClose: () => void }

const ended: readonly LoginAttempt['status'][] = ['succeeded', 'failed', 'canceled', 'expired']

/** Drives the vendor's own login command: it shows an address, sometimes a code, and sometimes wants one back. */
export function SignInDialog({ runtime, email, onClose }: SignInProps): ReactNode {
  const id = useId()
  const toasts = useToasts()
  const [attemptId, setAttemptId] = useState<string>()
  const [name, setName] = useState(email ?? '')
  // The answer to `begin` may come after that.
  const isClosed = useRef(false)
  const begin = useWrite('login_attempts.create', {
    complains: false,
    onSuccess: ({ login_attempt }) => {
      const begun = String(login_attempt.id)
      if (isClosed.current) cancel.mutate({ id: begun })
      else setAttemptId(begun)
    },
  })
  const cancel = useWrite('login_attempts.cancel', {})
  const shown = useRead(
    'login_attempts.show',
    { id: attemptId ?? '' },
    { isEnabled: attemptId !== undefined, everyMs: 2_000 },
  )
  // Until the answer about a second attempt is there, the first one's is still shown.
  const latest = shown.data?.login_attempt
  const attempt = latest && String(latest.id) === attemptId ? latest : undefined
  const isUnderway = attemptId !== undefined && !(attempt && ended.includes(attempt.status))
  const account = attempt?.status === 'succeeded' ? (attempt.account_email ?? 'The account') : undefined
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the attempt succeeds.
  useEffect(() => {
    if (account === undefined) return
    toasts.say(`${account} is signed in`)
    onClose()
  }, [account])
  const start = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    begin.mutate({ runtime, ...(name.trim() && { email: name.trim() }) })
  }
  const close = () => {
    isClosed.current = true
    if (isUnderway) cancel.mutate({ id: attemptId })
    onClose()
  }
  return (
    <Dialog
      title={`Sign in for ${runtime}`}
      isOpen
      onClose={close}
      actions={
        <>
          <Button onClick={close}>Cancel</Button>
          {!isUnderway && (
            <Button look="primary" type="submit" form={id} isBusy={begin.isPending}>
              {attempt ? 'Try again' : 'Begin'}
            </Button>
          )}
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {!isUnderway && (
          <form id={id} onSubmit={start}>
            <TextField
              label="Name of the account"
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
              autoComplete="off"
              hint="An e-mail address, for instance. Needed if the vendor does not tell it."
            />
          </form>
        )}
        <ErrorNote error={begin.error ?? shown.error} />
        {attempt && <AttemptSteps attempt={attempt} />}
      </div>
    </Dialog>
  )
}

function AttemptSteps({ attempt }: { attempt: LoginAttempt }): ReactNode {
  const { status, verification_url, verification_code, error_message, expires_at } = attempt
  if (status === 'failed' || status === 'expired' || status === 'canceled')
    return (
      <p role="alert" className="break-words text-failed">
        {error_message ?? (status === 'expired' ? 'The time for signing in is over.' : 'It was canceled.')}
      </p>
    )
  if (status === 'starting' || status === 'completing')
    return (
      <p role="status" className="flex items-center gap-2 text-muted">
        <Icon name="loader-circle" size={14} className="spin" />
        {status === 'starting' ? 'The login command starts …' : 'The vendor checks it …'}
      </p>
    )
  return (
    <>
      <ol className="flex list-decimal flex-col gap-2 pl-5">
        {verification_url && (
          <li className="break-words">
            <a
              href={verification_url}
              target="_blank"
              rel="noreferrer noopener"
              className="font-medium text-accent-text underline"
            >
              Open the vendor’s page
            </a>{' '}
            and sign in there.
          </li>
        )}
        {verification_code && (
          <li>
            Type this code there: <Code label="code">{verification_code}</Code>
          </li>
        )}
        {status === 'awaiting_code' && <li>Copy the code that the page shows, and paste it here.</li>}
      </ol>
      {status === 'awaiting_code' && <CodeForm attempt={attempt} />}
      <p className="text-muted text-sm">
        The attempt is given up <Time at={expires_at} />.
      </p>
    </>
  )
}

function CodeForm({ attempt }: { attempt: LoginAttempt }): ReactNode {
  const paste = useWrite('login_attempts.paste_code', { complains: false })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const code = String(new FormData(event.currentTarget).get('code') ?? '').trim()
    paste.mutate({ id: String(attempt.id), code })
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-2">
      <TextField label="Code" name="code" required autoComplete="off" spellCheck={false} className="font-mono" />
      <ErrorNote error={paste.error} />
      <Button look="primary" type="submit" isBusy={paste.isPending} className="self-start">
        Send the code
      </Button>
    </form>
  )
}
