import type { TestApp } from '../app/app.ts'

const password = 'the right password'

/** For `testApp`. */
export const operatorEnvironment = { ROLE: 'web', SUPERVISOR_PASSWORD: password }

const operatorCredential = {
  authorization: `Basic ${Buffer.from(`supervisor:${password}`).toString('base64')}`,
  accept: 'text/html,*/*;q=0.8',
}

type Shown = { status: number; text: string; location: string | null; headers: Headers }

/** Visits pages as a person with the operator's password, and sends their forms as a browser does: without script. */
export function operatorBrowser(app: Pick<TestApp, 'send'>) {
  const visit = async (path: string, init: RequestInit = {}): Promise<Shown> => {
    const headers = { ...operatorCredential, ...init.headers }
    const answer = await app.send(path, { redirect: 'manual', ...init, headers })
    const { status, headers: received } = answer
    return { status, text: await answer.text(), location: received.get('location'), headers: received }
  }
  const post = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}): Promise<Shown> =>
    visit(path, {
      method: 'POST',
      body: new URLSearchParams(fields),
      headers: { 'sec-fetch-site': 'same-origin', ...headers },
    })
  /** Sends the form of a page that posts to `action`, with some fields filled in differently. */
  const submit = async (page: string, action: string, filled: Record<string, string> = {}): Promise<Shown> => {
    const fields = formOf((await visit(page)).text, action)
    if (!fields) throw new Error(`${page} has no form that posts to ${action}`)
    return post(action, { ...fields, ...filled })
  }
  return { visit, post, submit }
}

/** What a browser would send if nothing were changed. */
export function formOf(page: string, action: string): Record<string, string> | undefined {
  const escaped = action.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  const [, form] = new RegExp(`<form method="post" action="${escaped}">(.*?)</form>`, 's').exec(page) ?? []
  if (form === undefined) return undefined
  const fields: Record<string, string> = {}
  for (const [tag] of form.matchAll(/<input[^>]*>/g)) fields[attribute(tag, 'name')] = attribute(tag, 'value')
  for (const [, tag = '', options = ''] of form.matchAll(/<select([^>]*)>(.*?)<\/select>/gs)) {
    const all = [...options.matchAll(/<option([^>]*)>/g)].map(([, option = '']) => option)
    fields[attribute(tag, 'name')] = attribute(all.find((option) => / selected/.test(option)) ?? all[0] ?? '', 'value')
  }
  for (const [, tag = '', text = ''] of form.matchAll(/<textarea([^>]*)>\n(.*?)<\/textarea>/gs))
    fields[attribute(tag, 'name')] = unescaped(text).replaceAll('\n', '\r\n')
  return fields
}

function attribute(tag: string, name: string): string {
  return unescaped(new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? '')
}

function unescaped(text: string): string {
  return text.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
}
