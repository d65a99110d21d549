// A host as `npm start` runs it that also takes commands from its parent process over IPC and replies with the outcome.
// A command calls the operation directly, without HTTP.
import { startHost } from '../../../dist/app/compose.js'
import { readConfig } from '../../../dist/app/config.js'
import { modules } from '../../../dist/app/modules.js'
import { stopOnSignals } from '../../../dist/app/shutdown.js'
import { pollChat } from '../../../dist/domain/chat/poll-chat.js'
import { enqueueMessage } from '../../../dist/domain/conversation/enqueue-message.js'
import { followUp } from '../../../dist/domain/conversation/follow-up.js'
import { interruptWithMessage } from '../../../dist/domain/conversation/interrupt.js'
import { pollForge } from '../../../dist/domain/forge/poll-forge.js'
import { archiveSession } from '../../../dist/domain/lifecycle/archive.js'
import { pauseSession } from '../../../dist/domain/lifecycle/pause.js'
import { openLog } from '../../../dist/platform/log/log.js'
import { Refusal } from '../../../dist/platform/refusal.js'

const byPerson = { isByPerson: true }

const commands = {
  followUp: (app, { id, prompt, isImmediate = false }) =>
    followUp(app, { id }, { prompt, goal: null, isImmediate, ...byPerson }),
  enqueue: (app, { id, prompt }) => enqueueMessage(app, { id }, { content: prompt, goal: null, ...byPerson }),
  interrupt: (app, { id, messageId }) => interruptWithMessage(app, { id }, messageId, byPerson),
  archive: (app, { id, force = false }) => archiveSession(app, { id }, { force }),
  pause: (app, { id }) => pauseSession(app, { id }),
  runPeriodic: (app, { name }) => {
    const task = modules.flatMap(({ periodic = [] }) => periodic).find((each) => each.name === name)
    return task.run(app, new AbortController().signal)
  },
  pollChat: (app) => pollChat(app, new AbortController().signal),
  pollForge: (app) => pollForge(app, new AbortController().signal),
}

shiftClock(Number(process.env.FAULT_CLOCK_SHIFT_MS ?? 0))
const config = readConfig(process.env)
const log = openLog({ level: config.LOG_LEVEL })
const starting = startHost(config, { log })
stopOnSignals(starting, log)
// The parent has exited, so nothing else would stop this host.
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
const host = await starting

process.on('message', async ({ number, command, input }) => reply({ number, ...(await perform(command, input)) }))
reply({ url: host.web.url, hostId: host.app.home.hostId, key: host.keyRing.keys[0] })

async function perform(command, input) {
  try {
    return { answer: await commands[command](host.app, input) }
  } catch (error) {
    return error instanceof Refusal ? { refusal: error.kind, messages: error.messages } : { fault: String(error.stack) }
  }
}

/** The parent may have exited since it sent the command. */
function reply(message) {
  if (process.connected) process.send(message, () => undefined)
}

/** Shifts the clock for all code in this process, as on a machine with a wrong clock. */
function shiftClock(shiftMs) {
  if (shiftMs === 0) return
  const TrueDate = Date
  globalThis.Date = class extends TrueDate {
    constructor(...args) {
      super(...(args.length === 0 ? [TrueDate.now() + shiftMs] : args))
    }
    static now() {
      return TrueDate.now() + shiftMs
    }
  }
}
