import { putAway } from './faults/archive-race.mjs'
import { drain } from './faults/drain.mjs'
import { followUps, followUpsAndKills } from './faults/follow-ups.mjs'
import { frozenServer } from './faults/frozen-server.mjs'
import { brokenText, endlessOutput, hugeLine, tornLine } from './faults/hostile-output.mjs'
import { oneKey } from './faults/idempotency-key.mjs'
import { interruptStorm } from './faults/interrupt-storm.mjs'
import { killAgent } from './faults/kill-agent.mjs'
import { killBackend } from './faults/kill-backend.mjs'
import { killPostmaster } from './faults/kill-postmaster.mjs'
import { killServer } from './faults/kill-server.mjs'
import { leftDaemons } from './faults/left-daemons.mjs'
import { silentAgent } from './faults/silent-agent.mjs'
import { takeOver } from './faults/take-over.mjs'
import { twoServers } from './faults/two-servers.mjs'
import { stubbornAgent } from './faults/unresponsive-agent.mjs'
import { wrongClock } from './faults/wrong-clock.mjs'

/**
 * Every fault, with the number of seeds of a full run and the figures it must keep. The numbers are those by which the
 * project's reliability targets are known. Twenty seeds each, but for R15, whose one round is a thousand sessions.
 */
export const faults = [
  killServer,
  takeOver,
  frozenServer,
  drain,
  killAgent,
  stubbornAgent,
  leftDaemons,
  killBackend,
  killPostmaster,
  wrongClock,
  twoServers,
  oneKey,
  followUps,
  followUpsAndKills,
  interruptStorm,
  putAway,
  hugeLine,
  brokenText,
  endlessOutput,
  silentAgent,
  tornLine,
]
