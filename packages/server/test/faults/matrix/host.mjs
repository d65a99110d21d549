// A Yardmaster as `npm start` runs it, which also does on order what callers will do by request. Orders come from the
// process that started it, over the channel between them, and each is answered with what became of it.
import { startHost } from '../../../dist/app/compose.js'
import { readConfig } from '../../../dist/app/config.js'
import { stopOnSignals } from '../../../dist/app/shutdown.js'
import { followUp } from '../../../dist/domain/conversation/follow-up.js'
import { interruptWithMessage } from '../../../dist/domain/conversation/interrupt.js'
import { enqueueMessage } from '../../../dist/domain/inbox/messages.js'
import { archiveSession } from '../../../dist/domain/lifecycle/archive.js'
import { pauseSession } from '../../../dist/domain/lifecycle/pause.js'
import { openLog } from '../../../dist/platform/log/log.js'
import { Refusal } from '../../../dist/platform/refusal.js'

const orders = {
  followUp: (app, { id, prompt, isImmediate = false }) => followUp(app, { id }, { prompt, goal: null, isImmediate }),
  enqueue: (app, { id, prompt }) => enqueueMessage(app, { id }, { content: prompt, goal: null }),
  interrupt: (app, { id, messageId }) => interruptWithMessage(app, { id }, messageId),
  archive: (app, { id, force = false }) => archiveSession(app, { id }, { force }),
  pause: (app, { id }) => pauseSession(app, { id }),
}

shiftClock(Number(process.env.FAULT_CLOCK_SHIFT_MS ?? 0))
const config = readConfig(process.env)
const log = openLog({ level: config.LOG_LEVEL })
const starting = startHost(config, { log })
stopOnSignals(starting, log)
// Whoever started us is gone: nobody would end us any more.
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
const host = await starting

process.on('message', async ({ number, order, about }) => reply({ number, ...(await perform(order, about)) }))
reply({ url: host.web.url, hostId: host.app.home.hostId, key: host.keyRing.keys[0] })

async function perform(order, about) {
  try {
    return { answer: await orders[order](host.app, about) }
  } catch (error) {
    return error instanceof Refusal ? { refusal: error.kind, messages: error.messages } : { fault: String(error.stack) }
  }
}

/** Whoever gave the order may have gone meanwhile. */
function reply(message) {
  if (process.connected) process.send(message, () => undefined)
}

/** As on a machine whose clock is wrong: everything in this process sees it, nothing outside does. */
function shiftClock(shiftMs) {
  if (shiftMs === 0) return
  const TrueDate = Date
  globalThis.Date = class extends TrueDate {
    constructor(...given) {
      super(...(given.length === 0 ? [TrueDate.now() + shiftMs] : given))
    }
    static now() {
      return TrueDate.now() + shiftMs
    }
  }
}
