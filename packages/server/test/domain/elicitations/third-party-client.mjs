// An MCP server's client as third parties have it: no key, fatal on any answer but 2xx, and it ignores the `poll-url` that it
// gets. Prints what it learned. Uses nothing of Yardmaster.
import { randomUUID } from 'node:crypto'

const { ELICITATION_REQUEST_URL, ELICITATION_POLL_URL, ELICITATION_TTL_MS, ELICITATION_SESSION_ID } = process.env
const [message = '', wish = ELICITATION_TTL_MS] = process.argv.slice(2)
if (!ELICITATION_REQUEST_URL || !ELICITATION_POLL_URL) throw new Error('no HTTP fallback')
if (process.env.ELICITATION_PREFER_HTTP_FALLBACK !== 'true') throw new Error('would ask natively')

const own = randomUUID()
const expiresAt = Date.now() + Number(wish)
const raised = await call(ELICITATION_REQUEST_URL, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({
    mode: 'form',
    message,
    requestedSchema: {
      type: 'object',
      properties: { confirm: { type: 'boolean', title: 'Confirm', default: false } },
      required: ['confirm'],
    },
    _meta: {
      'com.example/request-id': own,
      'com.example/expires-at': new Date(expiresAt).toISOString(),
      'com.example/session-id': ELICITATION_SESSION_ID,
      'com.example/tool-name': 'send_mail',
    },
  }),
})
const requestId = raised.requestId ?? own
let answer = { action: 'expired' }
while (Date.now() < expiresAt) {
  await new Promise((resolve) => setTimeout(resolve, 1000))
  const poll = await call(`${ELICITATION_POLL_URL}/${requestId}`)
  if (poll.action === 'pending') continue
  answer = poll
  break
}
const known = ['accept', 'decline', 'cancel', 'expired']
const action = known.includes(answer.action) ? answer.action : 'decline'
process.stdout.write(`third party: ${action} ${JSON.stringify(answer.content ?? null)}\n`)

async function call(url, init) {
  const response = await fetch(url, init)
  if (!response.ok) throw new Error(`fatal: ${response.status}`)
  return response.json()
}
