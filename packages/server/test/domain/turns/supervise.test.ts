import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { App } from '../../../src/domain/app.ts'
import type { Claim } from '../../../src/domain/turns/claim.ts'
import { startLeaseRenewal } from '../../../src/domain/turns/lease-renewal.ts'
import { supervise } from '../../../src/domain/turns/supervise.ts'
import type { Log } from '../../../src/platform/log/log.ts'
import type { TurnEnd } from '../../../src/runtimes/runtime.ts'
import { recordedLog } from '../../support/log/recorded-log.ts'
import { eventually } from '../../support/vitest/eventually.ts'

test('a permanent fault while the progress of a turn is recorded is logged at error', async () => {
  const { log, records } = recordedLog()
  let end: (how: TurnEnd) => void = () => undefined
  const running = {
    ended: new Promise<TurnEnd>((resolve) => {
      end = resolve
    }),
    identity: { pid: 1, startTime: '1' },
    interrupt: async () => undefined,
  }
  const lease = {
    signal: new AbortController().signal,
    isLost: () => true,
    isEnding: () => false,
    stop: () => undefined,
  }
  const supervised = supervise({ log, agentSilenceSeconds: 60 } as App, {
    running,
    recordProgress: () => Promise.reject(new Error('relation "no_such_table" does not exist')),
    activity: new EventTarget(),
    isWaiting: async () => false,
    lease,
    signal: new AbortController().signal,
  })
  await eventually(
    async () => records(),
    (all) => all.length > 0,
  )
  end({ kind: 'completed' })
  await supervised
  expect(records()[0]).toMatchObject({ level: 50, msg: 'could not record the progress of a turn; retrying' })
})

test('a permanent fault while the lease of a turn is renewed is logged at error', async () => {
  const { log, records } = recordedLog()
  const broken = new Proxy(
    {},
    {
      get: () => () => {
        throw new Error('relation "no_such_table" does not exist')
      },
    },
  )
  const { lease, announce } = renewalOf(log, broken)
  try {
    announce()
    await wait(0)
    expect(records()).toMatchObject([{ level: 50, msg: 'could not renew the lease of a turn' }])
  } finally {
    lease.stop()
  }
})

test('a renewal that is answered after the end of the turn stops nothing and logs nothing', async () => {
  const { log, records } = recordedLog()
  let answer: (lease: undefined) => void = () => undefined
  const answered = new Promise<undefined>((resolve) => {
    answer = resolve
  })
  const query: object = new Proxy(
    {},
    { get: (_target, name) => (name === 'executeTakeFirst' ? () => answered : () => query) },
  )
  const { lease, announce } = renewalOf(log, query)
  announce()
  lease.stop()
  answer(undefined)
  await wait(0)
  expect([lease.signal.aborted, records()]).toEqual([false, []])
})

test('an agent that waits for a person is not stopped for its silence, and one that does not is', async () => {
  let isAsking = true
  let asked = 0
  let end: (how: TurnEnd) => void = () => undefined
  const running = {
    ended: new Promise<TurnEnd>((resolve) => {
      end = resolve
    }),
    identity: { pid: 1, startTime: '1' },
    interrupt: async () => end({ kind: 'interrupted' }),
  }
  const supervised = supervise({ log: recordedLog().log, agentSilenceSeconds: 0.02 } as App, {
    running,
    recordProgress: async () => undefined,
    activity: new EventTarget(),
    isWaiting: async () => {
      asked += 1
      return isAsking
    },
    lease: { signal: new AbortController().signal, isLost: () => false, isEnding: () => false, stop: () => undefined },
    signal: new AbortController().signal,
  })
  await eventually(
    async () => asked,
    (times) => times >= 3,
  )
  isAsking = false
  expect(await supervised).toMatchObject({ kind: 'failed', reason: 'silent' })
})

/** The renewal of a lease that has a minute left. `announce` is an event of its session, which makes it renew at once. */
function renewalOf(log: Log, control: object) {
  let announce: () => void = () => undefined
  const events = {
    follow: ({ onEvents }: { onEvents(events: { session_id: number }[]): void }) => {
      announce = () => onEvents([{ session_id: 7 }])
      return () => undefined
    },
  }
  const hold = { turnId: 't', owner: 'here', marker: 'm' }
  const claim = { hold, session: { id: 7 }, leaseEndsAt: performance.now() + 60_000 } as unknown as Claim
  return { lease: startLeaseRenewal({ log, control, events } as unknown as App, claim), announce: () => announce() }
}
