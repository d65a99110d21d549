import { type FormEvent, type ReactNode, useRef, useState } from 'react'
import type { Result } from '../../shared/api/client.ts'
import { useRead } from '../../shared/api/hooks.ts'
import { useCommands } from '../../shared/keys/commands.tsx'
import { Button } from '../../shared/kit/button.tsx'
import { Callout } from '../../shared/kit/callout.tsx'
import { Select, TextArea } from '../../shared/kit/field.tsx'
import { ErrorNote } from '../../shared/kit/notes.tsx'
import { FormActions, Page, Panel } from '../../shared/kit/page.tsx'
import { part } from '../../shared/kit/part.tsx'
import { useFormDraft } from '../../shared/state/form-draft.ts'
import { ArtifactListFields, listsOfRoot } from '../catalog/artifact-lists.tsx'
import { demoPrompt, emptyForm, offeredRoots, requestOf } from './new-session-form.ts'
import { NewSessionOptions } from './new-session-options.tsx'
import { NewSessionWarnings } from './new-session-warnings.tsx'
import { useCreateSession } from './use-create-session.ts'

const AttachFiles = part(() => import('../attachments/attach-files.tsx'))
const SlashCompletion = part(() => import('./slash-completion.tsx'))

export default function NewSessionPage(): ReactNode {
  const configs = useRead('configs.show', {})
  const { values, change, clear, sending, accepted } = useFormDraft('new-session', emptyForm)
  const { start, isPending, error } = useCreateSession(accepted)
  const [isUploading, setUploading] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const prompt = useRef<HTMLTextAreaElement>(null)
  const roots = offeredRoots(configs.data)
  const root = values.root === '' ? undefined : (roots.find(({ name }) => name === values.root) ?? roots[0])
  const runtime = values.runtime || root?.default_runtime || ''
  const offer = configs.data?.runtime_models[runtime]
  // What was chosen for a runtime that has it does not go to one that has not.
  const runsCommands = values.runsCommands && offer?.takes_commands === true
  const compactWindow = offer?.takes_compact_window ? values.compactWindow : ''
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (configs.isLoading || isUploading || isPending) return
    sending()
    start(requestOf({ ...values, runsCommands, compactWindow }, root), values.category)
  }
  useCommands([
    {
      id: 'start-session',
      label: 'Start the session',
      group: 'New session',
      keys: 'mod+enter',
      worksInFields: true,
      run: () => form.current?.requestSubmit(),
    },
  ])
  const lists = listsOfRoot(root)
  return (
    <Page title="New session" width="narrow" note="An agent works on it in its own clone of the repository.">
      {values.prompt === '' && (
        <DemoOffer
          configs={configs.data}
          isBusy={isPending}
          onStart={(agent_root) =>
            start({ agent_root, agent_runtime: 'demo', prompt: demoPrompt, title: 'A tour with the demo agent' })
          }
        />
      )}
      <form ref={form} onSubmit={submit} className="flex flex-col gap-4">
        <ErrorNote error={configs.error} onRetry={() => configs.refetch()} />
        <Panel>
          <div className="flex flex-col gap-4 p-4">
            <div className="relative">
              <TextArea
                ref={prompt}
                label="What should the agent do?"
                value={values.prompt}
                onChange={(event) => change({ prompt: event.currentTarget.value })}
                rows={7}
                autoFocus
                required
              />
              {values.prompt.startsWith('/') && (
                <SlashCompletion
                  field={prompt}
                  text={values.prompt}
                  skills={values.lists.catalog_skills ?? lists.catalog_skills}
                  plugins={values.lists.catalog_plugins ?? lists.catalog_plugins}
                  {...{ runtime, runsCommands }}
                  side="below"
                />
              )}
              <div className="min-h-8 pt-1.5">
                <AttachFiles
                  field={prompt}
                  text={values.prompt}
                  changeDraft={(changed) => change((now) => ({ prompt: changed(now.prompt) }))}
                  onUploading={setUploading}
                />
              </div>
            </div>
            <Select
              label="Root"
              value={root?.name ?? ''}
              onChange={(event) => change({ root: event.currentTarget.value, lists: {} })}
              options={[
                ...roots.map(({ name, display_name }) => ({ value: name, label: display_name })),
                { value: '', label: 'None: name a repository yourself' },
              ]}
              hint={root?.description ?? 'A root supplies the repository and the defaults below.'}
            />
            <NewSessionOptions configs={configs.data} values={values} root={root} runtime={runtime} onChange={change} />
            <NewSessionWarnings runtime={runtime} servers={values.lists.mcp_servers ?? lists.mcp_servers} />
          </div>
        </Panel>
        <Panel title="What it is given">
          <div className="p-4">
            <ArtifactListFields
              key={values.root}
              lists={values.lists}
              defaults={configs.data && lists}
              onChange={(chosen) => change({ lists: chosen })}
            />
          </div>
        </Panel>
        <ErrorNote error={error} />
        <FormActions>
          {values.prompt !== '' && (
            <>
              <span className="grow text-muted text-sm">Draft kept in this browser</span>
              <Button look="quiet" onClick={clear}>
                Start over
              </Button>
            </>
          )}
          {/* Until the roots are read, the form would ask for a repository that the root names. */}
          <Button
            type="submit"
            look="primary"
            icon="play"
            disabled={configs.isLoading || isUploading}
            isBusy={isPending}
          >
            Start
          </Button>
        </FormActions>
      </form>
    </Page>
  )
}

type DemoOfferProps = {
  configs: Result<'configs.show'> | undefined
  isBusy: boolean
  onStart: (root: string) => void
}

/** For a first look: needs no key and spends nothing. */
function DemoOffer({ configs, isBusy, onStart }: DemoOfferProps): ReactNode {
  const root = offeredRoots(configs).find(({ url }) => url !== null)
  if (!root || !configs?.runtime_models.demo) return null
  return (
    <Callout
      action={
        <Button size="sm" icon="play" isBusy={isBusy} onClick={() => onStart(root.name)}>
          Start the demo
        </Button>
      }
    >
      New here? The demo agent says something, runs a command and asks you a question. It needs no key and costs
      nothing.
    </Callout>
  )
}
